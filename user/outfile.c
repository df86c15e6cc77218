/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that appears whole or not at all.
 */
#include "user/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_file(const struct stat *status, const char *path)
{
	struct stat other;

	return path && !stat(path, &other) && other.st_dev == status->st_dev &&
	       other.st_ino == status->st_ino;
}

/* A file without a name in the directory of @path: gone when we are killed. */
static int open_nameless(const char *path)
{
	char *copy = strdup(path);
	int fd;

	if (!copy)
		return -1;
	fd = open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	free(copy);
	return fd;
}

/* Where the file system has no files without a name. */
static int open_named(struct cs_outfile *file)
{
	if (asprintf(&file->temporary, "%s.XXXXXX", file->path) < 0) {
		file->temporary = NULL;
		return -1;
	}
	return mkostemp(file->temporary, O_CLOEXEC);
}

/* A name beside @path that nothing has. */
static int give_name(struct cs_outfile *file)
{
	char old[64];

	snprintf(old, sizeof(old), "/proc/self/fd/%d", fileno(file->stream));
	for (int i = 0; i < 1000; i++) {
		if (asprintf(&file->temporary, "%s.%d-%d", file->path, getpid(), i) < 0) {
			file->temporary = NULL;
			return -ENOMEM;
		}
		if (!linkat(AT_FDCWD, old, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW))
			return 0;
		free(file->temporary);
		file->temporary = NULL;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static int fail(struct cs_outfile *file, struct cs_error *error, const char *path,
		int err)
{
	cs_error_set(error, -err, "%s: %s", path, strerror(err));
	cs_outfile_abandon(file);
	return -err;
}

int cs_outfile_open(struct cs_outfile *file, const char *path, const char *input,
		    struct cs_error *error)
{
	struct stat status;
	bool exists;
	int fd;

	memset(file, 0, sizeof(*file));
	if (!path || !strcmp(path, "-")) {
		file->stream = stdout;
		file->direct = true;
		return 0;
	}
	exists = !stat(path, &status);
	if (exists && same_file(&status, input)) {
		cs_error_set(error, -EEXIST, "%s: is the input; choose another output",
			     path);
		return -EEXIST;
	}
	if (exists && S_ISDIR(status.st_mode))
		return fail(file, error, path, EISDIR);
	file->direct = exists && !S_ISREG(status.st_mode);
	file->path = exists ? realpath(path, NULL) : strdup(path);
	if (!file->path)
		return fail(file, error, path, errno);

	if (file->direct) {
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	} else {
		if (exists && access(path, W_OK))
			return fail(file, error, path, errno);
		fd = open_nameless(file->path);
		if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
			fd = open_named(file);
	}
	if (fd < 0)
		return fail(file, error, path, errno);
	/* mkostemp(3) gave 0600 */
	if (!file->direct && (exists || file->temporary)) {
		mode_t mask = umask(0);

		umask(mask);
		fchmod(fd, exists ? status.st_mode & 07777 : 0666 & ~mask);
	}
	file->stream = fdopen(fd, "w");
	if (!file->stream) {
		close(fd);
		return fail(file, error, path, ENOMEM);
	}
	return 0;
}

int cs_outfile_flush(FILE *stream)
{
	if (!ferror(stream)) {
		if (!fflush(stream))
			return 0;
		return errno ? -errno : -EIO;
	}
	if (write(fileno(stream), "\n", 1) < 0)
		return -errno;
	return -EIO;
}

int cs_outfile_commit(struct cs_outfile *file, struct cs_error *error)
{
	const char *name = file->path ? file->path : "standard output";
	int err = -cs_outfile_flush(file->stream);

	if (!err && !file->direct && !file->temporary)
		err = -give_name(file);
	if (file->stream != stdout) {
		if (fclose(file->stream) && !err)
			err = errno;
		file->stream = NULL;
	}
	if (!err && !file->direct && rename(file->temporary, file->path))
		err = errno;
	if (!err && file->temporary) {
		free(file->temporary);
		file->temporary = NULL;
	}
	if (err && err != EPIPE)
		cs_error_set(error, -err, "%s: %s", name, strerror(err));
	cs_outfile_abandon(file);
	return -err;
}

void cs_outfile_abandon(struct cs_outfile *file)
{
	if (file->stream && file->stream != stdout)
		fclose(file->stream);
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->path);
	memset(file, 0, sizeof(*file));
}

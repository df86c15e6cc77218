/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FILE, FILE.part and FILE.old: what may be replaced, and by whom.
 */
#define _GNU_SOURCE
#include "user/record/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/record/dat_file.h"

enum owner {
	OWNER_NONE, /* no such file */
	OWNER_US,
	OWNER_OTHER,
};

static int fail(struct cs_error *error, int code, const char *path)
{
	return cs_error_set(error, code, "%s: %s", path, strerror(-code));
}

/* Whose a file is; -errno when that cannot be found out. */
static int owner_of(const char *path)
{
	struct cs_dat_info info;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int code;

	if (fd < 0)
		return errno == ENOENT ? OWNER_NONE : -errno;
	code = cs_dat_probe(fd, &info);
	close(fd);
	if (code && code != -EILSEQ)
		return code;
	return !code && info.ours ? OWNER_US : OWNER_OTHER;
}

static int check_file(const struct cs_target *target, struct cs_error *error)
{
	struct stat file;
	int owner;

	if (stat(target->path, &file)) {
		if (errno == ENOENT)
			return 0;
		return fail(error, -errno, target->path);
	}
	if (S_ISDIR(file.st_mode))
		return cs_error_set(error, -EISDIR,
				    "%s: is a directory; name a file in it",
				    target->path);
	if (!S_ISREG(file.st_mode))
		return cs_error_set(error, -EINVAL,
				    "%s: not a regular file; a recording needs one",
				    target->path);
	owner = owner_of(target->path);
	if (owner < 0)
		return fail(error, owner, target->path);
	if (owner == OWNER_OTHER && !target->force)
		return cs_error_set(
			error, -EEXIST,
			"%s: exists and is no recording of ctxsw; choose another name with "
			"-o, or --force replaces it",
			target->path);
	if (owner == OWNER_US && owner_of(target->old) == OWNER_OTHER)
		return cs_error_set(
			error, -EEXIST,
			"%s: exists and is no recording of ctxsw, so that %s cannot be renamed "
			"to it; choose another name with -o",
			target->old, target->path);
	return 0;
}

/* FILE and a killed recorder's FILE.part, locked by us: move it to its place. */
static int recover(struct cs_target *target, struct cs_error *error)
{
	struct cs_dat_info info;
	uint64_t bytes;
	int code = cs_dat_probe(target->fd, &info);

	if (code || !info.ours) {
		if (!target->force)
			return cs_error_set(
				error, -EEXIST,
				"%s: exists and is no recording of ctxsw; remove it, or "
				"--force does",
				target->part);
		return unlink(target->part) ? fail(error, -errno, target->part) : 0;
	}
	target->leftover = true;
	code = cs_dat_finish(target->part, target->fd, &bytes, error);
	if (code)
		return code;
	if (!bytes) {
		cs_dat_remove(target->part);
		return 0;
	}
	target->recovered = bytes;
	code = cs_target_commit(target, error);
	target->renamed = false;
	return code;
}

bool cs_target_there(const struct cs_target *target)
{
	struct stat ours;
	struct stat named;

	return !fstat(target->fd, &ours) && !lstat(target->part, &named) &&
	       ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

/* 1: locked and fresh; 0: look again. */
static int try_lock(struct cs_target *target, struct cs_error *error)
{
	struct stat file;

	target->fd = open(target->part,
			  O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
	if (target->fd < 0)
		return fail(error, -errno, target->part);
	if (flock(target->fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return fail(error, -errno, target->part);
		return cs_error_set(error, -EBUSY,
				    "%s: another ctxsw record is writing it; choose "
				    "another file with -o",
				    target->path);
	}
	if (!cs_target_there(target))
		return 0;
	if (fstat(target->fd, &file))
		return fail(error, -errno, target->part);
	if (!S_ISREG(file.st_mode))
		return cs_error_set(error, -EINVAL, "%s: not a regular file",
				    target->part);
	return file.st_size ? recover(target, error) : 1;
}

static int lock_part(struct cs_target *target, struct cs_error *error)
{
	int code;

	while (!(code = try_lock(target, error)))
		close(target->fd);
	if (code > 0)
		return 0;
	/* not ours, so that nobody removes it */
	if (target->fd >= 0)
		close(target->fd);
	target->fd = -1;
	return code;
}

/* FILE itself, also when a symbolic link leads to it. */
static char *real_path(const char *path)
{
	struct stat file;

	if (lstat(path, &file) || !S_ISLNK(file.st_mode))
		return strdup(path);
	return realpath(path, NULL);
}

int cs_target_open(struct cs_target *target, const char *path, bool force,
		   struct cs_error *error)
{
	int code;

	*target = (struct cs_target){.fd = -1, .force = force};
	if (!*path)
		return cs_error_set(error, -EINVAL, "output: the file name is empty");
	if (!strcmp(path, "-") || !strncmp(path, "/dev/", 5) ||
	    !strncmp(path, "/proc/", 6))
		return cs_error_set(error, -EINVAL,
				    "%s: not a regular file; a recording needs one",
				    path);
	target->path = real_path(path);
	if (!target->path)
		return fail(error, -errno, path);
	if (asprintf(&target->part, "%s.part", target->path) < 0)
		target->part = NULL;
	if (asprintf(&target->old, "%s.old", target->path) < 0)
		target->old = NULL;
	if (!target->part || !target->old)
		return fail(error, -ENOMEM, path);
	code = check_file(target, error);
	return code ? code : lock_part(target, error);
}

int cs_target_commit(struct cs_target *target, struct cs_error *error)
{
	int code = check_file(target, error);
	int owner = code ? code : owner_of(target->path);

	if (code)
		return code;
	if (owner == OWNER_US) {
		if (rename(target->path, target->old))
			return fail(error, -errno, target->old);
		target->renamed = true;
	}
	/* nobody may lose a file that appeared just now */
	if (owner != OWNER_OTHER) {
		if (!renameat2(AT_FDCWD, target->part, AT_FDCWD, target->path,
			       RENAME_NOREPLACE))
			return 0;
		if (errno != EINVAL && errno != ENOSYS)
			return fail(error, -errno, target->path);
	}
	return rename(target->part, target->path) ? fail(error, -errno, target->path) : 0;
}

void cs_target_discard(struct cs_target *target)
{
	if (target->fd >= 0)
		unlink(target->part);
}

void cs_target_close(struct cs_target *target)
{
	if (target->fd >= 0)
		close(target->fd);
	target->fd = -1;
	free(target->path);
	free(target->part);
	free(target->old);
	target->path = NULL;
	target->part = NULL;
	target->old = NULL;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which reader a file needs, told by its first bytes; and for the files that people
 * give by mistake, what they are.
 */
#include "user/input/reader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/input/dat.h"

#define TEXT_MAGIC "# ctxsw events"

/* Enough for the first lines of a text. */
#define PEEK_SIZE 4096

/* Files that are none of ours, by how they begin. */
struct stranger {
	const char *magic;
	unsigned int length;
	const char *text;
};

static const struct stranger strangers[] = {
	{"PERFILE2", 8,
	 "is a perf.data file; ctxsw reads trace.dat: record with ctxsw record"},
	{"2ELIFREP", 8,
	 "is a perf.data file; ctxsw reads trace.dat: record with ctxsw record"},
	{"\x1f\x8b", 2, "is compressed with gzip; decompress it first: gzip -d"},
	{"\x28\xb5\x2f\xfd", 4, "is compressed with zstd; decompress it first: zstd -d"},
	{"\xfd"
	 "7zXZ",
	 5, "is compressed with xz; decompress it first: xz -d"},
	{"BZh", 3, "is compressed with bzip2; decompress it first: bzip2 -d"},
	{"cpus=", 5,
	 "is text output of trace-cmd report, not a trace; give the trace.dat itself"},
	{"version = ", 10,
	 "is text output of trace-cmd report, not a trace; give the trace.dat itself"},
	{"trace-cmd dump", 14,
	 "is text output of trace-cmd, not a trace; give the trace.dat itself"},
	{"# tracer: ", 10,
	 "is the text of a kernel's trace file, not a trace.dat; record with ctxsw record"},
};

static bool begins(const char *bytes, size_t size, const char *magic, size_t length)
{
	return size >= length && !memcmp(bytes, magic, length);
}

/* Why nothing can be read from it; NULL: it may be read. */
static const char *unreadable(const struct stat *status)
{
	if (S_ISDIR(status->st_mode))
		return "is a directory; give the trace.dat in it";
	if (!S_ISREG(status->st_mode))
		return "is no regular file; a trace cannot be read from a pipe or a device";
	if (!status->st_size)
		return "is empty";
	return NULL;
}

static const char *name_stranger(const char *bytes, size_t size)
{
	for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++)
		if (begins(bytes, size, strangers[i].magic, strangers[i].length))
			return strangers[i].text;
	/* Lines of a report without its head: "comm-pid   [001] 12.345678: event: ..." */
	if (memmem(bytes, size, "sched_switch:", 13) && memmem(bytes, size, "[0", 2))
		return "is text output of trace-cmd report, not a trace; give the trace.dat itself";
	return "is no trace: neither a trace.dat nor ctxsw events";
}

/* A file that cannot be opened; a recorder that was killed leaves another one. */
static void not_opened(const char *path, int code, struct cs_error *error)
{
	char part[4096];

	if (code == -ENOENT &&
	    snprintf(part, sizeof(part), "%s.part", path) < (int)sizeof(part) &&
	    !access(part, F_OK))
		cs_error_set(error, code,
			     "%s: %s; a recording that was broken off is in %s", path,
			     strerror(-code), part);
	else
		cs_error_set(error, code, "%s: %s", path, strerror(-code));
}

struct cs_reader *cs_reader_open(const char *path, const char *buffer,
				 struct cs_error *error)
{
	char bytes[PEEK_SIZE];
	struct stat status;
	const char *why;
	ssize_t size;
	int fd;

	/* O_NONBLOCK: opening a pipe must not wait for a writer. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &status) < 0) {
		not_opened(path, -errno, error);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	why = unreadable(&status);
	if (why) {
		close(fd);
		cs_error_set(error, -EINVAL, "%s: %s", path, why);
		return NULL;
	}
	size = pread(fd, bytes, sizeof(bytes), 0);
	close(fd);
	if (size < 0) {
		cs_error_set(error, -errno, "%s: cannot read: %s", path, strerror(errno));
		return NULL;
	}

	if (begins(bytes, size, CS_DAT_MAGIC, CS_DAT_MAGIC_SIZE))
		return cs_reader_dat_open(path, buffer, error);
	if (begins(bytes, size, TEXT_MAGIC, strlen(TEXT_MAGIC))) {
		if (!buffer)
			return cs_reader_text_open(path, error);
		cs_error_set(error, -EINVAL,
			     "%s: is ctxsw text, which has no buffer '%s'", path, buffer);
		return NULL;
	}
	if ((size_t)size < CS_DAT_MAGIC_SIZE &&
	    begins(CS_DAT_MAGIC, CS_DAT_MAGIC_SIZE, bytes, size)) {
		cs_error_set(error, -EBADMSG,
			     "%s: truncated in the file header at offset %zd", path,
			     size);
		return NULL;
	}
	cs_error_set(error, -EINVAL, "%s: %s", path, name_stranger(bytes, size));
	return NULL;
}

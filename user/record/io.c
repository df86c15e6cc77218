/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whole reads and writes of small files, and number formats for a person.
 */
#include "user/record/io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_to_end(int fd, char **data, size_t *size)
{
	size_t room = 8192;
	size_t used = 0;
	char *text = malloc(room);

	while (text) {
		ssize_t got = read(fd, text + used, room - used - 1);
		char *more;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			int code = -errno;

			free(text);
			return code;
		}
		used += (size_t)got;
		if (!got) {
			text[used] = '\0';
			*data = text;
			if (size)
				*size = used;
			return 0;
		}
		if (room - used > 1)
			continue;
		more = realloc(text, room * 2);
		if (!more)
			free(text);
		text = more;
		room *= 2;
	}
	return -ENOMEM;
}

int cs_io_read(const char *path, char **data, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int code;

	if (fd < 0)
		return -errno;
	code = read_to_end(fd, data, size);
	close(fd);
	return code;
}

int cs_io_pwrite(int fd, const void *data, size_t size, uint64_t offset)
{
	const char *from = data;

	while (size) {
		ssize_t put = pwrite(fd, from, size, (off_t)offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		from += put;
		offset += (uint64_t)put;
		size -= (size_t)put;
	}
	return 0;
}

int cs_io_pread(int fd, void *data, size_t size, uint64_t offset)
{
	char *to = data;

	while (size) {
		ssize_t got = pread(fd, to, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		to += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}

const char *cs_io_count_text(uint64_t count, char *text)
{
	char digits[CS_IO_TEXT];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	char *to = text;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return text;
}

const char *cs_io_size_text(uint64_t bytes, char *text)
{
	static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
	double value = (double)bytes / 1000.0;
	size_t unit = 0;

	if (bytes < 1000) {
		snprintf(text, CS_IO_TEXT, "%" PRIu64 " B", bytes);
		return text;
	}
	while (value >= 999.95 && unit < sizeof(units) / sizeof(units[0]) - 1) {
		value /= 1000.0;
		unit++;
	}
	snprintf(text, CS_IO_TEXT, "%.1f %s", value, units[unit]);
	return text;
}

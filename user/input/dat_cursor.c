/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steps through the bytes of a trace.dat. Nothing that the file says is believed before
 * it is compared with what is there.
 */
#include "user/input/dat_load.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WINDOW (64u << 10)

int cs_dat_fail(const struct cs_dat_loader *loader, int code, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return cs_error_set(loader->error, code, "%s: %s", loader->dat->path, text);
}

int cs_dat_no_memory(const struct cs_dat_loader *loader)
{
	return cs_dat_fail(loader, -ENOMEM, "out of memory");
}

int cs_dat_damaged(const struct cs_dat_cursor *cursor, const char *what)
{
	return cs_dat_fail(cursor->loader, -EBADMSG,
			   "damaged: %s in %s at offset %" PRIu64, what, cursor->section,
			   cursor->at);
}

int cs_dat_truncated(const struct cs_dat_cursor *cursor)
{
	return cs_dat_fail(cursor->loader, -EBADMSG, "truncated in %s at offset %" PRIu64,
			   cursor->section, cursor->at);
}

ssize_t cs_dat_read(int fd, void *to, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, (char *)to + done, size - done, offset + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += got;
	}
	return done;
}

void cs_dat_cursor_file(struct cs_dat_cursor *cursor, struct cs_dat_loader *loader,
			uint64_t offset, const char *section)
{
	memset(cursor, 0, sizeof(*cursor));
	cursor->loader = loader;
	cursor->section = section;
	cursor->in_file = true;
	cursor->at = offset;
	cursor->end = loader->dat->size;
}

void cs_dat_cursor_close(struct cs_dat_cursor *cursor)
{
	free(cursor->memory);
	cursor->memory = NULL;
}

/* The next @size bytes; they live until the next call. */
int cs_dat_take(struct cs_dat_cursor *cursor, uint64_t size, const uint8_t **bytes)
{
	uint64_t want;
	ssize_t got;

	if (cursor->at > cursor->end || size > cursor->end - cursor->at)
		return cs_dat_truncated(cursor);
	if (!cursor->in_file) {
		*bytes = cursor->memory + cursor->at;
		cursor->at += size;
		return 0;
	}
	if (cursor->at < cursor->window_at ||
	    cursor->at - cursor->window_at > cursor->window_size ||
	    size > cursor->window_size - (cursor->at - cursor->window_at)) {
		want = size > WINDOW ? size : WINDOW;
		if (want > cursor->room) {
			uint8_t *more = realloc(cursor->memory, want);

			if (!more)
				return cs_dat_no_memory(cursor->loader);
			cursor->memory = more;
			cursor->room = want;
		}
		got = cs_dat_read(cursor->loader->dat->fd, cursor->memory, want,
				  cursor->at);
		if (got < 0)
			return cs_dat_fail(cursor->loader, got, "cannot read: %s",
					   strerror(-got));
		cursor->window_at = cursor->at;
		cursor->window_size = got;
		if ((uint64_t)got < size)
			return cs_dat_truncated(cursor);
	}
	*bytes = cursor->memory + (cursor->at - cursor->window_at);
	cursor->at += size;
	return 0;
}

int cs_dat_skip(struct cs_dat_cursor *cursor, uint64_t size)
{
	if (cursor->at > cursor->end || size > cursor->end - cursor->at)
		return cs_dat_truncated(cursor);
	cursor->at += size;
	return 0;
}

int cs_dat_take16(struct cs_dat_cursor *cursor, uint16_t *value)
{
	const uint8_t *bytes;
	int r = cs_dat_take(cursor, 2, &bytes);

	if (!r)
		*value = cs_load16(bytes, cs_dat_swap(cursor->loader));
	return r;
}

int cs_dat_take32(struct cs_dat_cursor *cursor, uint32_t *value)
{
	const uint8_t *bytes;
	int r = cs_dat_take(cursor, 4, &bytes);

	if (!r)
		*value = cs_load32(bytes, cs_dat_swap(cursor->loader));
	return r;
}

int cs_dat_take64(struct cs_dat_cursor *cursor, uint64_t *value)
{
	const uint8_t *bytes;
	int r = cs_dat_take(cursor, 8, &bytes);

	if (!r)
		*value = cs_load64(bytes, cs_dat_swap(cursor->loader));
	return r;
}

/* A string with its NUL, shorter than @size. */
int cs_dat_take_string(struct cs_dat_cursor *cursor, char *text, size_t size)
{
	const uint8_t *byte;
	int r;

	for (size_t i = 0; i < size; i++) {
		r = cs_dat_take(cursor, 1, &byte);
		if (r < 0)
			return r;
		text[i] = *byte;
		if (!*byte)
			return 0;
	}
	return cs_dat_damaged(cursor, "a string without end");
}

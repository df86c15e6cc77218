/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Any bytes as events in text: read without a crash; what can be read is dumped,
 * and that dump reads back as the same dump.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "user/input/reader.h"
#include "user/output/dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The dump of the events in @data, as far as they can be read; its size in @length. */
static char *dump(const void *data, size_t size, size_t *length, int *end)
{
	int fd = memfd_create("fuzz_text", MFD_CLOEXEC);
	struct cs_reader *reader;
	struct cs_error error;
	struct cs_event ev;
	struct cs_dump out;
	char path[64], *text = NULL;
	FILE *stream;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	reader = cs_reader_text_open(path, &error);
	if (reader) {
		stream = open_memstream(&text, length);
		if (!stream)
			abort();
		cs_dump_begin(&out, stream, &reader->source);
		while ((*end = cs_reader_next(reader, &ev, &error)) == 1)
			cs_dump_event(&out, &ev);
		cs_dump_end(&out, &reader->source);
		fclose(stream);
	}
	cs_reader_close(reader);
	close(fd);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t length, again_length = 0;
	int end;
	char *text = dump(data, size, &length, &end), *again;

	if (!text)
		return 0;
	again = dump(text, length, &again_length, &end);
	if (!again || end || length != again_length || memcmp(text, again, length))
		abort();
	free(text);
	free(again);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace.dat version 7 (trace-cmd.dat.v7(5)): options that point to sections, which may be
 * compressed.
 */
#include "user/input/dat_load.h"

#include <stdlib.h>

#define SECTION_COMPRESSED 1

/* Formats of all events of a large kernel have some 10 MiB. */
#define SECTION_MAX (256u << 20)

/* A block of text that is compressed further than this is no text. */
#define RATIO_MAX 4096

/* More sections of options than any file has; a chain of them can be a ring. */
#define SECTIONS_MAX 1024

/* Offset, name, clock, page size, count, and for each CPU number, offset, size. */
int cs_dat_take_buffer_v7(struct cs_dat_loader *loader, const uint8_t *bytes,
			  uint32_t size)
{
	struct cs_dat_cursor cursor = {.loader = loader,
				       .section = "a BUFFER option",
				       .memory = (uint8_t *)bytes,
				       .end = size};
	struct cs_dat_buffer *buffer;
	char name[256], clock[64];
	uint32_t page_size, count, cpu;
	uint64_t section, offset, length;
	int r;

	r = cs_dat_take64(&cursor, &section);
	if (!r)
		r = cs_dat_take_string(&cursor, name, sizeof(name));
	if (!r)
		r = cs_dat_take_string(&cursor, clock, sizeof(clock));
	if (!r)
		r = cs_dat_take32(&cursor, &page_size);
	if (!r)
		r = cs_dat_take32(&cursor, &count);
	if (r < 0)
		return r;
	if (loader->dat->buffers_count == CS_DAT_BUFFERS_MAX)
		return cs_dat_damaged(&cursor, "too many buffers");
	if (count > (cursor.end - cursor.at) / 20)
		return cs_dat_truncated(&cursor);
	buffer = cs_dat_add_buffer(loader, name);
	if (!buffer)
		return cs_dat_no_memory(loader);
	buffer->page_size = page_size;
	buffer->clock = strdup(clock);
	if (!buffer->clock)
		return cs_dat_no_memory(loader);
	r = cs_dat_alloc_ranges(loader, buffer, count);
	for (uint32_t i = 0; !r && i < count; i++) {
		r = cs_dat_take32(&cursor, &cpu);
		if (!r)
			r = cs_dat_take64(&cursor, &offset);
		if (!r)
			r = cs_dat_take64(&cursor, &length);
		if (!r)
			r = cs_dat_add_range(loader, buffer, cpu, offset, length);
	}
	if (r < 0)
		return r;

	/* The section's header tells whether its pages are compressed. */
	cs_dat_cursor_file(&cursor, loader, section, "the header of a buffer's data");
	r = cs_dat_skip(&cursor, 2);
	if (!r) {
		uint16_t flags = 0;

		r = cs_dat_take16(&cursor, &flags);
		buffer->compressed = flags & SECTION_COMPRESSED;
	}
	cs_dat_cursor_close(&cursor);
	if (!r && buffer->compressed && !loader->dat->compress)
		r = cs_dat_fail(loader, -EBADMSG,
				"damaged: compressed data but no method");
	return r;
}

/* Opens the section at @offset: behind its header, decompressed where it has to be. */
static int open_section(struct cs_dat_cursor *cursor, struct cs_dat_loader *loader,
			uint64_t offset, uint16_t want, const char *name)
{
	const uint8_t *bytes;
	uint16_t id = 0, flags = 0;
	uint32_t packed = 0, plain = 0;
	uint64_t size = 0;
	uint8_t *memory;
	int r;

	cs_dat_cursor_file(cursor, loader, offset, name);
	r = cs_dat_take16(cursor, &id);
	if (!r)
		r = cs_dat_take16(cursor, &flags);
	if (!r)
		r = cs_dat_skip(cursor, 4);
	if (!r)
		r = cs_dat_take64(cursor, &size);
	if (r < 0)
		return r;
	if (id != want)
		return cs_dat_damaged(cursor, "another section");
	if (!(flags & SECTION_COMPRESSED)) {
		if (size < cursor->end - cursor->at)
			cursor->end = cursor->at + size;
		return 0;
	}

	if (!loader->dat->compress)
		return cs_dat_damaged(cursor, "compressed data but no method");
	r = cs_dat_take32(cursor, &packed);
	if (!r)
		r = cs_dat_take32(cursor, &plain);
	if (!r)
		r = cs_dat_take(cursor, packed, &bytes);
	if (r < 0)
		return r;
	if (plain > SECTION_MAX || plain / RATIO_MAX > packed)
		return cs_dat_damaged(cursor, "a section too large to believe");
	memory = malloc(plain ? plain : 1);
	if (!memory)
		return cs_dat_no_memory(loader);
	r = cs_compress_block(loader->dat->compress, bytes, packed, memory, plain);
	if (r < 0) {
		free(memory);
		return cs_dat_damaged(cursor, "a block that cannot be decompressed");
	}
	cs_dat_cursor_close(cursor);
	cursor->in_file = false;
	cursor->memory = memory;
	cursor->at = 0;
	cursor->end = plain;
	return 0;
}

static int read_section(struct cs_dat_loader *loader, uint64_t offset, uint16_t id,
			const char *name, int (*read)(struct cs_dat_cursor *cursor))
{
	struct cs_dat_cursor cursor;
	int r = open_section(&cursor, loader, offset, id, name);

	if (!r)
		r = read(&cursor);
	cs_dat_cursor_close(&cursor);
	return r;
}

/* One section of options; *@next is the offset of the next one, 0: none. */
static int read_options_v7(struct cs_dat_cursor *cursor, uint64_t *next)
{
	const uint8_t *bytes;
	uint16_t option;
	uint32_t size;
	int r;

	*next = 0;
	for (;;) {
		r = cs_dat_take16(cursor, &option);
		if (!r)
			r = cs_dat_take32(cursor, &size);
		if (!r)
			r = cs_dat_take(cursor, size, &bytes);
		if (r < 0)
			return r;
		if (option == CS_DAT_OPTION_DONE) {
			if (size >= 8)
				*next = cs_load64(bytes, cs_dat_swap(cursor->loader));
			return 0;
		}
		r = cs_dat_take_option(cursor->loader, option, bytes, size);
		if (r < 0)
			return r;
	}
}

int cs_dat_read_v7(struct cs_dat_cursor *first)
{
	struct cs_dat_loader *loader = first->loader;
	struct cs_dat *dat = loader->dat;
	char method[32], version[64];
	uint64_t offset;
	int r;

	r = cs_dat_take_string(first, method, sizeof(method));
	if (!r)
		r = cs_dat_take_string(first, version, sizeof(version));
	if (!r)
		r = cs_dat_take64(first, &offset);
	if (r < 0)
		return r;
	if (strcmp(method, "none")) {
		dat->compress = cs_compress_new(method);
		if (!dat->compress && errno == ENOTSUP)
			return cs_dat_fail(loader, -EBADMSG,
					   "compressed with %s, which is not known; "
					   "only zstd and zlib are",
					   method);
		if (!dat->compress)
			return cs_dat_no_memory(loader);
	}

	while (offset) {
		struct cs_dat_cursor cursor;

		if (++loader->sections > SECTIONS_MAX)
			return cs_dat_fail(loader, -EBADMSG,
					   "damaged: its options have no end");
		r = open_section(&cursor, loader, offset, CS_DAT_SECTION_OPTIONS,
				 "the options");
		if (!r)
			r = read_options_v7(&cursor, &offset);
		cs_dat_cursor_close(&cursor);
		if (r < 0)
			return r;
	}
	if (!loader->header_info)
		return cs_dat_fail(loader, -EBADMSG,
				   "damaged: it has no page header's format");
	r = read_section(loader, loader->header_info, CS_DAT_OPTION_HEADER_INFO,
			 "the page header's format", cs_dat_read_header_info);
	if (!r && loader->ftrace_events)
		r = read_section(loader, loader->ftrace_events,
				 CS_DAT_OPTION_FTRACE_EVENTS, "the ftrace event formats",
				 cs_dat_read_ftrace_formats);
	if (!r && loader->event_formats)
		r = read_section(loader, loader->event_formats,
				 CS_DAT_OPTION_EVENT_FORMATS, "the event formats",
				 cs_dat_read_event_formats);
	if (r < 0)
		return r;
	if (!dat->buffers_count)
		return cs_dat_fail(loader, -ENODATA,
				   "has no trace data; was the recording broken off?");
	dat->cpus = loader->cpu_count;
	for (uint32_t i = 0; !dat->cpus && i < dat->buffers_count; i++)
		dat->cpus = dat->buffers[i].count;
	if (!dat->clock && dat->buffers[0].clock && *dat->buffers[0].clock) {
		dat->clock = strdup(dat->buffers[0].clock);
		if (!dat->clock)
			return cs_dat_no_memory(loader);
	}
	return 0;
}

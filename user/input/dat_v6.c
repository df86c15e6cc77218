/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace.dat version 6 (trace-cmd.dat.v6(5)): sections in a fixed order, and the table of
 * CPUs behind the options.
 */
#include "user/input/dat_load.h"

#include <stdlib.h>

int cs_dat_take_buffer_v6(struct cs_dat_loader *loader, const uint8_t *bytes,
			  uint32_t size)
{
	struct cs_dat_instance *instances;

	if (size < 9)
		return 0;
	if (loader->instances_count == CS_DAT_BUFFERS_MAX)
		return cs_dat_fail(loader, -EBADMSG, "damaged: too many buffers");
	instances = reallocarray(loader->instances, loader->instances_count + 1,
				 sizeof(*instances));
	if (!instances)
		return cs_dat_no_memory(loader);
	loader->instances = instances;
	instances += loader->instances_count;
	instances->offset = cs_load64(bytes, loader->dat->format->layout.swap);
	instances->name = strndup((const char *)bytes + 8, size - 8);
	if (!instances->name)
		return cs_dat_no_memory(loader);
	loader->instances_count++;
	return 0;
}

static int read_options_v6(struct cs_dat_cursor *cursor)
{
	const uint8_t *bytes;
	uint16_t option;
	uint32_t size;
	int r;

	cursor->section = "the options";
	for (;;) {
		r = cs_dat_take16(cursor, &option);
		if (r < 0 || option == CS_DAT_OPTION_DONE)
			return r;
		r = cs_dat_take32(cursor, &size);
		if (!r)
			r = cs_dat_take(cursor, size, &bytes);
		if (!r)
			r = cs_dat_take_option(cursor->loader, option, bytes, size);
		if (r < 0)
			return r;
	}
}

/* From "options" or "flyrecord" to the end of the table of CPUs. */
static int read_table_v6(struct cs_dat_cursor *cursor, const char *name, uint32_t cpus)
{
	struct cs_dat_loader *loader = cursor->loader;
	struct cs_dat_buffer *buffer;
	const uint8_t *bytes;
	uint64_t offset, size;
	int r;

	cursor->section = "the data's header";
	r = cs_dat_take(cursor, 10, &bytes);
	if (r < 0)
		return r;
	if (!memcmp(bytes, "options  ", 10)) {
		r = read_options_v6(cursor);
		if (r < 0)
			return r;
		cursor->section = "the data's header";
		r = cs_dat_take(cursor, 10, &bytes);
		if (r < 0)
			return r;
	}
	if (!memcmp(bytes, "latency  ", 10))
		return cs_dat_fail(loader, -ENODATA,
				   "holds the text of a latency tracer, no events; "
				   "record with: ctxsw record");
	if (memcmp(bytes, "flyrecord", 10))
		return cs_dat_damaged(cursor, "neither options nor data");

	/* The option overrides the number before it (trace-input.c, handle_options()). */
	if (loader->cpu_count)
		cpus = loader->cpu_count;
	cursor->section = "the table of CPUs";
	buffer = cs_dat_add_buffer(loader, name);
	if (!buffer)
		return cs_dat_no_memory(loader);
	buffer->page_size = loader->dat->page_size;
	r = cs_dat_alloc_ranges(loader, buffer, cpus);
	for (uint32_t i = 0; !r && i < cpus; i++) {
		r = cs_dat_take64(cursor, &offset);
		if (!r)
			r = cs_dat_take64(cursor, &size);
		if (!r)
			r = cs_dat_add_range(loader, buffer, i, offset, size);
	}
	return r;
}

static int read_clock_v6(struct cs_dat_cursor *cursor)
{
	const uint8_t *bytes;
	uint64_t size;
	char *text;
	int r;

	cursor->section = "the trace clock";
	r = cs_dat_take64(cursor, &size);
	/* Old files have something else here; the clock is then not known. */
	if (r < 0 || size > 4096 || cs_dat_take(cursor, size, &bytes) < 0)
		return 0;
	text = strndup((const char *)bytes, size);
	if (!text)
		return cs_dat_no_memory(cursor->loader);
	r = cs_dat_take_clock(cursor->loader, text);
	free(text);
	return r;
}

static int skip_sized(struct cs_dat_cursor *cursor, const char *section, bool wide)
{
	uint64_t size = 0;
	uint32_t narrow = 0;
	int r;

	cursor->section = section;
	if (wide) {
		r = cs_dat_take64(cursor, &size);
	} else {
		r = cs_dat_take32(cursor, &narrow);
		size = narrow;
	}
	return r < 0 ? r : cs_dat_skip(cursor, size);
}

int cs_dat_read_v6(struct cs_dat_cursor *cursor)
{
	struct cs_dat_loader *loader = cursor->loader;
	uint32_t cpus, nested;
	int r;

	r = cs_dat_read_header_info(cursor);
	if (!r)
		r = cs_dat_read_ftrace_formats(cursor);
	if (!r)
		r = cs_dat_read_event_formats(cursor);
	if (!r)
		r = skip_sized(cursor, "kallsyms", false);
	if (!r)
		r = skip_sized(cursor, "the printk formats", false);
	if (!r)
		r = skip_sized(cursor, "the saved command lines", true);
	if (r < 0)
		return r;
	cursor->section = "the number of CPUs";
	r = cs_dat_take32(cursor, &cpus);
	if (!r)
		r = read_table_v6(cursor, "", cpus);
	if (r < 0)
		return r;
	loader->dat->cpus = loader->cpu_count ? loader->cpu_count : cpus;
	if (loader->clock_at_end) {
		r = read_clock_v6(cursor);
		if (r < 0)
			return r;
	}

	nested = loader->instances_count;
	for (uint32_t i = 0; !r && i < nested; i++) {
		struct cs_dat_cursor inner;

		cs_dat_cursor_file(&inner, loader, loader->instances[i].offset,
				   "a buffer");
		r = read_table_v6(&inner, loader->instances[i].name, cpus);
		cs_dat_cursor_close(&inner);
	}
	return r;
}

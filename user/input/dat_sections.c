/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sections that are the same in both versions of trace.dat: the page header and the
 * formats of events.
 */
#include "user/input/dat_load.h"

int cs_dat_read_header_info(struct cs_dat_cursor *cursor)
{
	struct cs_format *format = cursor->loader->dat->format;
	const uint8_t *bytes;
	uint64_t size;
	int r;

	cursor->section = "the page header's format";
	r = cs_dat_take(cursor, 12, &bytes);
	if (r < 0)
		return r;
	if (memcmp(bytes, "header_page", 12))
		return cs_dat_damaged(cursor, "no header_page");
	r = cs_dat_take64(cursor, &size);
	if (!r)
		r = cs_dat_take(cursor, size, &bytes);
	if (r < 0)
		return r;
	if (cs_page_layout_parse(&format->layout, (const char *)bytes, size) < 0)
		return cs_dat_damaged(cursor, "a header_page that makes no sense");

	cursor->section = "the event header's format";
	r = cs_dat_take(cursor, 13, &bytes);
	if (r < 0)
		return r;
	if (memcmp(bytes, "header_event", 13))
		return cs_dat_damaged(cursor, "no header_event");
	r = cs_dat_take64(cursor, &size);
	return r < 0 ? r : cs_dat_skip(cursor, size);
}

/* Enough to see "name: sched_switch". */
#define NAME_PEEK 80

static int read_format(struct cs_dat_cursor *cursor, const char *system)
{
	static const char key[] = "name: ";
	struct cs_dat_loader *loader = cursor->loader;
	const uint8_t *bytes;
	const char *end;
	struct cs_error why;
	uint64_t size, peek;
	int r = cs_dat_take64(cursor, &size);

	if (r < 0)
		return r;
	peek = size < NAME_PEEK ? size : NAME_PEEK;
	r = cs_dat_take(cursor, peek, &bytes);
	if (r < 0)
		return r;
	end = memchr(bytes, '\n', peek);
	if (!end || peek < sizeof(key) || memcmp(bytes, key, sizeof(key) - 1) ||
	    !cs_format_wants(system, (const char *)bytes + sizeof(key) - 1,
			     end - (const char *)bytes - (sizeof(key) - 1)))
		return cs_dat_skip(cursor, size - peek);

	cursor->at -= peek;
	r = cs_dat_take(cursor, size, &bytes);
	if (r < 0)
		return r;
	r = cs_format_add(loader->dat->format, system, (const char *)bytes, size,
			  loader->notes, &why);
	return r < 0 ? cs_dat_fail(loader, r, "%s", why.text) : 0;
}

int cs_dat_read_ftrace_formats(struct cs_dat_cursor *cursor)
{
	uint32_t count;
	int r;

	cursor->section = "the ftrace event formats";
	r = cs_dat_take32(cursor, &count);
	for (uint32_t i = 0; !r && i < count; i++)
		r = read_format(cursor, "ftrace");
	return r;
}

int cs_dat_read_event_formats(struct cs_dat_cursor *cursor)
{
	uint32_t systems, events;
	char system[256];
	int r;

	cursor->section = "the event formats";
	r = cs_dat_take32(cursor, &systems);
	for (uint32_t i = 0; !r && i < systems; i++) {
		r = cs_dat_take_string(cursor, system, sizeof(system));
		if (!r)
			r = cs_dat_take32(cursor, &events);
		for (uint32_t j = 0; !r && j < events; j++)
			r = read_format(cursor, system);
	}
	return r;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files that read the metadata of a trace.dat share: a cursor over its bytes,
 * the sections and options of both versions, and the table of buffers.
 */
#ifndef CS_USER_INPUT_DAT_LOAD_H
#define CS_USER_INPUT_DAT_LOAD_H

#include "user/input/dat.h"

/* Options, and sections of version 7 (trace-cmd.dat.v7(5)). */
enum {
	CS_DAT_OPTION_DONE = 0,
	CS_DAT_OPTION_CPUSTAT = 2,
	CS_DAT_OPTION_BUFFER = 3,
	CS_DAT_OPTION_TRACECLOCK = 4,
	CS_DAT_OPTION_UNAME = 5,
	CS_DAT_OPTION_CPUCOUNT = 8,
	CS_DAT_OPTION_TSC2NSEC = 14,
	CS_DAT_OPTION_HEADER_INFO = 16,
	CS_DAT_OPTION_FTRACE_EVENTS = 17,
	CS_DAT_OPTION_EVENT_FORMATS = 18,
	CS_DAT_SECTION_OPTIONS = 0,
};

/* Instances of one trace. */
#define CS_DAT_BUFFERS_MAX 1024

/* Losses that options tell, until all buffers are known. */
struct cs_dat_loss {
	char *buffer;
	int32_t cpu;
	uint64_t dropped;
};

/* A BUFFER option of version 6, to be followed when the options are through. */
struct cs_dat_instance {
	char *name;
	uint64_t offset;
};

/**
 * struct cs_dat_loader - all that lives while the metadata is read
 * @dat: the result
 * @notes: gets what a person must know
 * @error: gets why it failed
 * @losses: @losses_count of them
 * @stat_buffer: the buffer that the next CPUSTAT options belong to, or NULL
 * @instances: @instances_count of them
 * @cpu_count: of the CPUCOUNT option, or 0
 * @clock_at_end: version 6: the clock's text stands behind the table of CPUs
 * @header_info: version 7: offset of this section, or 0
 * @ftrace_events: the same
 * @event_formats: the same
 * @sections: version 7: sections of options so far
 */
struct cs_dat_loader {
	struct cs_dat *dat;
	struct cs_notes *notes;
	struct cs_error *error;
	struct cs_dat_loss *losses;
	uint32_t losses_count;
	char *stat_buffer;
	struct cs_dat_instance *instances;
	uint32_t instances_count;
	uint32_t cpu_count;
	bool clock_at_end;
	uint64_t header_info;
	uint64_t ftrace_events;
	uint64_t event_formats;
	unsigned int sections;
};

/* ---- dat_cursor.c ----------------------------------------------------------------- */

/**
 * struct cs_dat_cursor - a place to read from: a part of the file, or memory
 * @loader: what it reads for
 * @section: what is there, for messages: "the options"
 * @memory: a window of the file; else the bytes themselves
 * @room: bytes of the window
 * @in_file: it is the file
 * @window_at: what the window shows begins there
 * @window_size: and has so many bytes
 * @at: the next byte, from the begin of the file or the memory
 * @end: behind the last one
 */
struct cs_dat_cursor {
	struct cs_dat_loader *loader;
	const char *section;
	uint8_t *memory;
	size_t room;
	bool in_file;
	uint64_t window_at;
	size_t window_size;
	uint64_t at;
	uint64_t end;
};

/** cs_dat_cursor_file - a cursor over the file from @offset on; to be closed. */
void cs_dat_cursor_file(struct cs_dat_cursor *cursor, struct cs_dat_loader *loader,
			uint64_t offset, const char *section);

/** cs_dat_cursor_close - free its memory. */
void cs_dat_cursor_close(struct cs_dat_cursor *cursor);

/*
 * Take what is next; 0 or -errno with the error set. Bytes live until the next call; a
 * string is copied with its NUL and has to fit.
 */
int cs_dat_take(struct cs_dat_cursor *cursor, uint64_t size, const uint8_t **bytes);
int cs_dat_take16(struct cs_dat_cursor *cursor, uint16_t *value);
int cs_dat_take32(struct cs_dat_cursor *cursor, uint32_t *value);
int cs_dat_take64(struct cs_dat_cursor *cursor, uint64_t *value);
int cs_dat_take_string(struct cs_dat_cursor *cursor, char *text, size_t size);
int cs_dat_skip(struct cs_dat_cursor *cursor, uint64_t size);

/* Set the error and return its code: why, and where a cursor stands. */
int cs_dat_fail(const struct cs_dat_loader *loader, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int cs_dat_no_memory(const struct cs_dat_loader *loader);
int cs_dat_damaged(const struct cs_dat_cursor *cursor, const char *what);
int cs_dat_truncated(const struct cs_dat_cursor *cursor);

/* ---- dat_sections.c: each reads the section that the cursor stands before ---------- */

int cs_dat_read_header_info(struct cs_dat_cursor *cursor);
int cs_dat_read_ftrace_formats(struct cs_dat_cursor *cursor);
int cs_dat_read_event_formats(struct cs_dat_cursor *cursor);

/* ---- dat_options.c ---------------------------------------------------------------- */

/** cs_dat_take_option - one option; the version's own way for those that differ. */
int cs_dat_take_option(struct cs_dat_loader *loader, uint16_t option,
		       const uint8_t *bytes, uint32_t size);

/** cs_dat_take_clock - from "[local] global counter" the clock in brackets. */
int cs_dat_take_clock(struct cs_dat_loader *loader, const char *text);

/* ---- dat_buffers.c ---------------------------------------------------------------- */

/** cs_dat_add_buffer - a buffer without CPUs; NULL: no memory. The main one is first. */
struct cs_dat_buffer *cs_dat_add_buffer(struct cs_dat_loader *loader, const char *name);

/** cs_dat_alloc_ranges - room for @count CPUs. */
int cs_dat_alloc_ranges(struct cs_dat_loader *loader, struct cs_dat_buffer *buffer,
			uint32_t count);

/** cs_dat_add_range - the next CPU: where its pages are, as far as the file goes. */
int cs_dat_add_range(struct cs_dat_loader *loader, struct cs_dat_buffer *buffer,
		     uint32_t cpu, uint64_t offset, uint64_t size);

/** cs_dat_find_rests - look for pages that a killed recorder left beside the file. */
int cs_dat_find_rests(struct cs_dat_loader *loader);

/** cs_dat_apply_losses - tell the CPUs what their options said. */
void cs_dat_apply_losses(struct cs_dat_loader *loader);

/* ---- dat_v6.c, dat_v7.c ----------------------------------------------------------- */

/* Everything behind the file's first bytes, where the cursor stands. */
int cs_dat_read_v6(struct cs_dat_cursor *cursor);
int cs_dat_read_v7(struct cs_dat_cursor *cursor);

/* What the BUFFER option holds. */
int cs_dat_take_buffer_v6(struct cs_dat_loader *loader, const uint8_t *bytes,
			  uint32_t size);
int cs_dat_take_buffer_v7(struct cs_dat_loader *loader, const uint8_t *bytes,
			  uint32_t size);

/** cs_dat_swap - whether numbers of the file have to be swapped. */
static inline bool cs_dat_swap(const struct cs_dat_loader *loader)
{
	return loader->dat->format && loader->dat->format->layout.swap;
}

#endif

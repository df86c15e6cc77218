/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The metadata of a trace.dat. Nothing that the file says is believed before it is
 * compared with the file's size.
 */
#include "user/input/dat.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/event.h"

/* Sections of version 7 and options of both (trace-cmd.dat.v7(5)). */
enum {
	OPTION_DONE = 0,
	OPTION_CPUSTAT = 2,
	OPTION_BUFFER = 3,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_CPUCOUNT = 8,
	OPTION_TSC2NSEC = 14,
	OPTION_HEADER_INFO = 16,
	OPTION_FTRACE_EVENTS = 17,
	OPTION_EVENT_FORMATS = 18,
	SECTION_OPTIONS = 0,
	SECTION_BUFFER = 3,
};

#define SECTION_COMPRESSED 1

#define WINDOW (64u << 10)

/* Formats of all events of a large kernel have some 10 MiB. */
#define SECTION_MAX (256u << 20)

/* A block of text that is compressed further than this is no text. */
#define RATIO_MAX 4096

/* More sections of options than any file has; a chain of them can be a ring. */
#define SECTIONS_MAX 1024

/* Instances of one trace. */
#define BUFFERS_MAX 1024

/* Losses that options tell, until all buffers are known. */
struct stat_loss {
	char *buffer;
	int32_t cpu;
	uint64_t dropped;
};

/* A BUFFER option of version 6, to be followed when the options are through. */
struct instance {
	char *name;
	uint64_t offset;
};

/* All that lives while the metadata is read. */
struct loader {
	struct cs_dat *dat;
	struct cs_notes *notes;
	struct cs_error *error;
	struct stat_loss *losses;
	uint32_t losses_count;
	char *stat_buffer; /* the buffer that the next CPUSTAT options belong to */
	struct instance *instances;
	uint32_t instances_count;
	uint32_t cpu_count;   /* of the option, or 0 */
	bool clock_at_end;    /* version 6: the clock's text stands behind the table */
	uint64_t header_info; /* offsets of sections of version 7, or 0 */
	uint64_t ftrace_events;
	uint64_t event_formats;
	unsigned int sections;
};

/* A place to read from: a part of the file, or a section decompressed to memory. */
struct cursor {
	struct loader *loader;
	const char *section;
	uint8_t *memory; /* the section, or a window of the file */
	size_t room;
	bool in_file;
	uint64_t window_at;
	size_t window_size;
	uint64_t at;
	uint64_t end;
};

static bool swap(const struct cursor *cursor)
{
	return cursor->loader->dat->format && cursor->loader->dat->format->layout.swap;
}

__attribute__((format(printf, 3, 4))) static int fail(const struct loader *loader,
						      int code, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return cs_error_set(loader->error, code, "%s: %s", loader->dat->path, text);
}

static int no_memory(const struct loader *loader)
{
	return fail(loader, -ENOMEM, "out of memory");
}

static int damaged(const struct cursor *cursor, const char *what)
{
	return fail(cursor->loader, -EBADMSG, "damaged: %s in %s at offset %" PRIu64,
		    what, cursor->section, cursor->at);
}

static int truncated(const struct cursor *cursor)
{
	return fail(cursor->loader, -EBADMSG, "truncated in %s at offset %" PRIu64,
		    cursor->section, cursor->at);
}

/* Reads as much as there is; 0 at the end. */
static ssize_t read_at(int fd, void *to, size_t size, uint64_t offset)
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

static void cursor_file(struct cursor *cursor, struct loader *loader, uint64_t offset,
			const char *section)
{
	memset(cursor, 0, sizeof(*cursor));
	cursor->loader = loader;
	cursor->section = section;
	cursor->in_file = true;
	cursor->at = offset;
	cursor->end = loader->dat->size;
}

static void cursor_close(struct cursor *cursor)
{
	free(cursor->memory);
	cursor->memory = NULL;
}

/* The next @size bytes; they live until the next call. */
static int take(struct cursor *cursor, uint64_t size, const uint8_t **bytes)
{
	uint64_t want;
	ssize_t got;

	if (cursor->at > cursor->end || size > cursor->end - cursor->at)
		return truncated(cursor);
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
				return no_memory(cursor->loader);
			cursor->memory = more;
			cursor->room = want;
		}
		got = read_at(cursor->loader->dat->fd, cursor->memory, want, cursor->at);
		if (got < 0)
			return fail(cursor->loader, got, "cannot read: %s",
				    strerror(-got));
		cursor->window_at = cursor->at;
		cursor->window_size = got;
		if ((uint64_t)got < size)
			return truncated(cursor);
	}
	*bytes = cursor->memory + (cursor->at - cursor->window_at);
	cursor->at += size;
	return 0;
}

static int skip(struct cursor *cursor, uint64_t size)
{
	if (cursor->at > cursor->end || size > cursor->end - cursor->at)
		return truncated(cursor);
	cursor->at += size;
	return 0;
}

static int take16(struct cursor *cursor, uint16_t *value)
{
	const uint8_t *bytes;
	int r = take(cursor, 2, &bytes);

	if (!r)
		*value = cs_load16(bytes, swap(cursor));
	return r;
}

static int take32(struct cursor *cursor, uint32_t *value)
{
	const uint8_t *bytes;
	int r = take(cursor, 4, &bytes);

	if (!r)
		*value = cs_load32(bytes, swap(cursor));
	return r;
}

static int take64(struct cursor *cursor, uint64_t *value)
{
	const uint8_t *bytes;
	int r = take(cursor, 8, &bytes);

	if (!r)
		*value = cs_load64(bytes, swap(cursor));
	return r;
}

/* A string with its NUL, shorter than @size. */
static int take_string(struct cursor *cursor, char *text, size_t size)
{
	const uint8_t *byte;
	int r;

	for (size_t i = 0; i < size; i++) {
		r = take(cursor, 1, &byte);
		if (r < 0)
			return r;
		text[i] = *byte;
		if (!*byte)
			return 0;
	}
	return damaged(cursor, "a string without end");
}

static char *copy_text(const uint8_t *bytes, size_t size)
{
	return strndup((const char *)bytes, size);
}

/* ---- formats ---------------------------------------------------------------------- */

static int read_header_info(struct cursor *cursor)
{
	struct cs_format *format = cursor->loader->dat->format;
	const uint8_t *bytes;
	uint64_t size;
	int r;

	cursor->section = "the page header's format";
	r = take(cursor, 12, &bytes);
	if (r < 0)
		return r;
	if (memcmp(bytes, "header_page", 12))
		return damaged(cursor, "no header_page");
	r = take64(cursor, &size);
	if (!r)
		r = take(cursor, size, &bytes);
	if (r < 0)
		return r;
	if (cs_page_layout_parse(&format->layout, (const char *)bytes, size) < 0)
		return damaged(cursor, "a header_page that makes no sense");

	cursor->section = "the event header's format";
	r = take(cursor, 13, &bytes);
	if (r < 0)
		return r;
	if (memcmp(bytes, "header_event", 13))
		return damaged(cursor, "no header_event");
	r = take64(cursor, &size);
	return r < 0 ? r : skip(cursor, size);
}

/* Enough to see "name: sched_switch". */
#define NAME_PEEK 80

static int read_format(struct cursor *cursor, const char *system)
{
	static const char key[] = "name: ";
	struct loader *loader = cursor->loader;
	const uint8_t *bytes;
	const char *end;
	struct cs_error why;
	uint64_t size, peek;
	int r = take64(cursor, &size);

	if (r < 0)
		return r;
	peek = size < NAME_PEEK ? size : NAME_PEEK;
	r = take(cursor, peek, &bytes);
	if (r < 0)
		return r;
	end = memchr(bytes, '\n', peek);
	if (!end || peek < sizeof(key) || memcmp(bytes, key, sizeof(key) - 1) ||
	    !cs_format_wants(system, (const char *)bytes + sizeof(key) - 1,
			     end - (const char *)bytes - (sizeof(key) - 1)))
		return skip(cursor, size - peek);

	cursor->at -= peek;
	r = take(cursor, size, &bytes);
	if (r < 0)
		return r;
	r = cs_format_add(loader->dat->format, system, (const char *)bytes, size,
			  loader->notes, &why);
	return r < 0 ? fail(loader, r, "%s", why.text) : 0;
}

static int read_ftrace_formats(struct cursor *cursor)
{
	uint32_t count;
	int r;

	cursor->section = "the ftrace event formats";
	r = take32(cursor, &count);
	for (uint32_t i = 0; !r && i < count; i++)
		r = read_format(cursor, "ftrace");
	return r;
}

static int read_event_formats(struct cursor *cursor)
{
	uint32_t systems, events;
	char system[256];
	int r;

	cursor->section = "the event formats";
	r = take32(cursor, &systems);
	for (uint32_t i = 0; !r && i < systems; i++) {
		r = take_string(cursor, system, sizeof(system));
		if (!r)
			r = take32(cursor, &events);
		for (uint32_t j = 0; !r && j < events; j++)
			r = read_format(cursor, system);
	}
	return r;
}

/* ---- options ---------------------------------------------------------------------- */

/* "[local] global counter": the one in brackets is in use. */
static int option_clock(struct loader *loader, const char *text)
{
	const char *from = strchr(text, '['), *to = from ? strchr(from, ']') : NULL;

	if (!to)
		return 0;
	free(loader->dat->clock);
	loader->dat->clock = strndup(from + 1, to - from - 1);
	return loader->dat->clock ? 0 : no_memory(loader);
}

/* "Linux node 6.18.9 x86_64" */
static int option_uname(struct loader *loader, const char *text)
{
	struct cs_dat *dat = loader->dat;
	char release[128], machine[128];

	if (sscanf(text, "%*s %*s %127s %127s", release, machine) != 2)
		return 0;
	free(dat->kernel);
	free(dat->arch);
	dat->kernel = strdup(release);
	dat->arch = strdup(machine);
	return dat->kernel && dat->arch ? 0 : no_memory(loader);
}

/* The text of per_cpu/cpuN/stats; an instance's are behind one "Buffer: NAME". */
static int option_stat(struct loader *loader, const char *text)
{
	const char *at = strstr(text, "Buffer: ");
	struct stat_loss *losses;
	unsigned long long dropped;
	int cpu;

	if (at) {
		at += strlen("Buffer: ");
		free(loader->stat_buffer);
		loader->stat_buffer = strndup(at, strcspn(at, "\n"));
		return loader->stat_buffer ? 0 : no_memory(loader);
	}
	at = strstr(text, "CPU: ");
	if (!at || sscanf(at, "CPU: %d", &cpu) != 1)
		return 0;
	at = strstr(text, "dropped events: ");
	if (!at || sscanf(at, "dropped events: %llu", &dropped) != 1 || !dropped)
		return 0;
	losses = reallocarray(loader->losses, loader->losses_count + 1, sizeof(*losses));
	if (!losses)
		return no_memory(loader);
	loader->losses = losses;
	losses += loader->losses_count;
	losses->buffer = strdup(loader->stat_buffer ? loader->stat_buffer : "");
	if (!losses->buffer)
		return no_memory(loader);
	losses->cpu = cpu;
	losses->dropped = dropped;
	loader->losses_count++;
	return 0;
}

static struct cs_dat_buffer *add_buffer(struct loader *loader, const char *name)
{
	struct cs_dat *dat = loader->dat;
	struct cs_dat_buffer *buffers, *new;

	buffers = reallocarray(dat->buffers, dat->buffers_count + 1, sizeof(*buffers));
	if (!buffers)
		return NULL;
	dat->buffers = buffers;
	new = &buffers[dat->buffers_count];
	/* The main one first, whatever the file's order. */
	if (!*name) {
		memmove(buffers + 1, buffers, dat->buffers_count * sizeof(*buffers));
		new = buffers;
	}
	memset(new, 0, sizeof(*new));
	dat->buffers_count++;
	new->name = strdup(name);
	return new->name ? new : NULL;
}

static int add_range(struct loader *loader, struct cs_dat_buffer *buffer, uint32_t cpu,
		     uint64_t offset, uint64_t size)
{
	struct cs_dat_range *range;
	uint64_t left;

	if (cpu >= CS_CPUS_MAX)
		return fail(loader, -EBADMSG, "damaged: CPU number %u cannot be", cpu);
	for (uint32_t i = 0; i < buffer->count; i++)
		if (buffer->ranges[i].cpu == (int32_t)cpu)
			return fail(loader, -EBADMSG, "damaged: CPU %u has data twice",
				    cpu);
	range = &buffer->ranges[buffer->count++];
	memset(range, 0, sizeof(*range));
	range->cpu = cpu;
	range->offset = offset;
	range->size = size;
	left = offset < loader->dat->size ? loader->dat->size - offset : 0;
	if (size > left) {
		range->size = left;
		range->truncated = true;
	}
	return 0;
}

static int alloc_ranges(struct loader *loader, struct cs_dat_buffer *buffer,
			uint32_t count)
{
	if (count > CS_CPUS_MAX)
		return fail(loader, -EBADMSG, "damaged: %u CPUs cannot be", count);
	buffer->ranges = calloc(count ? count : 1, sizeof(*buffer->ranges));
	return buffer->ranges ? 0 : no_memory(loader);
}

static int option_buffer_v6(struct loader *loader, const uint8_t *bytes, uint32_t size)
{
	struct instance *instances;

	if (size < 9)
		return 0;
	if (loader->instances_count == BUFFERS_MAX)
		return fail(loader, -EBADMSG, "damaged: too many buffers");
	instances = reallocarray(loader->instances, loader->instances_count + 1,
				 sizeof(*instances));
	if (!instances)
		return no_memory(loader);
	loader->instances = instances;
	instances += loader->instances_count;
	instances->offset = cs_load64(bytes, loader->dat->format->layout.swap);
	instances->name = copy_text(bytes + 8, size - 8);
	if (!instances->name)
		return no_memory(loader);
	loader->instances_count++;
	return 0;
}

/* Offset, name, clock, page size, count, and for each CPU number, offset, size. */
static int option_buffer_v7(struct loader *loader, const uint8_t *bytes, uint32_t size)
{
	struct cursor cursor = {.loader = loader,
				.section = "a BUFFER option",
				.memory = (uint8_t *)bytes,
				.end = size};
	struct cs_dat_buffer *buffer;
	char name[256], clock[64];
	uint32_t page_size, count, cpu;
	uint64_t section, offset, length;
	int r;

	r = take64(&cursor, &section);
	if (!r)
		r = take_string(&cursor, name, sizeof(name));
	if (!r)
		r = take_string(&cursor, clock, sizeof(clock));
	if (!r)
		r = take32(&cursor, &page_size);
	if (!r)
		r = take32(&cursor, &count);
	if (r < 0)
		return r;
	if (loader->dat->buffers_count == BUFFERS_MAX)
		return damaged(&cursor, "too many buffers");
	if (count > (cursor.end - cursor.at) / 20)
		return truncated(&cursor);
	buffer = add_buffer(loader, name);
	if (!buffer)
		return no_memory(loader);
	buffer->page_size = page_size;
	buffer->clock = strdup(clock);
	if (!buffer->clock)
		return no_memory(loader);
	r = alloc_ranges(loader, buffer, count);
	for (uint32_t i = 0; !r && i < count; i++) {
		r = take32(&cursor, &cpu);
		if (!r)
			r = take64(&cursor, &offset);
		if (!r)
			r = take64(&cursor, &length);
		if (!r)
			r = add_range(loader, buffer, cpu, offset, length);
	}
	if (r < 0)
		return r;

	/* The section's header tells whether its pages are compressed. */
	cursor_file(&cursor, loader, section, "the header of a buffer's data");
	r = skip(&cursor, 2);
	if (!r) {
		uint16_t flags = 0;

		r = take16(&cursor, &flags);
		buffer->compressed = flags & SECTION_COMPRESSED;
	}
	cursor_close(&cursor);
	if (!r && buffer->compressed && !loader->dat->compress)
		r = fail(loader, -EBADMSG, "damaged: compressed data but no method");
	return r;
}

static int option_text(struct loader *loader, uint16_t option, const uint8_t *bytes,
		       uint32_t size)
{
	char *text = copy_text(bytes, size);
	int r = 0;

	if (!text)
		return no_memory(loader);
	switch (option) {
	case OPTION_CPUSTAT:
		r = option_stat(loader, text);
		break;
	case OPTION_TRACECLOCK:
		/* Version 6 has no text here: it stands behind the table of CPUs. */
		loader->clock_at_end = loader->dat->version < 7;
		r = option_clock(loader, text);
		break;
	case OPTION_UNAME:
		r = option_uname(loader, text);
		break;
	}
	free(text);
	return r;
}

static int read_option(struct loader *loader, uint16_t option, const uint8_t *bytes,
		       uint32_t size)
{
	struct cs_dat *dat = loader->dat;
	bool swapped = dat->format->layout.swap;
	uint64_t offset = size >= 8 ? cs_load64(bytes, swapped) : 0;

	switch (option) {
	case OPTION_CPUSTAT:
	case OPTION_TRACECLOCK:
	case OPTION_UNAME:
		return option_text(loader, option, bytes, size);
	case OPTION_BUFFER:
		return dat->version < 7 ? option_buffer_v6(loader, bytes, size)
					: option_buffer_v7(loader, bytes, size);
	case OPTION_CPUCOUNT:
		if (size >= 4)
			loader->cpu_count = cs_load32(bytes, swapped);
		break;
	case OPTION_TSC2NSEC:
		if (size >= 16) {
			dat->tsc_mult = cs_load32(bytes, swapped);
			dat->tsc_shift = cs_load32(bytes + 4, swapped);
			if (dat->tsc_shift > 63)
				return fail(loader, -EBADMSG,
					    "damaged: the TSC's shift %u cannot be",
					    dat->tsc_shift);
		}
		break;
	case OPTION_HEADER_INFO:
		loader->header_info = offset;
		break;
	case OPTION_FTRACE_EVENTS:
		loader->ftrace_events = offset;
		break;
	case OPTION_EVENT_FORMATS:
		loader->event_formats = offset;
		break;
	}
	return 0;
}

/* ---- version 6 -------------------------------------------------------------------- */

static int read_options_v6(struct cursor *cursor)
{
	const uint8_t *bytes;
	uint16_t option;
	uint32_t size;
	int r;

	cursor->section = "the options";
	for (;;) {
		r = take16(cursor, &option);
		if (r < 0 || option == OPTION_DONE)
			return r;
		r = take32(cursor, &size);
		if (!r)
			r = take(cursor, size, &bytes);
		if (!r)
			r = read_option(cursor->loader, option, bytes, size);
		if (r < 0)
			return r;
	}
}

/* From "options" or "flyrecord" to the end of the table of CPUs. */
static int read_table_v6(struct cursor *cursor, const char *name, uint32_t cpus)
{
	struct loader *loader = cursor->loader;
	struct cs_dat_buffer *buffer;
	const uint8_t *bytes;
	uint64_t offset, size;
	int r;

	cursor->section = "the data's header";
	r = take(cursor, 10, &bytes);
	if (r < 0)
		return r;
	if (!memcmp(bytes, "options  ", 10)) {
		r = read_options_v6(cursor);
		if (r < 0)
			return r;
		cursor->section = "the data's header";
		r = take(cursor, 10, &bytes);
		if (r < 0)
			return r;
	}
	if (!memcmp(bytes, "latency  ", 10))
		return fail(loader, -ENODATA,
			    "holds the text of a latency tracer, no events; "
			    "record with: ctxsw record");
	if (memcmp(bytes, "flyrecord", 10))
		return damaged(cursor, "neither options nor data");

	/* The option overrides the number before it (trace-input.c, handle_options()). */
	if (loader->cpu_count)
		cpus = loader->cpu_count;
	cursor->section = "the table of CPUs";
	buffer = add_buffer(loader, name);
	if (!buffer)
		return no_memory(loader);
	buffer->page_size = loader->dat->page_size;
	r = alloc_ranges(loader, buffer, cpus);
	for (uint32_t i = 0; !r && i < cpus; i++) {
		r = take64(cursor, &offset);
		if (!r)
			r = take64(cursor, &size);
		if (!r)
			r = add_range(loader, buffer, i, offset, size);
	}
	return r;
}

static int read_clock_v6(struct cursor *cursor)
{
	const uint8_t *bytes;
	uint64_t size;
	char *text;
	int r;

	cursor->section = "the trace clock";
	r = take64(cursor, &size);
	/* Old files have something else here; the clock is then not known. */
	if (r < 0 || size > 4096 || take(cursor, size, &bytes) < 0)
		return 0;
	text = copy_text(bytes, size);
	if (!text)
		return no_memory(cursor->loader);
	r = option_clock(cursor->loader, text);
	free(text);
	return r;
}

static int skip_sized(struct cursor *cursor, const char *section, bool wide)
{
	uint64_t size = 0;
	uint32_t narrow = 0;
	int r;

	cursor->section = section;
	if (wide) {
		r = take64(cursor, &size);
	} else {
		r = take32(cursor, &narrow);
		size = narrow;
	}
	return r < 0 ? r : skip(cursor, size);
}

static int read_v6(struct cursor *cursor)
{
	struct loader *loader = cursor->loader;
	uint32_t cpus, nested;
	int r;

	r = read_header_info(cursor);
	if (!r)
		r = read_ftrace_formats(cursor);
	if (!r)
		r = read_event_formats(cursor);
	if (!r)
		r = skip_sized(cursor, "kallsyms", false);
	if (!r)
		r = skip_sized(cursor, "the printk formats", false);
	if (!r)
		r = skip_sized(cursor, "the saved command lines", true);
	if (r < 0)
		return r;
	cursor->section = "the number of CPUs";
	r = take32(cursor, &cpus);
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
		struct cursor inner;

		cursor_file(&inner, loader, loader->instances[i].offset, "a buffer");
		r = read_table_v6(&inner, loader->instances[i].name, cpus);
		cursor_close(&inner);
	}
	return r;
}

/* ---- version 7 -------------------------------------------------------------------- */

/* Opens the section at @offset: behind its header, decompressed where it has to be. */
static int open_section(struct cursor *cursor, struct loader *loader, uint64_t offset,
			uint16_t want, const char *name)
{
	const uint8_t *bytes;
	uint16_t id = 0, flags = 0;
	uint32_t packed = 0, plain = 0;
	uint64_t size = 0;
	uint8_t *memory;
	int r;

	cursor_file(cursor, loader, offset, name);
	r = take16(cursor, &id);
	if (!r)
		r = take16(cursor, &flags);
	if (!r)
		r = skip(cursor, 4);
	if (!r)
		r = take64(cursor, &size);
	if (r < 0)
		return r;
	if (id != want)
		return damaged(cursor, "another section");
	if (!(flags & SECTION_COMPRESSED)) {
		if (size < cursor->end - cursor->at)
			cursor->end = cursor->at + size;
		return 0;
	}

	if (!loader->dat->compress)
		return damaged(cursor, "compressed data but no method");
	r = take32(cursor, &packed);
	if (!r)
		r = take32(cursor, &plain);
	if (!r)
		r = take(cursor, packed, &bytes);
	if (r < 0)
		return r;
	if (plain > SECTION_MAX || plain / RATIO_MAX > packed)
		return damaged(cursor, "a section too large to believe");
	memory = malloc(plain ? plain : 1);
	if (!memory)
		return no_memory(loader);
	r = cs_compress_block(loader->dat->compress, bytes, packed, memory, plain);
	if (r < 0) {
		free(memory);
		return damaged(cursor, "a block that cannot be decompressed");
	}
	cursor_close(cursor);
	cursor->in_file = false;
	cursor->memory = memory;
	cursor->at = 0;
	cursor->end = plain;
	return 0;
}

static int read_section(struct loader *loader, uint64_t offset, uint16_t id,
			const char *name, int (*read)(struct cursor *cursor))
{
	struct cursor cursor;
	int r = open_section(&cursor, loader, offset, id, name);

	if (!r)
		r = read(&cursor);
	cursor_close(&cursor);
	return r;
}

/* One section of options; *@next is the offset of the next one, 0: none. */
static int read_options_v7(struct cursor *cursor, uint64_t *next)
{
	const uint8_t *bytes;
	uint16_t option;
	uint32_t size;
	int r;

	*next = 0;
	for (;;) {
		r = take16(cursor, &option);
		if (!r)
			r = take32(cursor, &size);
		if (!r)
			r = take(cursor, size, &bytes);
		if (r < 0)
			return r;
		if (option == OPTION_DONE) {
			if (size >= 8)
				*next = cs_load64(bytes, swap(cursor));
			return 0;
		}
		r = read_option(cursor->loader, option, bytes, size);
		if (r < 0)
			return r;
	}
}

static int read_v7(struct cursor *first)
{
	struct loader *loader = first->loader;
	struct cs_dat *dat = loader->dat;
	char method[32], version[64];
	uint64_t offset;
	int r;

	r = take_string(first, method, sizeof(method));
	if (!r)
		r = take_string(first, version, sizeof(version));
	if (!r)
		r = take64(first, &offset);
	if (r < 0)
		return r;
	if (strcmp(method, "none")) {
		dat->compress = cs_compress_new(method);
		if (!dat->compress && errno == ENOTSUP)
			return fail(loader, -EBADMSG,
				    "compressed with %s, which is not known; "
				    "only zstd and zlib are",
				    method);
		if (!dat->compress)
			return no_memory(loader);
	}

	while (offset) {
		struct cursor cursor;

		if (++loader->sections > SECTIONS_MAX)
			return fail(loader, -EBADMSG, "damaged: its options have no end");
		r = open_section(&cursor, loader, offset, SECTION_OPTIONS, "the options");
		if (!r)
			r = read_options_v7(&cursor, &offset);
		cursor_close(&cursor);
		if (r < 0)
			return r;
	}
	if (!loader->header_info)
		return fail(loader, -EBADMSG, "damaged: it has no page header's format");
	r = read_section(loader, loader->header_info, OPTION_HEADER_INFO,
			 "the page header's format", read_header_info);
	if (!r && loader->ftrace_events)
		r = read_section(loader, loader->ftrace_events, OPTION_FTRACE_EVENTS,
				 "the ftrace event formats", read_ftrace_formats);
	if (!r && loader->event_formats)
		r = read_section(loader, loader->event_formats, OPTION_EVENT_FORMATS,
				 "the event formats", read_event_formats);
	if (r < 0)
		return r;
	if (!dat->buffers_count)
		return fail(loader, -ENODATA,
			    "has no trace data; was the recording broken off?");
	dat->cpus = loader->cpu_count;
	for (uint32_t i = 0; !dat->cpus && i < dat->buffers_count; i++)
		dat->cpus = dat->buffers[i].count;
	if (!dat->clock && dat->buffers[0].clock && *dat->buffers[0].clock) {
		dat->clock = strdup(dat->buffers[0].clock);
		if (!dat->clock)
			return no_memory(loader);
	}
	return 0;
}

/* ---- all of it -------------------------------------------------------------------- */

/* A recorder that was killed leaves FILE with an empty table, and FILE.cpu0, ... */
static int find_unfinished(struct loader *loader)
{
	struct cs_dat *dat = loader->dat;
	struct cs_dat_buffer *buffer;

	if (dat->version > 6 || dat->buffers_count != 1)
		return 0;
	buffer = &dat->buffers[0];
	for (uint32_t i = 0; i < buffer->count; i++)
		if (buffer->ranges[i].size || buffer->ranges[i].truncated)
			return 0;
	for (uint32_t i = 0; i < buffer->count; i++) {
		struct cs_dat_range *range = &buffer->ranges[i];
		struct stat status;
		char *path;

		if (asprintf(&path, "%s.cpu%d", dat->path, range->cpu) < 0)
			return no_memory(loader);
		if (stat(path, &status) < 0 || !S_ISREG(status.st_mode) ||
		    !status.st_size) {
			free(path);
			continue;
		}
		range->path = path;
		range->offset = 0;
		range->size = status.st_size;
		dat->unfinished = true;
	}
	if (dat->unfinished)
		cs_notes_add(
			loader->notes,
			"the recording was not finished; what it had saved so far is read");
	return 0;
}

static void apply_losses(struct loader *loader)
{
	struct cs_dat *dat = loader->dat;

	for (uint32_t i = 0; i < loader->losses_count; i++) {
		const struct stat_loss *loss = &loader->losses[i];

		for (uint32_t b = 0; b < dat->buffers_count; b++) {
			struct cs_dat_buffer *buffer = &dat->buffers[b];

			if (strcmp(buffer->name, loss->buffer))
				continue;
			for (uint32_t c = 0; c < buffer->count; c++)
				if (buffer->ranges[c].cpu == loss->cpu)
					buffer->ranges[c].dropped = loss->dropped;
		}
	}
}

static int check(struct loader *loader)
{
	struct cs_dat *dat = loader->dat;

	if (dat->format->switch_id < 0)
		return fail(loader, -ENODATA,
			    "has no sched events; record with: ctxsw record, or "
			    "trace-cmd record -e sched");
	/* Not the size in header_page: that is of the kernel's main buffer. */
	for (uint32_t i = 0; i < dat->buffers_count; i++) {
		uint32_t size = dat->buffers[i].page_size;

		if (size < CS_PAGE_SIZE_MIN || size > CS_PAGE_SIZE_MAX || size % 4)
			return fail(loader, -EBADMSG,
				    "damaged: pages of %u bytes cannot be", size);
	}
	if (dat->clock && !strcmp(dat->clock, "counter"))
		cs_notes_add(loader->notes,
			     "the trace clock counts events: times are no times");
	if (dat->clock && !strcmp(dat->clock, "x86-tsc") && !dat->tsc_mult)
		cs_notes_add(loader->notes,
			     "times are ticks of the TSC, not ns: the file does "
			     "not tell its speed");
	return 0;
}

static int read_begin(struct cursor *cursor)
{
	struct loader *loader = cursor->loader;
	struct cs_dat *dat = loader->dat;
	const uint8_t *bytes;
	char version[16], *end;
	int r;

	cursor->section = "the file header";
	r = take(cursor, CS_DAT_MAGIC_SIZE, &bytes);
	if (r < 0)
		return r;
	if (memcmp(bytes, CS_DAT_MAGIC, CS_DAT_MAGIC_SIZE))
		return fail(loader, -EBADMSG, "is no trace.dat");
	r = take_string(cursor, version, sizeof(version));
	if (r < 0)
		return r;
	dat->version = strtoul(version, &end, 10);
	if (*end || (dat->version != 6 && dat->version != 7))
		return fail(loader, -EBADMSG,
			    "trace.dat version %s is not known; only 6 and 7 are",
			    version);
	r = take(cursor, 2, &bytes);
	if (r < 0)
		return r;
	if (bytes[0] > 1)
		return damaged(cursor, "an unknown byte order");
	dat->format = cs_format_new(bytes[0]);
	if (!dat->format)
		return no_memory(loader);
	r = take32(cursor, &dat->page_size);
	if (r < 0)
		return r;
	return dat->version == 6 ? read_v6(cursor) : read_v7(cursor);
}

static int load(struct loader *loader)
{
	struct cursor cursor;
	int r;

	cursor_file(&cursor, loader, 0, "the file header");
	r = read_begin(&cursor);
	cursor_close(&cursor);
	if (!r)
		r = find_unfinished(loader);
	if (!r)
		r = check(loader);
	if (!r)
		apply_losses(loader);
	return r;
}

int cs_dat_open(struct cs_dat *dat, const char *path, struct cs_notes *notes,
		struct cs_error *error)
{
	struct loader loader = {.dat = dat, .notes = notes, .error = error};
	struct stat status;
	int r;

	memset(dat, 0, sizeof(*dat));
	dat->fd = -1;
	dat->path = strdup(path);
	if (!dat->path)
		return cs_error_set(error, -ENOMEM, "%s: out of memory", path);
	dat->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (dat->fd < 0 || fstat(dat->fd, &status) < 0) {
		r = -errno;
		return fail(&loader, r, "%s", strerror(-r));
	}
	dat->size = status.st_size;
	r = load(&loader);

	for (uint32_t i = 0; i < loader.losses_count; i++)
		free(loader.losses[i].buffer);
	for (uint32_t i = 0; i < loader.instances_count; i++)
		free(loader.instances[i].name);
	free(loader.losses);
	free(loader.instances);
	free(loader.stat_buffer);
	return r;
}

void cs_dat_close(struct cs_dat *dat)
{
	for (uint32_t i = 0; i < dat->buffers_count; i++) {
		for (uint32_t c = 0; c < dat->buffers[i].count; c++)
			free(dat->buffers[i].ranges[c].path);
		free(dat->buffers[i].ranges);
		free(dat->buffers[i].name);
		free(dat->buffers[i].clock);
	}
	free(dat->buffers);
	free(dat->packed);
	free(dat->clock);
	free(dat->kernel);
	free(dat->arch);
	cs_compress_free(dat->compress);
	cs_format_free(dat->format);
	if (dat->fd >= 0)
		close(dat->fd);
	free(dat->path);
	memset(dat, 0, sizeof(*dat));
	dat->fd = -1;
}

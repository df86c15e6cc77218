/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes the metadata of a trace.dat of version 6: formats, symbols, names of
 * tasks, options. Layout: man trace-cmd.dat.v6.5.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <tracefs.h>
#include <unistd.h>

#include "user/record/dat_file.h"
#include "user/record/dat_layout.h"
#include "user/record/io.h"

static void put16(FILE *out, uint16_t value)
{
	fwrite(&value, sizeof(value), 1, out);
}

static void put32(FILE *out, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, out);
}

static void put64(FILE *out, uint64_t value)
{
	fwrite(&value, sizeof(value), 1, out);
}

static void put_string(FILE *out, const char *text)
{
	fwrite(text, strlen(text) + 1, 1, out);
}

static int fail(struct cs_error *error, int code, const char *what)
{
	return cs_error_set(error, code, "%s: %s", what, strerror(-code));
}

/* A file of tracefs, its size first. */
static int put_file(FILE *out, const char *name, int size_bytes, bool optional,
		    struct cs_error *error)
{
	char *path = tracefs_get_tracing_file(name);
	char *data = NULL;
	size_t size = 0;
	int code = path ? cs_io_read(path, &data, &size) : -ENOMEM;

	tracefs_put_tracing_file(path);
	if (code && !optional)
		return fail(error, code, name);
	if (size_bytes == 8)
		put64(out, size);
	else
		put32(out, (uint32_t)size);
	if (size)
		fwrite(data, size, 1, out);
	free(data);
	return 0;
}

static bool has_format(const char *system, const char *event)
{
	return tracefs_event_file_exists(NULL, system, event, "format");
}

/* The events of one system, their number first. */
static int put_system(FILE *out, const char *system, struct cs_error *error)
{
	char **events = tracefs_system_events(NULL, system);
	uint32_t count = 0;
	int code = 0;

	if (!events)
		return cs_error_set(error, -ENOENT, "events/%s: no such events", system);
	for (char **event = events; *event; event++)
		count += has_format(system, *event);
	put32(out, count);
	for (char **event = events; *event && !code; event++) {
		char name[512];

		if (!has_format(system, *event))
			continue;
		snprintf(name, sizeof(name), "events/%s/%s/format", system, *event);
		code = put_file(out, name, 8, false, error);
	}
	tracefs_list_free(events);
	return code;
}

static int put_symbols(FILE *out, bool wanted, struct cs_error *error)
{
	char *data = NULL;
	size_t size = 0;
	int code = wanted ? cs_io_read("/proc/kallsyms", &data, &size) : 0;

	/* without them addresses stay numbers, which is no reason to fail */
	if (code == -ENOMEM)
		return fail(error, code, "/proc/kallsyms");
	put32(out, (uint32_t)size);
	if (size)
		fwrite(data, size, 1, out);
	free(data);
	return 0;
}

static int put_head(FILE *out, const struct cs_dat_head *head, struct cs_error *error)
{
	int code;

	fwrite(CS_DAT_MAGIC, CS_DAT_MAGIC_SIZE, 1, out);
	put_string(out, "6");
	fputc(__BYTE_ORDER == __BIG_ENDIAN, out);
	fputc(sizeof(long), out);
	put32(out, head->page_size);

	put_string(out, "header_page");
	code = put_file(out, "events/header_page", 8, false, error);
	if (code)
		return code;
	put_string(out, "header_event");
	code = put_file(out, "events/header_event", 8, false, error);
	if (code)
		return code;
	code = put_system(out, "ftrace", error);
	if (code)
		return code;
	put32(out, (uint32_t)head->count);
	for (size_t i = 0; i < head->count; i++) {
		put_string(out, head->systems[i]);
		code = put_system(out, head->systems[i], error);
		if (code)
			return code;
	}
	code = put_symbols(out, head->symbols, error);
	return code ? code : put_file(out, "printk_formats", 4, true, error);
}

int cs_dat_head_write(int fd, const struct cs_dat_head *head, uint64_t *tail,
		      struct cs_error *error)
{
	char *data = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&data, &size);
	int code;

	if (!out)
		return fail(error, -errno, head->name);
	code = put_head(out, head, error);
	if (fclose(out) && !code)
		code = fail(error, -ENOMEM, head->name);
	if (!code) {
		code = cs_io_pwrite(fd, data, size, 0);
		if (code)
			fail(error, code, head->name);
	}
	free(data);
	*tail = size;
	return code;
}

static void put_option(FILE *out, enum cs_dat_option option, const void *data,
		       size_t size)
{
	put16(out, (uint16_t)option);
	put32(out, (uint32_t)size);
	fwrite(data, size, 1, out);
}

static void put_text_option(FILE *out, enum cs_dat_option option, const char *text)
{
	put_option(out, option, text, strlen(text) + 1);
}

static void put_options(FILE *out, const struct cs_dat_tail *tail)
{
	char system[sizeof(struct utsname)];
	struct utsname name;

	if (tail->stats)
		for (uint32_t cpu = 0; cpu < tail->cpus; cpu++)
			if (tail->stats[cpu])
				put_text_option(out, CS_DAT_OPTION_CPUSTAT,
						tail->stats[cpu]);
	put_text_option(out, CS_DAT_OPTION_TRACECLOCK, tail->clocks);
	if (!uname(&name)) {
		snprintf(system, sizeof(system), "%s %s %s %s", name.sysname,
			 name.nodename, name.release, name.machine);
		put_text_option(out, CS_DAT_OPTION_UNAME, system);
	}
	put_text_option(out, CS_DAT_OPTION_VERSION, CS_DAT_OURS CTXSW_VERSION);
	put_option(out, CS_DAT_OPTION_CPUCOUNT, &tail->cpus, sizeof(tail->cpus));
	put16(out, CS_DAT_OPTION_DONE);
}

static void put_tail(FILE *out, const struct cs_dat_tail *tail)
{
	put64(out, tail->cmdlines_size);
	if (tail->cmdlines_size)
		fwrite(tail->cmdlines, tail->cmdlines_size, 1, out);
	put32(out, tail->cpus);
	fwrite(CS_DAT_OPTIONS, CS_DAT_WORD, 1, out);
	put_options(out, tail);
	fwrite(CS_DAT_FLYRECORD, CS_DAT_WORD, 1, out);
	for (uint32_t cpu = 0; cpu < 2 * tail->cpus; cpu++)
		put64(out, 0);
	/*
	 * With a TRACECLOCK option readers expect the clock once more behind
	 * the table (trace-cmd's trace-input.c, init_data_v6()).
	 */
	put64(out, strlen(tail->clock) + 2);
	fprintf(out, "[%s]", tail->clock);
}

int cs_dat_tail_write(int fd, uint64_t offset, const struct cs_dat_tail *tail,
		      struct cs_error *error)
{
	struct stat file;
	char *before = NULL;
	char *data = NULL;
	size_t size = 0;
	size_t old = 0;
	FILE *out = open_memstream(&data, &size);
	int code = out && !fstat(fd, &file) ? 0 : -errno;

	if (!code && (uint64_t)file.st_size > offset) {
		old = (size_t)((uint64_t)file.st_size - offset);
		before = malloc(old);
		code = before ? cs_io_pread(fd, before, old, offset) : -ENOMEM;
	}
	if (out) {
		put_tail(out, tail);
		if (fclose(out) && !code)
			code = -ENOMEM;
	}
	if (!code) {
		code = cs_io_pwrite(fd, data, size, offset);
		if (!code && ftruncate(fd, (off_t)(offset + size)))
			code = -errno;
		/* no room: what was there before has its place on the disk */
		if (code && old && !cs_io_pwrite(fd, before, old, offset))
			(void)!ftruncate(fd, (off_t)(offset + old));
	}
	free(before);
	free(data);
	cs_dat_reserve(fd);
	return code ? fail(error, code, tail->name) : 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes pages and trace.dat files for tests. Written from the manual pages of the
 * formats, not from the reader, so that the two can disagree.
 */
#include "tests/support/dat_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static void *must(void *memory)
{
	if (!memory) {
		perror("dat_make");
		abort();
	}
	return memory;
}

/* ---- formats ---------------------------------------------------------------------- */

static void add_format(struct make_formats *formats, const char *name)
{
	struct make_format *format;
	const char *slash = strchr(name, '/');

	formats->list =
		must(realloc(formats->list, (formats->count + 1) * sizeof(*format)));
	format = &formats->list[formats->count++];
	format->system = slash ? must(strndup(name, slash - name)) : NULL;
	format->name = must(strdup(slash ? slash + 1 : name));
	format->text = must(strdup(""));
}

void make_formats_load(struct make_formats *formats, const char *kernel)
{
	char path[256], *line = NULL;
	size_t room = 0;
	ssize_t length;
	FILE *file;

	memset(formats, 0, sizeof(*formats));
	snprintf(path, sizeof(path), "tests/data/formats/%s", kernel);
	file = must(fopen(path, "r"));
	while ((length = getline(&line, &room, file)) > 0) {
		struct make_format *format;
		size_t used;

		if (!strncmp(line, "== ", 3)) {
			line[length - 1] = '\0';
			add_format(formats, line + 3);
		} else if (formats->count) {
			format = &formats->list[formats->count - 1];
			used = strlen(format->text);
			format->text = must(realloc(format->text, used + length + 1));
			memcpy(format->text + used, line, length + 1);
		}
	}
	free(line);
	fclose(file);
}

void make_formats_free(struct make_formats *formats)
{
	for (unsigned int i = 0; i < formats->count; i++) {
		free(formats->list[i].system);
		free(formats->list[i].name);
		free(formats->list[i].text);
	}
	free(formats->list);
	memset(formats, 0, sizeof(*formats));
}

struct make_format *make_formats_find(const struct make_formats *formats,
				      const char *name)
{
	for (unsigned int i = 0; i < formats->count; i++)
		if (!strcmp(formats->list[i].name, name))
			return &formats->list[i];
	return NULL;
}

/* ---- numbers ---------------------------------------------------------------------- */

static void put(void *to, uint64_t value, unsigned int size, bool big)
{
	uint8_t *bytes = to;

	for (unsigned int i = 0; i < size; i++)
		bytes[big ? size - 1 - i : i] = value >> 8 * i;
}

void make_put16(void *to, uint16_t value, bool big)
{
	put(to, value, 2, big);
}

void make_put32(void *to, uint32_t value, bool big)
{
	put(to, value, 4, big);
}

void make_put64(void *to, uint64_t value, bool big)
{
	put(to, value, 8, big);
}

/* ---- pages ------------------------------------------------------------------------ */

void make_page_begin(struct make_page *page, uint32_t size, unsigned int commit_size,
		     bool big, uint64_t ts)
{
	memset(page, 0, sizeof(*page));
	page->bytes = must(calloc(1, size));
	page->size = size;
	page->header = 8 + commit_size;
	page->commit_size = commit_size;
	page->big = big;
	page->ts = ts;
	put(page->bytes, ts, 8, big);
}

void make_page_word(struct make_page *page, uint32_t word)
{
	if (page->header + page->used + 4 > page->size) {
		fprintf(stderr, "dat_make: the page is full\n");
		abort();
	}
	put(page->bytes + page->header + page->used, word, 4, page->big);
	page->used += 4;
}

void make_page_head(struct make_page *page, uint32_t type_len, uint32_t delta)
{
	/* The order of bitfields follows that of bytes. */
	make_page_word(page, page->big ? type_len << 27 | delta : delta << 5 | type_len);
}

void make_page_record(struct make_page *page, uint64_t ts, const void *data,
		      uint32_t length)
{
	uint64_t delta = ts - page->ts;
	uint32_t words = (length + 3) / 4;

	if (delta >> 27) {
		make_page_head(page, 30, delta & 0x7ffffff);
		make_page_word(page, delta >> 27);
		delta = 0;
	}
	if (words && words <= 28) {
		make_page_head(page, words, delta);
	} else {
		make_page_head(page, 0, delta);
		make_page_word(page, words * 4 + 4);
	}
	for (uint32_t i = 0; i < words; i++)
		make_page_word(page, 0);
	memcpy(page->bytes + page->header + page->used - words * 4, data, length);
	page->ts = ts;
}

void make_page_end(struct make_page *page, uint32_t flags, uint64_t lost)
{
	/* RB_MISSED_EVENTS is a negative int, which a 64-bit word extends */
	uint64_t commit = page->used + (uint64_t)(int64_t)(int32_t)flags;

	put(page->bytes + 8, commit, page->commit_size, page->big);
	if (flags >> 30 & 1)
		put(page->bytes + page->header + page->used, lost, page->commit_size,
		    page->big);
}

void make_page_free(struct make_page *page)
{
	free(page->bytes);
	page->bytes = NULL;
}

/* What the records of each kernel in tests/data/formats look like, by hand. */
struct shape {
	const char *kernel;
	uint16_t id;
	uint8_t prev_comm, prev_pid, prev_prio, prev_state, state_size, next_comm,
		next_pid, next_prio, length;
	uint16_t waking_id;
	uint8_t waking_comm, waking_pid, waking_prio, waking_success, waking_cpu,
		waking_length;
};

static const struct shape shapes[] = {
	{"6.1", 319, 8, 24, 28, 32, 8, 40, 56, 60, 64, 322, 8, 24, 28, 0, 32, 36},
	{"6.1-rt", 319, 12, 28, 32, 40, 8, 48, 64, 68, 72, 322, 12, 28, 32, 0, 36, 40},
	{"6.12", 310, 8, 24, 28, 32, 8, 40, 56, 60, 64, 313, 8, 24, 28, 0, 32, 36},
	{"6.18", 372, 8, 24, 28, 32, 8, 40, 56, 60, 64, 375, 8, 24, 28, 0, 32, 36},
	{"4.14", 316, 8, 24, 28, 32, 8, 40, 56, 60, 64, 319, 8, 24, 28, 32, 36, 40},
	{"4.9-arm", 64, 8, 24, 28, 32, 4, 36, 52, 56, 60, 67, 8, 24, 28, 32, 36, 40},
	{"3.10-ppc64", 58, 8, 24, 28, 32, 8, 40, 56, 60, 64, 0, 8, 24, 28, 32, 36, 40},
	{"2.6.32", 50, 8, 24, 28, 32, 8, 40, 56, 60, 64, 0, 8, 24, 28, 32, 36, 40},
};

static const struct shape *shape_of(const char *kernel)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (!strcmp(shapes[i].kernel, kernel))
			return &shapes[i];
	fprintf(stderr, "dat_make: no shape for %s\n", kernel);
	abort();
}

static void common(uint8_t *data, uint16_t id, int32_t pid, bool big)
{
	put(data, id, 2, big);
	data[2] = 1;
	data[3] = 2;
	put(data + 4, (uint32_t)pid, 4, big);
}

uint32_t make_switch(uint8_t *data, const char *kernel, bool big, int32_t prev,
		     uint64_t state, int32_t next)
{
	const struct shape *shape = shape_of(kernel);

	memset(data, 0, shape->length);
	common(data, shape->id, prev, big);
	snprintf((char *)data + shape->prev_comm, 16, "task-%d", prev);
	put(data + shape->prev_pid, (uint32_t)prev, 4, big);
	put(data + shape->prev_prio, 120, 4, big);
	put(data + shape->prev_state, state, shape->state_size, big);
	snprintf((char *)data + shape->next_comm, 16, "task-%d", next);
	put(data + shape->next_pid, (uint32_t)next, 4, big);
	put(data + shape->next_prio, 19, 4, big);
	return shape->length;
}

uint32_t make_waking(uint8_t *data, const char *kernel, bool big, int32_t by, int32_t pid,
		     int32_t cpu)
{
	const struct shape *shape = shape_of(kernel);

	memset(data, 0, shape->waking_length);
	common(data, shape->waking_id, by, big);
	snprintf((char *)data + shape->waking_comm, 16, "task-%d", pid);
	put(data + shape->waking_pid, (uint32_t)pid, 4, big);
	put(data + shape->waking_prio, 98, 4, big);
	if (shape->waking_success)
		put(data + shape->waking_success, 1, 4, big);
	put(data + shape->waking_cpu, (uint32_t)cpu, 4, big);
	return shape->waking_length;
}

/* ---- files ------------------------------------------------------------------------ */

struct out {
	const struct make_dat *dat;
	uint8_t *bytes;
	size_t size;
	size_t room;
};

static size_t add(struct out *out, const void *data, size_t size)
{
	size_t at = out->size;

	if (out->size + size > out->room) {
		out->room = 2 * (out->size + size) + 4096;
		out->bytes = must(realloc(out->bytes, out->room));
	}
	if (data)
		memcpy(out->bytes + at, data, size);
	else
		memset(out->bytes + at, 0, size);
	out->size += size;
	return at;
}

static size_t add_number(struct out *out, uint64_t value, unsigned int size)
{
	size_t at = add(out, NULL, size);

	put(out->bytes + at, value, size, out->dat->big);
	return at;
}

static void set(struct out *out, size_t at, uint64_t value, unsigned int size)
{
	put(out->bytes + at, value, size, out->dat->big);
}

static void align(struct out *out)
{
	while (out->size % out->dat->page_size)
		add(out, NULL, 1);
}

static void add_header_info(struct out *out)
{
	const char *text = make_formats_find(out->dat->formats, "header_page")->text;
	static const char event[] = "# compressed entry header\n";

	add(out, "header_page", 12);
	add_number(out, strlen(text), 8);
	add(out, text, strlen(text));
	add(out, "header_event", 13);
	add_number(out, strlen(event), 8);
	add(out, event, strlen(event));
}

static bool first_of(const struct make_formats *formats, unsigned int i)
{
	for (unsigned int j = 0; j < i; j++)
		if (formats->list[j].system &&
		    !strcmp(formats->list[j].system, formats->list[i].system))
			return false;
	return true;
}

/* All formats of one system, their number before them. */
static void add_system(struct out *out, const char *system)
{
	const struct make_formats *formats = out->dat->formats;
	size_t at = add_number(out, 0, 4);
	uint32_t count = 0;

	for (unsigned int i = 0; i < formats->count; i++) {
		if (!formats->list[i].system || strcmp(formats->list[i].system, system))
			continue;
		add_number(out, strlen(formats->list[i].text), 8);
		add(out, formats->list[i].text, strlen(formats->list[i].text));
		count++;
	}
	set(out, at, count, 4);
}

static void add_systems(struct out *out)
{
	const struct make_formats *formats = out->dat->formats;
	size_t at = add_number(out, 0, 4);
	uint32_t count = 0;

	for (unsigned int i = 0; i < formats->count; i++) {
		const char *system = formats->list[i].system;

		if (!system || !strcmp(system, "ftrace") || !first_of(formats, i))
			continue;
		add(out, system, strlen(system) + 1);
		add_system(out, system);
		count++;
	}
	set(out, at, count, 4);
}

static size_t add_option(struct out *out, uint16_t id, const void *data, uint32_t size)
{
	add_number(out, id, 2);
	add_number(out, size, 4);
	return add(out, data, size);
}

static uint32_t table_size(const struct make_buffer *buffer)
{
	uint32_t size = 0;

	for (unsigned int i = 0; i < buffer->count; i++)
		if (buffer->cpus[i].cpu >= size)
			size = buffer->cpus[i].cpu + 1;
	return size;
}

/* The table of CPUs of version 6, without holes; the offsets are filled later. */
static size_t add_table(struct out *out, uint32_t cpus)
{
	size_t at;

	add(out, "flyrecord", 10);
	at = out->size;
	add(out, NULL, 16 * (size_t)cpus);
	return at;
}

static void add_pages_v6(struct out *out, const struct make_buffer *buffer, size_t table)
{
	for (unsigned int i = 0; i < buffer->count; i++) {
		const struct make_cpu *cpu = &buffer->cpus[i];
		size_t at;

		align(out);
		at = add(out, cpu->pages, cpu->size);
		set(out, table + 16 * cpu->cpu, at, 8);
		set(out, table + 16 * cpu->cpu + 8, cpu->claim ? cpu->claim : cpu->size,
		    8);
	}
}

static void make_v6(struct out *out)
{
	const struct make_dat *dat = out->dat;
	uint32_t cpus = table_size(&dat->buffers[0]);
	size_t tables[16] = {0}, places[16] = {0};

	add_header_info(out);
	add_system(out, "ftrace");
	add_systems(out);
	add_number(out, 4, 4);
	add(out, "abc\n", 4);
	add_number(out, 0, 4);
	add_number(out, 7, 8);
	add(out, "1 init\n", 7);
	add_number(out, cpus, 4);
	if (!dat->no_options) {
		add(out, "options  ", 10);
		for (unsigned int i = 0; i < dat->options_count; i++)
			add_option(out, dat->options[i].id, dat->options[i].data,
				   dat->options[i].size);
		for (unsigned int i = 1; i < dat->buffers_count; i++) {
			const char *name = dat->buffers[i].name;

			places[i] = add_option(out, 3, NULL, 8 + strlen(name) + 1);
			memcpy(out->bytes + places[i] + 8, name, strlen(name));
		}
		if (dat->clock)
			add_option(out, 4, "", 0);
		add_number(out, 0, 2);
	}
	tables[0] = add_table(out, cpus);
	if (dat->clock) {
		add_number(out, strlen(dat->clock), 8);
		add(out, dat->clock, strlen(dat->clock));
	}
	for (unsigned int i = 1; i < dat->buffers_count; i++) {
		set(out, places[i], out->size, 8);
		tables[i] = add_table(out, cpus);
	}
	for (unsigned int i = 0; i < dat->buffers_count; i++)
		add_pages_v6(out, &dat->buffers[i], tables[i]);
}

static size_t compressed(const struct make_dat *dat, const void *from, size_t size,
			 void **to)
{
	if (!strcmp(dat->method, "zstd")) {
		size_t room = ZSTD_compressBound(size);

		*to = must(malloc(room));
		return ZSTD_compress(*to, room, from, size, 3);
	}
	uLongf room = compressBound(size);

	*to = must(malloc(room));
	compress(*to, &room, from, size);
	return room;
}

static bool packs(const struct make_dat *dat)
{
	return strcmp(dat->method, "none");
}

static void add_block(struct out *out, const void *from, size_t size)
{
	void *to;
	size_t packed = compressed(out->dat, from, size, &to);

	add_number(out, packed, 4);
	add_number(out, size, 4);
	add(out, to, packed);
	free(to);
}

/* A section of version 7 out of what @fill adds; its offset is the return. */
static size_t add_section(struct out *out, uint16_t id, void (*fill)(struct out *out))
{
	struct out inner = {.dat = out->dat};
	size_t at = out->size;

	fill(&inner);
	add_number(out, id, 2);
	add_number(out, packs(out->dat), 2);
	add_number(out, 0, 4);
	size_t size_at = add_number(out, 0, 8), begin = out->size;

	if (packs(out->dat))
		add_block(out, inner.bytes, inner.size);
	else
		add(out, inner.bytes, inner.size);
	set(out, size_at, out->size - begin, 8);
	free(inner.bytes);
	return at;
}

static void fill_ftrace(struct out *out)
{
	add_system(out, "ftrace");
}

static void add_chunks(struct out *out, const struct make_cpu *cpu)
{
	size_t chunk = out->dat->chunk ? out->dat->chunk : 10 * out->dat->page_size;
	size_t at = add_number(out, 0, 4);
	uint32_t count = 0;

	for (size_t done = 0; done < cpu->size; done += chunk) {
		size_t size = cpu->size - done < chunk ? cpu->size - done : chunk;

		add_block(out, cpu->pages + done, size);
		count++;
	}
	set(out, at, count, 4);
}

/* The data of one buffer, and the BUFFER option that describes it. */
static void add_buffer_v7(struct out *out, const struct make_buffer *buffer,
			  struct out *option)
{
	size_t section = out->size, size_at;

	add_number(out, 3, 2);
	add_number(out, packs(out->dat), 2);
	add_number(out, 0, 4);
	size_at = add_number(out, 0, 8);

	memset(option, 0, sizeof(*option));
	option->dat = out->dat;
	add_number(option, section, 8);
	add(option, buffer->name, strlen(buffer->name) + 1);
	add(option, "local", 6);
	add_number(option, out->dat->page_size, 4);
	add_number(option, buffer->count, 4);
	for (unsigned int i = 0; i < buffer->count; i++) {
		const struct make_cpu *cpu = &buffer->cpus[i];
		size_t at;

		align(out);
		at = out->size;
		if (!packs(out->dat))
			add(out, cpu->pages, cpu->size);
		else if (cpu->size)
			add_chunks(out, cpu);
		add_number(option, cpu->cpu, 4);
		add_number(option, at, 8);
		add_number(option, cpu->claim ? cpu->claim : out->size - at, 8);
	}
	set(out, size_at, out->size - size_at - 8, 8);
}

static void make_v7(struct out *out)
{
	static const char version[] = "1.0";
	const struct make_dat *dat = out->dat;
	size_t first, header, ftrace, events, section, next, size_at;
	struct out option;
	uint8_t number[8];

	add(out, dat->method, strlen(dat->method) + 1);
	add(out, version, sizeof(version));
	first = add_number(out, 0, 8);
	header = add_section(out, 16, add_header_info);
	ftrace = add_section(out, 17, fill_ftrace);
	events = add_section(out, 18, add_systems);

	/* Two sections of options, the second one reached by the first. */
	struct out buffers = {.dat = dat};

	for (unsigned int i = 0; i < dat->buffers_count; i++) {
		add_buffer_v7(out, &dat->buffers[i], &option);
		add_option(&buffers, 3, option.bytes, option.size);
		free(option.bytes);
	}
	section = out->size;
	set(out, first, section, 8);
	add_number(out, 0, 2);
	add_number(out, 0, 2);
	add_number(out, 0, 4);
	size_at = add_number(out, 0, 8);
	for (unsigned int i = 0; i < dat->options_count; i++)
		add_option(out, dat->options[i].id, dat->options[i].data,
			   dat->options[i].size);
	if (dat->clock)
		add_option(out, 4, dat->clock, strlen(dat->clock) + 1);
	put(number, header, 8, dat->big);
	add_option(out, 16, number, 8);
	put(number, ftrace, 8, dat->big);
	add_option(out, 17, number, 8);
	put(number, events, 8, dat->big);
	add_option(out, 18, number, 8);
	next = add_option(out, 0, NULL, 8);
	set(out, size_at, out->size - size_at - 8, 8);

	set(out, next, out->size, 8);
	add_number(out, 0, 2);
	add_number(out, 0, 2);
	add_number(out, 0, 4);
	size_at = add_number(out, 0, 8);
	add(out, buffers.bytes, buffers.size);
	free(buffers.bytes);
	add_option(out, 0, NULL, 8);
	set(out, size_at, out->size - size_at - 8, 8);
}

uint8_t *make_dat(const struct make_dat *dat, size_t *size)
{
	struct out out = {.dat = dat};
	uint8_t bytes[2] = {dat->big, dat->user_long};

	add(&out, "\x17\x08\x44tracing", 10);
	add(&out, dat->version, strlen(dat->version) + 1);
	add(&out, bytes, 2);
	add_number(&out, dat->page_size, 4);
	if (*dat->version == '7')
		make_v7(&out);
	else
		make_v6(&out);
	*size = out.size;
	return out.bytes;
}

char *make_file(const void *bytes, size_t size)
{
	char *path = must(strdup("/tmp/ctxsw-test-XXXXXX"));
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) {
		perror(path);
		abort();
	}
	close(fd);
	return path;
}

void make_unlink(char *path)
{
	unlink(path);
	free(path);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace.dat files of both versions, made here: byte orders, longs, compression, buffer
 * instances, holes; and files that are truncated, damaged or unfinished.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/dat_make.h"
#include "user/input/reader.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SIZE	 1024

/* ---- a small trace ---------------------------------------------------------------- */

/*
 * CPU 0: two pages, CPU 1: no data, CPU 3: one page that begins with a loss; CPU 2 is a
 * hole in version 7, empty in version 6.
 */
struct small {
	struct make_formats formats;
	const char *kernel;
	bool big;
	uint8_t cpu0[2 * SIZE];
	uint8_t cpu3[SIZE];
	struct make_cpu cpus[3];
	struct make_buffer buffers[3];
	struct make_dat dat;
};

static void add_switch(struct small *small, struct make_page *page, uint64_t ts,
		       int32_t prev, uint64_t state, int32_t next)
{
	uint8_t data[128];
	uint32_t length = make_switch(data, small->kernel, small->big, prev, state, next);

	make_page_record(page, ts, data, length);
}

static void keep(uint8_t *to, struct make_page *page)
{
	memcpy(to, page->bytes, SIZE);
	make_page_free(page);
}

static void make_small(struct small *small, const char *kernel, bool big)
{
	unsigned int commit = strcmp(kernel, "4.9-arm") ? 8 : 4, kept = 0;
	struct make_page page;

	memset(small, 0, sizeof(*small));
	small->kernel = kernel;
	small->big = big;
	make_formats_load(&small->formats, kernel);
	/* Small files are truncated at every byte: keep what matters. */
	for (unsigned int i = 0; i < small->formats.count; i++) {
		struct make_format *format = &small->formats.list[i];
		struct make_format swap = small->formats.list[kept];

		if (strcmp(format->name, "header_page") &&
		    strcmp(format->name, "sched_switch") && strcmp(format->name, "print"))
			continue;
		small->formats.list[kept++] = *format;
		*format = swap;
	}

	make_page_begin(&page, SIZE, commit, big, 1000);
	add_switch(small, &page, 1000, 0, 0, 10);
	add_switch(small, &page, 3000, 10, 1, 11);
	make_page_end(&page, 0, 0);
	keep(small->cpu0, &page);
	make_page_begin(&page, SIZE, commit, big, 4000);
	add_switch(small, &page, 5000, 11, 0, 10);
	add_switch(small, &page, UINT64_C(9000000000000), 10, 2, 0);
	make_page_end(&page, 0, 0);
	keep(small->cpu0 + SIZE, &page);
	make_page_begin(&page, SIZE, commit, big, 2000);
	add_switch(small, &page, 2000, 0, 0, 30);
	make_page_end(&page, UINT32_C(3) << 30, 17);
	keep(small->cpu3, &page);

	small->cpus[0] = (struct make_cpu){0, small->cpu0, 2 * SIZE, 0};
	small->cpus[1] = (struct make_cpu){1, NULL, 0, 0};
	small->cpus[2] = (struct make_cpu){3, small->cpu3, SIZE, 0};
	small->buffers[0] = (struct make_buffer){"", small->cpus, 3};
	small->dat = (struct make_dat){
		.version = "6",
		.big = big,
		.user_long = commit == 8 ? 4 : 8, /* a lie, as user space may tell it */
		.page_size = SIZE,
		.method = "none",
		.formats = &small->formats,
		.buffers = small->buffers,
		.buffers_count = 1,
		.clock = "local global [mono] boot",
	};
}

static void free_small(struct small *small)
{
	make_formats_free(&small->formats);
}

static char *small_file(struct small *small)
{
	size_t size;
	uint8_t *bytes = make_dat(&small->dat, &size);
	char *path = make_file(bytes, size);

	free(bytes);
	return path;
}

/* ---- what a reader says ----------------------------------------------------------- */

/* "cpu:ts:prev>next" of each switch, "cpu:ts:lost N", "cpu:ts:other". */
static void tell(const struct cs_event *ev, char *text, size_t size)
{
	size_t used = strlen(text);

	text += used;
	size -= used;
	if (ev->type == CS_EVENT_SWITCH)
		snprintf(text, size, "%d:%" PRIu64 ":%d>%d ", ev->cpu, ev->ts,
			 ev->sw.prev_pid, ev->sw.next_pid);
	else if (ev->type == CS_EVENT_LOST)
		snprintf(text, size, "%d:%" PRIu64 ":lost %" PRIu64 " ", ev->cpu, ev->ts,
			 ev->lost.count);
	else
		snprintf(text, size, "%d:%" PRIu64 ":other ", ev->cpu, ev->ts);
}

/* All events as text and the notes behind them; or the error. */
static void read_all(const char *path, const char *buffer, char *text, size_t size)
{
	struct cs_error error = {""};
	struct cs_reader *reader = cs_reader_open(path, buffer, &error);
	struct cs_event ev;
	int r = 0;

	*text = '\0';
	while (reader && (r = cs_reader_next(reader, &ev, &error)) == 1)
		tell(&ev, text, size);
	if (!reader || r < 0) {
		/* without the path, which is another each time */
		const char *at = strstr(error.text, path);

		assert_ptr_equal(at, error.text);
		snprintf(text + strlen(text), size - strlen(text), "!%s",
			 error.text + strlen(path) + 2);
	}
	for (uint32_t i = 0; reader && i < reader->source.notes_count; i++)
		snprintf(text + strlen(text), size - strlen(text), "(%s)",
			 reader->source.notes[i]);
	cs_reader_close(reader);
}

static void expect_file(struct small *small, const char *buffer, const char *want)
{
	char text[8192];
	char *path = small_file(small);

	read_all(path, buffer, text, sizeof(text));
	assert_string_equal(text, want);
	make_unlink(path);
}

#define ALL                                                                 \
	"0:1000:0>10 3:2000:lost 17 3:2000:0>30 0:3000:10>11 0:5000:11>10 " \
	"0:9000000000000:10>0 "

/* ---- the tests -------------------------------------------------------------------- */

static void kinds(void **state)
{
	static const struct {
		const char *version, *method, *kernel;
		bool big;
	} cases[] = {
		{"6", "none", "6.18", false},	   {"6", "none", "6.1-rt", false},
		{"6", "none", "4.9-arm", false},   {"6", "none", "4.9-arm", true},
		{"6", "none", "3.10-ppc64", true}, {"7", "none", "6.12", false},
		{"7", "zstd", "6.18", false},	   {"7", "zlib", "6.18", false},
		{"7", "zstd", "3.10-ppc64", true}, {"7", "zlib", "4.9-arm", false},
		{"7", "none", "4.9-arm", true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct small small;

		make_small(&small, cases[i].kernel, cases[i].big);
		small.dat.version = cases[i].version;
		small.dat.method = cases[i].method;
		expect_file(&small, NULL, ALL);
		/* one page to a chunk, and chunks that end within a page of the range */
		small.dat.chunk = SIZE;
		expect_file(&small, NULL, ALL);
		small.dat.clock = NULL;
		small.dat.no_options = true;
		expect_file(&small, NULL, ALL);
		free_small(&small);
	}
}

static void source(void **state)
{
	static const struct make_option options[] = {
		{9, "3.1.6", 6},
		{5, "Linux box 6.18.9-rt1 aarch64", 29},
		{8, "\x40\0\0\0", 4},
		{1, "0x1234", 7},
		{99, "of a later version", 19},
	};
	struct small small;

	(void)state;
	make_small(&small, "6.18", false);
	small.dat.options = options;
	small.dat.options_count = COUNT(options);
	for (int version = 6; version < 8; version++) {
		struct cs_error error = {""};
		struct cs_reader *reader;
		char *path;

		small.dat.version = version == 6 ? "6" : "7";
		/* In version 6 the option overrides the size of the table. */
		small.cpus[2].cpu = version == 6 ? 63 : 3;
		path = small_file(&small);
		reader = cs_reader_open(path, NULL, &error);
		assert_non_null(reader);
		assert_string_equal(reader->source.path, path);
		assert_string_equal(reader->source.reader, "trace.dat");
		assert_string_equal(reader->source.kernel, "6.18.9-rt1");
		assert_string_equal(reader->source.arch, "aarch64");
		assert_string_equal(reader->source.clock,
				    version == 6 ? "mono" : "local");
		assert_string_equal(reader->source.buffer, "");
		assert_int_equal(reader->source.cpus, 64);
		assert_int_equal(reader->source.notes_count, 0);
		cs_reader_close(reader);
		make_unlink(path);
	}
	free_small(&small);
}

static void instances(void **state)
{
	static const struct {
		const char *version;
		bool main_empty;
		const char *buffer;
		const char *want;
	} cases[] = {
		{"6", false, NULL,
		 ALL "(buffer (main) is read; the file has more, see --buffer: rt, "
		     "audio)"},
		{"6", false, "",
		 ALL "(buffer (main) is read; the file has more, see --buffer: rt, "
		     "audio)"},
		{"6", true, NULL,
		 "3:2000:lost 17 3:2000:0>30 (buffer audio is read; the file has "
		 "more, see --buffer: (main), rt)"},
		{"6", false, "audio",
		 "3:2000:lost 17 3:2000:0>30 (buffer audio is read; the file "
		 "has more, see --buffer: (main), rt)"},
		{"6", false, "rt",
		 "(buffer rt is read; the file has more, see --buffer: (main), "
		 "audio)"},
		{"6", false, "video",
		 "!has no buffer 'video'; it has: (main), rt, audio"},
		{"7", false, NULL,
		 ALL "(buffer (main) is read; the file has more, see --buffer: rt, "
		     "audio)"},
		{"7", true, NULL,
		 "3:2000:lost 17 3:2000:0>30 (buffer audio is read; the file has "
		 "more, see --buffer: (main), rt)"},
		{"7", false, "audio",
		 "3:2000:lost 17 3:2000:0>30 (buffer audio is read; the file "
		 "has more, see --buffer: (main), rt)"},
		{"7", false, "video",
		 "!has no buffer 'video'; it has: (main), rt, audio"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		for (int zstd = 0; zstd < 2; zstd++) {
			struct small small;
			struct make_cpu none[4];

			if (zstd && *cases[i].version == '6')
				continue;
			make_small(&small, "6.18", false);
			memset(none, 0, sizeof(none));
			for (uint32_t cpu = 0; cpu < 4; cpu++)
				none[cpu].cpu = cpu;
			small.buffers[1] = (struct make_buffer){"rt", none, 4};
			small.buffers[2] = (struct make_buffer){"audio", small.cpus + 2,
								1};
			if (cases[i].main_empty)
				small.buffers[0] = (struct make_buffer){"", none, 4};
			small.dat.buffers_count = 3;
			small.dat.version = cases[i].version;
			small.dat.method = zstd ? "zstd" : "none";
			expect_file(&small, cases[i].buffer, cases[i].want);
			free_small(&small);
		}
}

/* The kernel's own count of what it had no room for. */
static void dropped(void **state)
{
	static const struct make_option options[] = {
		{2,
		 "CPU: 0\nentries: 4\noverrun: 3\ndropped events: 12\nread events: 4\n",
		 59},
		{2, "CPU: 1\nentries: 0\ndropped events: 7\n", 37},
		{2, "CPU: 3\nentries: 1\ndropped events: 0\n", 37},
		{2, "\nBuffer: rt\n\n", 14},
		{2, "CPU: 3\nentries: 1\ndropped events: 99\n", 38},
	};
	struct small small;

	(void)state;
	make_small(&small, "6.18", false);
	small.dat.options = options;
	small.dat.options_count = COUNT(options);
	/* CPU 1 has no record that its loss could follow. */
	expect_file(&small, NULL,
		    ALL
		    "0:9000000000000:lost 12 "
		    "(CPU 0: the kernel's buffer was full, 12 events were not recorded)"
		    "(CPU 1: the kernel's buffer was full, 7 events were not recorded)");
	small.dat.version = "7";
	expect_file(&small, NULL,
		    ALL
		    "0:9000000000000:lost 12 "
		    "(CPU 0: the kernel's buffer was full, 12 events were not recorded)"
		    "(CPU 1: the kernel's buffer was full, 7 events were not recorded)");
	free_small(&small);
}

/* x86-tsc with what makes ns of it: 5/4 ns to the tick here. */
static void tsc(void **state)
{
	uint8_t tsc2nsec[16] = {0};
	struct make_option option = {14, tsc2nsec, 16};
	struct small small;

	(void)state;
	make_small(&small, "6.18", false);
	small.dat.clock = "local [x86-tsc]";
	small.buffers[0].cpus = small.cpus + 2;
	small.buffers[0].count = 1;
	expect_file(
		&small, NULL,
		"3:2000:lost 17 3:2000:0>30 (times are ticks of the TSC, not ns: the file does "
		"not tell its speed)");
	make_put32(tsc2nsec, 5, false);
	make_put32(tsc2nsec + 4, 2, false);
	small.dat.options = &option;
	small.dat.options_count = 1;
	expect_file(&small, NULL, "3:2500:lost 17 3:2500:0>30 ");
	make_put32(tsc2nsec + 4, 64, false);
	expect_file(&small, NULL, "!damaged: the TSC's shift 64 cannot be");
	small.dat.options_count = 0;
	small.dat.clock = "local [counter]";
	expect_file(
		&small, NULL,
		"3:2000:lost 17 3:2000:0>30 (the trace clock counts events: times are no times)");
	free_small(&small);
}

/* Every length that a file can be cut to: an error that says so, or the events so far. */
static void cut_anywhere(void **state)
{
	static const char *const methods[] = {"none", "none", "zstd"};

	(void)state;
	for (size_t m = 0; m < COUNT(methods); m++) {
		char text[8192];
		uint64_t opened = 0, refused = 0;
		struct small small;
		uint8_t *bytes;
		size_t size;

		make_small(&small, "6.18", false);
		small.dat.version = m ? "7" : "6";
		small.dat.method = methods[m];
		bytes = make_dat(&small.dat, &size);
		for (size_t length = 1; length <= size; length += length > 3000 ? 7 : 1) {
			char *path = make_file(bytes, length == size ? size : length);

			read_all(path, NULL, text, sizeof(text));
			make_unlink(path);
			if (*text == '!') {
				if (!strstr(text, "truncated in "))
					fail_msg("%zu of %zu: %s", length, size, text);
				refused++;
			} else {
				/* Whatever is missing is said: a note, and a loss. */
				if (length < size && !strstr(text, "truncated") &&
				    !strstr(text, "middle of a page"))
					fail_msg("%zu of %zu: %s", length, size, text);
				opened++;
			}
		}
		/* The options of version 7 are at the end: nothing opens without them. */
		assert_true(refused > 1000);
		assert_int_equal(opened > 100, !m);
		free(bytes);
		free_small(&small);
	}
}

static void cut_data(void **state)
{
	static const struct {
		size_t off; /* bytes less */
		const char *want;
	} cases[] = {
		{0, ALL},
		/* CPU 3 is last in the file */
		{1, "0:1000:0>10 0:3000:10>11 0:5000:11>10 0:9000000000000:10>0 "
		    "(CPU 3: the file is truncated, the end is missing)"},
		{SIZE, "0:1000:0>10 0:3000:10>11 0:5000:11>10 0:9000000000000:10>0 "
		       "(CPU 3: the file is truncated, the end is missing)"},
		{SIZE + 1, "0:1000:0>10 0:3000:10>11 0:3000:lost 0 "
			   "(CPU 0: the file is truncated, the end is missing)"
			   "(CPU 3: the file is truncated, the end is missing)"},
		{3 * SIZE, "(CPU 0: the file is truncated, the end is missing)"
			   "(CPU 3: the file is truncated, the end is missing)"},
	};
	struct small small;
	uint8_t *bytes;
	size_t size;

	(void)state;
	make_small(&small, "6.18", false);
	bytes = make_dat(&small.dat, &size);
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[8192];
		char *path = make_file(bytes, size - cases[i].off);

		read_all(path, NULL, text, sizeof(text));
		assert_string_equal(text, cases[i].want);
		make_unlink(path);
	}
	free(bytes);
	free_small(&small);
}

/* Half a page at the end, behind any number of pages that are read ahead at once. */
static void half_page(void **state)
{
	(void)state;
	for (unsigned int pages = 0; pages < 200; pages = pages * 2 + 1) {
		size_t size = pages * SIZE + SIZE / 2;
		uint8_t *bytes = calloc(1, size);
		char text[8192];
		struct small small;
		char *path;

		assert_non_null(bytes);
		make_small(&small, "6.18", false);
		if (pages)
			memcpy(bytes + (pages - 1) * SIZE, small.cpu3, SIZE);
		small.cpus[2].pages = bytes;
		small.cpus[2].size = size;
		small.buffers[0].cpus = small.cpus + 2;
		small.buffers[0].count = 1;
		path = small_file(&small);
		read_all(path, NULL, text, sizeof(text));
		if (pages)
			assert_string_equal(
				text, "3:2000:lost 17 3:2000:0>30 3:2000:lost 0 (CPU 3: "
				      "its data ends in the middle of a page)");
		else
			assert_string_equal(
				text, "(CPU 3: its data ends in the middle of a page)");
		make_unlink(path);
		free(bytes);
		free_small(&small);
	}
}

/* Changes bytes of a file of version 6 and looks what the reader says. */
static void damaged(void **state)
{
	static const struct {
		const char *what;
		const char *find; /* changed here; NULL: at @at */
		size_t at;
		const char *bytes;
		size_t length;
		const char *want;
	} cases[] = {
		{"version", NULL, 10, "8", 1,
		 "!trace.dat version 8 is not known; only 6 and 7 are"},
		{"version", NULL, 10, "x", 1,
		 "!trace.dat version x is not known; only 6 and 7 are"},
		{"byte order", NULL, 12, "\2", 1,
		 "!damaged: an unknown byte order in the file "
		 "header at offset 14"},
		{"page size", NULL, 14, "\0\0\0\0", 4,
		 "!damaged: pages of 0 bytes cannot be"},
		{"page size", NULL, 14, "\1\4\0\0", 4,
		 "!damaged: pages of 1025 bytes cannot be"},
		{"header", "header_page", 0, "footer", 6,
		 "!damaged: no header_page in the page header's format at offset 30"},
		{"size", "header_page", 12, "\xff\xff\xff\xff\xff\xff\xff\x7f", 8,
		 "!truncated in the page header's format at offset 38"},
		{"commit", " commit;", 1, "summit", 6, NULL},
		{"event", "header_event", 0, "footer", 6, NULL},
		{"events", "name: sched_switch", 6, "xxxxx", 5,
		 "!has no sched events; record with: ctxsw record, or trace-cmd record -e sched"},
		{"field", "prev_pid;", 5, "tid", 3,
		 "!event sched_switch: its format has no field prev_pid"},
		{"data", "flyrecord", 0, "latency  ", 9,
		 "!holds the text of a latency tracer, no events; record with: ctxsw record"},
		{"data", "flyrecord", 0, "flyrecorX", 9, NULL},
		{"options", "options  ", 0, "optionsX ", 9, NULL},
	};
	struct small small;
	uint8_t *bytes;
	size_t size;

	(void)state;
	make_small(&small, "6.18", false);
	bytes = make_dat(&small.dat, &size);
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint8_t *copy = malloc(size), *at;
		char text[8192];
		char *path;

		assert_non_null(copy);
		memcpy(copy, bytes, size);
		at = cases[i].find
			     ? memmem(copy, size, cases[i].find, strlen(cases[i].find))
			     : copy;
		assert_non_null(at);
		memcpy(at + cases[i].at, cases[i].bytes, cases[i].length);
		path = make_file(copy, size);
		read_all(path, NULL, text, sizeof(text));
		if (cases[i].want)
			assert_string_equal(text, cases[i].want);
		else if (strncmp(text, "!damaged: ", 10))
			fail_msg("%s: %s", cases[i].what, text);
		make_unlink(path);
		free(copy);
	}
	free(bytes);
	free_small(&small);
}

/* Where things are in a small file of version 7 with the method "none". */
struct places {
	size_t options; /* offset of the first section of options, in the file's header */
	size_t first;	/* that section */
	size_t next;	/* the offset of the second one, in the first */
	size_t second;
	size_t buffer; /* data of the BUFFER option in it */
	size_t cpus;   /* its entries of 20 bytes: CPU, offset, size */
};

static uint64_t get64(const uint8_t *bytes)
{
	uint64_t value = 0;

	for (int i = 7; i >= 0; i--)
		value = value << 8 | bytes[i];
	return value;
}

static struct places places_of(const uint8_t *bytes, const char *method)
{
	struct places places;

	places.options = 18 + strlen(method) + 1 + 4;
	places.first = get64(bytes + places.options);
	places.next = places.first + 16 + get64(bytes + places.first + 8) - 8;
	places.second = get64(bytes + places.next);
	places.buffer = places.second + 16 + 6;
	places.cpus = places.buffer + 8 + 1 + 6 + 4 + 4;
	return places;
}

enum damage {
	OPTIONS_ELSEWHERE,
	OPTIONS_BEYOND,
	NO_OPTIONS,
	OPTIONS_RING,
	NO_BUFFER,
	TWO_CPUS,
	LARGE_CPU,
	MANY_CPUS,
	LONG_NAME,
	PACKED_OPTIONS,
	PACKED_BUFFER,
	NO_HEADER_INFO,
	DAMAGES,
};

static void damage_v7(uint8_t *bytes, enum damage what)
{
	struct places places = places_of(bytes, "none");

	switch (what) {
	case OPTIONS_ELSEWHERE:
		make_put64(bytes + places.options, places.options + 8, false);
		break;
	case OPTIONS_BEYOND:
		make_put64(bytes + places.options, UINT64_MAX, false);
		break;
	case NO_OPTIONS:
		make_put64(bytes + places.options, 0, false);
		break;
	case OPTIONS_RING:
		/* The second section's DONE ends it. */
		make_put64(bytes + places.second + 16 + get64(bytes + places.second + 8) -
				   8,
			   places.first, false);
		break;
	case NO_BUFFER:
		make_put16(bytes + places.second + 16, 99, false);
		break;
	case TWO_CPUS:
		make_put32(bytes + places.cpus + 40, 1, false);
		break;
	case LARGE_CPU:
		make_put32(bytes + places.cpus + 40, 8192, false);
		break;
	case MANY_CPUS:
		make_put32(bytes + places.cpus - 4, 1000, false);
		break;
	case LONG_NAME:
		/* No NUL to the end of the option. */
		make_put32(bytes + places.buffer - 4, 12, false);
		memset(bytes + places.buffer + 8, 'x', 4);
		break;
	case PACKED_OPTIONS:
		make_put16(bytes + places.first + 2, 1, false);
		break;
	case PACKED_BUFFER:
		make_put16(bytes + get64(bytes + places.buffer) + 2, 1, false);
		break;
	case NO_HEADER_INFO:
		/* The first section's first option is the clock, the second one this. */
		make_put16(bytes + places.first + 16 + 6 + 25, 99, false);
		break;
	case DAMAGES:
		break;
	}
}

static void damaged_v7(void **state)
{
	static const char *const wants[DAMAGES] = {
		[OPTIONS_ELSEWHERE] =
			"!damaged: another section in the options at offset ",
		[OPTIONS_BEYOND] =
			"!truncated in the options at offset 18446744073709551615",
		[NO_OPTIONS] = "!damaged: it has no page header's format",
		[OPTIONS_RING] = "!damaged: its options have no end",
		[NO_BUFFER] = "!has no trace data; was the recording broken off?",
		[TWO_CPUS] = "!damaged: CPU 1 has data twice",
		[LARGE_CPU] = "!damaged: CPU number 8192 cannot be",
		[MANY_CPUS] = "!truncated in a BUFFER option at offset 23",
		[LONG_NAME] = "!truncated in a BUFFER option at offset 12",
		[PACKED_OPTIONS] =
			"!damaged: compressed data but no method in the options at ",
		[PACKED_BUFFER] = "!damaged: compressed data but no method",
		[NO_HEADER_INFO] = "!damaged: it has no page header's format",
	};
	struct small small;

	(void)state;
	make_small(&small, "6.18", false);
	small.dat.version = "7";
	for (int what = 0; what < DAMAGES; what++) {
		char text[8192];
		uint8_t *bytes;
		size_t size;
		char *path;

		bytes = make_dat(&small.dat, &size);
		damage_v7(bytes, what);
		path = make_file(bytes, size);
		read_all(path, NULL, text, sizeof(text));
		if (strncmp(text, wants[what], strlen(wants[what])))
			fail_msg("case %d: %s", what, text);
		make_unlink(path);
		free(bytes);
	}
	free_small(&small);
}

/* Chunks whose numbers lie; @at is from the begin of CPU 0's data. */
static void lying_chunks(void **state)
{
#define REST "(CPU 0: its data ends in the middle of a page)"
	static const struct {
		size_t at;
		uint32_t value;
		const char *want;
	} cases[] = {
		/* fewer chunks, no chunks, more than there are */
		{0, 1, "0:1000:0>10 3:2000:lost 17 3:2000:0>30 0:3000:10>11 "},
		{0, 0, "3:2000:lost 17 3:2000:0>30 "},
		{0, 1000000, NULL},
		/* a chunk with more bytes than the file has */
		{4, 1000000, "3:2000:lost 17 3:2000:0>30 " REST},
		/* a chunk that would be huge, and one that would be larger than it is */
		{8, 4000000000u, NULL},
		{8, 2 * SIZE, NULL},
	};
	struct small small;

	(void)state;
	make_small(&small, "6.18", false);
	small.dat.version = "7";
	small.dat.method = "zstd";
	small.dat.chunk = SIZE;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct places places;
		char text[8192];
		uint8_t *bytes;
		size_t size;
		char *path;

		bytes = make_dat(&small.dat, &size);
		places = places_of(bytes, "zstd");
		make_put32(bytes + get64(bytes + places.cpus + 4) + cases[i].at,
			   cases[i].value, false);
		path = make_file(bytes, size);
		read_all(path, NULL, text, sizeof(text));
		if (cases[i].want)
			assert_string_equal(text, cases[i].want);
		else if (!strstr(text, "0:9000000000000:10>0 ") ||
			 !strstr(text, "lost 0") || !strstr(text, "(CPU 0: "))
			fail_msg("case %zu: %s", i, text);
		make_unlink(path);
		free(bytes);
	}
	free_small(&small);
#undef REST
}

/* A section of formats that cannot be decompressed, or would be huge. */
static void bad_sections(void **state)
{
	struct small small;

	(void)state;
	make_small(&small, "6.18", false);
	small.dat.version = "7";
	small.dat.method = "zstd";
	for (int what = 0; what < 2; what++) {
		char text[8192];
		uint8_t *bytes;
		size_t size, section = 18 + 5 + 4 + 8;
		char *path;

		bytes = make_dat(&small.dat, &size);
		if (what)
			make_put32(bytes + section + 20, 4000000000u, false);
		else
			memset(bytes + section + 24, 0xa5, 8);
		path = make_file(bytes, size);
		read_all(path, NULL, text, sizeof(text));
		if (!strstr(text,
			    what ? "!damaged: a section too large to believe in "
				 : "!damaged: a block that cannot be decompressed in "))
			fail_msg("%s", text);
		make_unlink(path);
		free(bytes);
	}
	free_small(&small);
}

/* The file gets shorter after it was opened: what is missing is lost, no more. */
static void shrinking(void **state)
{
	uint8_t *pages = calloc(200, SIZE);
	struct cs_error error = {""};
	struct cs_reader *reader;
	struct small small;
	struct cs_event ev;
	char text[512] = "";
	char *path;
	int r;

	(void)state;
	assert_non_null(pages);
	make_small(&small, "6.18", false);
	for (int i = 0; i < 200; i++)
		memcpy(pages + i * SIZE, small.cpu3, i == 0 || i == 199 ? SIZE : 0);
	small.cpus[2].pages = pages;
	small.cpus[2].size = 200 * SIZE;
	small.buffers[0].cpus = small.cpus + 2;
	small.buffers[0].count = 1;
	path = small_file(&small);
	reader = cs_reader_open(path, NULL, &error);
	assert_non_null(reader);
	assert_int_equal(truncate(path, 100 * SIZE + 10), 0);
	while ((r = cs_reader_next(reader, &ev, &error)) == 1)
		tell(&ev, text, sizeof(text));
	assert_int_equal(r, 0);
	assert_string_equal(text, "3:2000:lost 17 3:2000:0>30 3:2000:lost 0 ");
	assert_int_equal(reader->source.notes_count, 1);
	assert_string_equal(reader->source.notes[0],
			    "CPU 3: its data ends in the middle of a page");
	cs_reader_close(reader);
	make_unlink(path);
	free_small(&small);
	free(pages);
}

/* Records that are too short for what their format says. */
static void short_records(void **state)
{
	struct make_page page;
	uint8_t data[128];
	struct small small;

	(void)state;
	make_small(&small, "6.18", false);
	make_page_begin(&page, SIZE, 8, false, 1000);
	make_switch(data, "6.18", false, 1, 0, 2);
	make_page_record(&page, 1000, data, 4);
	make_page_record(&page, 1001, data, 40);
	make_page_record(&page, 1002, data, 64);
	make_page_end(&page, 0, 0);
	keep(small.cpu3, &page);
	small.buffers[0].cpus = small.cpus + 2;
	small.buffers[0].count = 1;
	expect_file(
		&small, NULL,
		"3:1000:other 3:1001:other 3:1002:1>2 (2 records are shorter than their "
		"format; they are ignored)");
	free_small(&small);
}

/* One CPU's page is garbage: its loss is told. All are: no trace. */
static void garbage(void **state)
{
	struct small small;
	char text[8192];
	char *path;

	(void)state;
	make_small(&small, "6.18", false);
	memset(small.cpu0, 0xee, SIZE);
	path = small_file(&small);
	read_all(path, NULL, text, sizeof(text));
	assert_memory_equal(
		text,
		"3:2000:lost 17 3:2000:0>30 0:5000:lost 0 0:5000:11>10 "
		"0:9000000000000:10>0 (CPU 0: corrupt page at offset ",
		strlen("3:2000:lost 17 3:2000:0>30 0:5000:lost 0 0:5000:11>10 "
		       "0:9000000000000:10>0 (CPU 0: corrupt page at offset "));
	make_unlink(path);

	memset(small.cpu0, 0xee, sizeof(small.cpu0));
	memset(small.cpu3, 0xee, sizeof(small.cpu3));
	path = small_file(&small);
	read_all(path, NULL, text, sizeof(text));
	assert_memory_equal(text, "!damaged: none of its 3 pages of events can be read",
			    51);
	make_unlink(path);

	/* Zeros are no garbage: a sparse file, or a CPU that wrote nothing. */
	memset(small.cpu0, 0, sizeof(small.cpu0));
	memset(small.cpu3, 0, sizeof(small.cpu3));
	expect_file(&small, NULL, "");
	free_small(&small);
}

/* A chunk that cannot be decompressed is skipped, the next one is read. */
static void bad_chunk(void **state)
{
	static const char *const methods[] = {"zstd", "zlib"};

	(void)state;
	for (size_t m = 0; m < COUNT(methods); m++) {
		struct small small;
		char text[8192];
		uint8_t *bytes;
		size_t size;
		char *path;

		make_small(&small, "6.18", false);
		small.dat.version = "7";
		small.dat.method = methods[m];
		small.dat.chunk = SIZE;
		bytes = make_dat(&small.dat, &size);
		/* The first chunk of CPU 0 is the first thing on a page of the file. */
		for (size_t at = SIZE; at < size; at += SIZE)
			if (bytes[at] == 2 && !bytes[at + 1] && !bytes[at + 2] &&
			    !bytes[at + 3]) {
				memset(bytes + at + 12, 0xa5, 8);
				break;
			}
		path = make_file(bytes, size);
		read_all(path, NULL, text, sizeof(text));
		if (!strstr(text,
			    "0:5000:lost 0 0:5000:11>10 0:9000000000000:10>0 (CPU 0: corrupt "
			    "page in the chunk at offset "))
			fail_msg("%s", text);
		make_unlink(path);
		free(bytes);
		free_small(&small);
	}
}

static void methods(void **state)
{
	struct small small;
	char text[8192];
	uint8_t *bytes;
	size_t size;
	char *path;

	(void)state;
	make_small(&small, "6.18", false);
	small.dat.version = "7";
	bytes = make_dat(&small.dat, &size);
	memcpy(bytes + 18, "lzma", 4);
	path = make_file(bytes, size);
	read_all(path, NULL, text, sizeof(text));
	assert_string_equal(
		text,
		"!compressed with lzma, which is not known; only zstd and zlib are");
	make_unlink(path);
	free(bytes);
	free_small(&small);
}

/* A recorder that was killed: no CPU has data in the file, but beside it. */
/* Pages in a file of their own, as a killed recorder leaves them. */
static void put_pages(const char *path, int cpu, const void *pages, size_t size)
{
	char name[160];
	FILE *file;

	snprintf(name, sizeof(name), "%s.cpu%d", path, cpu);
	file = fopen(name, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(pages, 1, size, file), size);
	fclose(file);
}

static void remove_pages(const char *path)
{
	char name[160];

	for (int cpu = 0; cpu < 4; cpu++) {
		snprintf(name, sizeof(name), "%s.cpu%d", path, cpu);
		unlink(name);
	}
}

static void unfinished(void **state)
{
	struct make_cpu none[4];
	struct small small;
	char text[8192];
	char *path;

	(void)state;
	make_small(&small, "6.18", false);
	memset(none, 0, sizeof(none));
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		none[cpu].cpu = cpu;
	small.buffers[0] = (struct make_buffer){"", none, 4};
	path = small_file(&small);
	read_all(path, NULL, text, sizeof(text));
	assert_string_equal(text, "");

	/* CPU 0 with half a page at its end, CPU 2 empty, CPU 3 whole. */
	put_pages(path, 0, small.cpu0, SIZE + SIZE / 2);
	put_pages(path, 2, small.cpu0, 0);
	put_pages(path, 3, small.cpu3, SIZE);

	read_all(path, NULL, text, sizeof(text));
	/* Nobody knows what came after the last page of each CPU. */
	assert_string_equal(
		text,
		"0:1000:0>10 3:2000:lost 17 3:2000:0>30 3:2000:lost 0 "
		"0:3000:10>11 0:3000:lost 0 "
		"(the recording was not finished; what it had saved so far is read)");
	remove_pages(path);
	make_unlink(path);
	free_small(&small);
}

/*
 * Killed while the pages were moved from FILE.part.cpuN into FILE.part: the table says how
 * many of them are there, the rest begins at that size. What was moved is not looked at
 * again in FILE.part.cpuN, where it is a hole by then.
 */
static void half_moved(void **state)
{
#define UNFINISHED                                                               \
	"0:1000:0>10 3:2000:lost 17 3:2000:0>30 3:2000:lost 0 "                  \
	"0:3000:10>11 0:5000:11>10 0:9000000000000:10>0 0:9000000000000:lost 0 " \
	"(the recording was not finished; what it had saved so far is read)"
	static const struct {
		const char *suffix;
		size_t moved;	 /* of CPU 0 */
		const char *cpu; /* who has a file of its own */
		const char *want;
	} cases[] = {
		{".part", 0, "03", UNFINISHED},
		{".part", SIZE, "03", UNFINISHED},
		{".part", SIZE, "0", UNFINISHED},
		/* pages larger than a piece that is moved at once */
		{".part", SIZE / 2, "03", UNFINISHED},
		{".part", SIZE + SIZE / 2, "03", UNFINISHED},
		/* all moved, and killed before the file was removed */
		{".part", 2 * SIZE, "03", UNFINISHED},
		{".part", 2 * SIZE, "1", UNFINISHED},
		{".part", 2 * SIZE, "", ALL},
		/* Whoever finished another file did not leave these. */
		{"", 2 * SIZE, "03", ALL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		static const uint8_t none[1];
		uint8_t hole[2 * SIZE];
		bool own3 = strchr(cases[i].cpu, '3');
		struct small small;
		char path[128], text[8192];
		char *base;

		make_small(&small, "6.18", false);
		small.cpus[0].size = cases[i].moved;
		small.cpus[2].size = own3 && *cases[i].suffix ? 0 : SIZE;
		base = small_file(&small);
		snprintf(path, sizeof(path), "%s%s", base, cases[i].suffix);
		assert_int_equal(rename(base, path), 0);

		memset(hole, 0xff, cases[i].moved);
		memcpy(hole + cases[i].moved, small.cpu0 + cases[i].moved,
		       sizeof(hole) - cases[i].moved);
		if (strchr(cases[i].cpu, '0'))
			put_pages(path, 0, hole, sizeof(hole));
		if (strchr(cases[i].cpu, '1'))
			put_pages(path, 1, none, 0);
		if (own3)
			put_pages(path, 3, small.cpu3, SIZE);

		read_all(path, NULL, text, sizeof(text));
		assert_string_equal(text, cases[i].want);
		remove_pages(path);
		unlink(path);
		free(base);
		free_small(&small);
	}
#undef UNFINISHED
}

/* A kernel that wrote states as numbers: recognised by its release and its values. */
static void odd_states(void **state)
{
	static const struct {
		const char *uname;
		uint64_t idle, sleep, disk;
		const char *want;
	} cases[] = {
		{"Linux a 4.14.40 x86_64", 0, 1, 2, "R S D numbers"},
		{"Linux a 4.14.40 x86_64", 0, 3, 8, "R T I numbers"},
		{"Linux a 4.19.0-5 x86_64", 1, 2, 4, "R S D one bit"},
		{"Linux a 4.19.200 x86_64", 0, 1, 0x80, "R S I "},
		{"Linux a 5.10.1 x86_64", 0, 1, 4, "R S T "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct make_option option = {5, cases[i].uname,
					     strlen(cases[i].uname) + 1};
		struct cs_error error = {""};
		struct cs_reader *reader;
		struct make_page page;
		struct small small;
		struct cs_event ev;
		char text[512] = "", letter[CS_STATE_TEXT];
		char *path;

		make_small(&small, "4.14", false);
		make_page_begin(&page, SIZE, 8, false, 1000);
		add_switch(&small, &page, 1000, 0, cases[i].idle, 10);
		add_switch(&small, &page, 2000, 10, cases[i].sleep, 11);
		add_switch(&small, &page, 3000, 11, cases[i].disk, 0);
		make_page_end(&page, 0, 0);
		keep(small.cpu3, &page);
		small.buffers[0].cpus = small.cpus + 2;
		small.buffers[0].count = 1;
		small.dat.options = &option;
		small.dat.options_count = 1;
		path = small_file(&small);
		reader = cs_reader_open(path, NULL, &error);
		if (!reader)
			fail_msg("%s", error.text);
		while (cs_reader_next(reader, &ev, &error) == 1)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ",
				 cs_state_text(ev.sw.prev_state, letter));
		if (reader->source.notes_count)
			strcat(text, strstr(reader->source.notes[0], "numbers,")
					     ? "numbers"
					     : "one bit");
		assert_string_equal(text, cases[i].want);
		cs_reader_close(reader);
		make_unlink(path);
		free_small(&small);
	}
}

/* More CPUs than the read-ahead can serve generously. */
static void many_cpus(void **state)
{
	enum { CPUS = 600 };
	struct make_cpu *cpus = calloc(CPUS, sizeof(*cpus));
	uint8_t(*pages)[SIZE] = calloc(CPUS, SIZE);
	struct cs_error error = {""};
	struct cs_reader *reader;
	struct small small;
	struct cs_event ev;
	int events = 0;
	char *path;

	(void)state;
	assert_non_null(cpus);
	assert_non_null(pages);
	make_small(&small, "6.18", false);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		struct make_page page;

		make_page_begin(&page, SIZE, 8, false, 10000 - cpu);
		add_switch(&small, &page, 10000 - cpu, 0, 0, cpu + 1);
		make_page_end(&page, 0, 0);
		memcpy(pages[cpu], page.bytes, SIZE);
		make_page_free(&page);
		cpus[cpu] = (struct make_cpu){cpu, pages[cpu], SIZE, 0};
	}
	small.buffers[0] = (struct make_buffer){"", cpus, CPUS};
	path = small_file(&small);
	reader = cs_reader_open(path, NULL, &error);
	assert_non_null(reader);
	while (cs_reader_next(reader, &ev, &error) == 1) {
		events++;
		assert_int_equal(ev.cpu, CPUS - events);
		assert_int_equal(ev.sw.next_pid, ev.cpu + 1);
	}
	assert_int_equal(events, CPUS);
	cs_reader_close(reader);
	make_unlink(path);
	free_small(&small);
	free(cpus);
	free(pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),	cmocka_unit_test(source),
		cmocka_unit_test(instances),	cmocka_unit_test(dropped),
		cmocka_unit_test(tsc),		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(cut_data),	cmocka_unit_test(damaged),
		cmocka_unit_test(half_page),	cmocka_unit_test(damaged_v7),
		cmocka_unit_test(lying_chunks), cmocka_unit_test(bad_sections),
		cmocka_unit_test(shrinking),	cmocka_unit_test(short_records),
		cmocka_unit_test(garbage),	cmocka_unit_test(bad_chunk),
		cmocka_unit_test(methods),	cmocka_unit_test(unfinished),
		cmocka_unit_test(half_moved),	cmocka_unit_test(odd_states),
		cmocka_unit_test(many_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

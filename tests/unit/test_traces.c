/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces that other people recorded, from $CTXSW_TRACES: their counts come from an
 * independent reading of the raw fields and must be met exactly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "user/input/decode.h"
#include "user/input/reader.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The path of a trace; the test is skipped where it is not there. */
static const char *trace_path(char *path, size_t size, const char *name)
{
	const char *dir = getenv("CTXSW_TRACES");

	snprintf(path, size, "%s/%s", dir && *dir ? dir : "../shared/traces", name);
	if (access(path, R_OK) < 0) {
		print_message("no %s (set CTXSW_TRACES)\n", path);
		skip();
	}
	return path;
}

struct counts {
	uint64_t events, cpus, switches, from_idle, voluntary, runnable, preempted,
		wakeups, wakeups_new, migrations, backwards, unchained, unknown, lost;
};

struct seen_cpu {
	bool seen;
	bool switched;
	uint64_t last;
	int32_t current;
};

static void count_event(struct counts *counts, struct seen_cpu *cpu,
			const struct cs_event *ev)
{
	counts->events++;
	counts->cpus += !cpu->seen;
	counts->backwards += cpu->seen && ev->ts < cpu->last;
	cpu->seen = true;
	cpu->last = ev->ts;
	switch (ev->type) {
	case CS_EVENT_SWITCH:
		counts->switches++;
		if (!ev->sw.prev_pid)
			counts->from_idle++;
		else if (ev->sw.prev_state & CS_STATE_PREEMPTED)
			counts->preempted++;
		else if (ev->sw.prev_state == CS_STATE_RUNNABLE)
			counts->runnable++;
		else
			counts->voluntary++;
		counts->unknown += ev->sw.prev_unknown != 0;
		counts->unchained += cpu->switched && cpu->current != ev->sw.prev_pid;
		cpu->switched = true;
		cpu->current = ev->sw.next_pid;
		break;
	case CS_EVENT_WAKEUP:
		counts->wakeups++;
		break;
	case CS_EVENT_WAKEUP_NEW:
		counts->wakeups_new++;
		break;
	case CS_EVENT_MIGRATE:
		counts->migrations++;
		break;
	case CS_EVENT_LOST:
		counts->lost++;
		break;
	}
}

/* Reads a file to its end. */
static void count_file(struct counts *counts, const char *path)
{
	static struct seen_cpu cpus[64];
	struct cs_error error = {""};
	struct cs_reader *reader = cs_reader_open(path, NULL, &error);
	uint64_t last = 0;
	struct cs_event ev;
	int r;

	memset(counts, 0, sizeof(*counts));
	memset(cpus, 0, sizeof(cpus));
	if (!reader)
		fail_msg("%s", error.text);
	while ((r = cs_reader_next(reader, &ev, &error)) == 1) {
		assert_in_range(ev.cpu, 0, COUNT(cpus) - 1);
		count_event(counts, &cpus[ev.cpu], &ev);
		/* Merged: no event is before its predecessor of any CPU. */
		assert_true(ev.ts >= last);
		last = ev.ts;
	}
	if (r < 0)
		fail_msg("%s", error.text);
	assert_int_equal(reader->source.notes_count, 0);
	cs_reader_close(reader);
}

struct file_case {
	const char *name;
	struct counts want;
};

static const struct file_case files[] = {
	{"lisa-rtapp.dat",
	 {.events = 7820,
	  .cpus = 6,
	  .switches = 1552,
	  .from_idle = 626,
	  .voluntary = 844,
	  .runnable = 22,
	  .preempted = 60}},
	{"lisa-sched-load.dat",
	 {.events = 3724,
	  .cpus = 6,
	  .switches = 399,
	  .from_idle = 95,
	  .voluntary = 221,
	  .runnable = 4,
	  .preempted = 79,
	  .migrations = 28}},
	{"trappy-raw.dat",
	 {.events = 757,
	  .cpus = 4,
	  .switches = 755,
	  .from_idle = 366,
	  .voluntary = 383,
	  .preempted = 6}},
	{"trappy-idle.dat",
	 {.events = 43,
	  .cpus = 5,
	  .switches = 23,
	  .from_idle = 7,
	  .voluntary = 14,
	  .preempted = 2}},
	{"trappy-long4.dat",
	 {.events = 51797,
	  .cpus = 8,
	  .switches = 427,
	  .voluntary = 219,
	  .runnable = 199,
	  .preempted = 9,
	  .wakeups = 221,
	  .wakeups_new = 1}},
	{"isolbench-v7-zstd.dat",
	 {.events = 1467,
	  .cpus = 19,
	  .switches = 1467,
	  .from_idle = 617,
	  .voluntary = 840,
	  .runnable = 3,
	  .preempted = 7}},
};

static void check_file(void **state)
{
	const struct file_case *file = *state;
	struct counts got;
	char path[512];

	count_file(&got, trace_path(path, sizeof(path), file->name));
	assert_int_equal(got.events, file->want.events);
	assert_int_equal(got.cpus, file->want.cpus);
	assert_int_equal(got.switches, file->want.switches);
	assert_int_equal(got.from_idle, file->want.from_idle);
	assert_int_equal(got.voluntary, file->want.voluntary);
	assert_int_equal(got.runnable, file->want.runnable);
	assert_int_equal(got.preempted, file->want.preempted);
	assert_int_equal(got.wakeups, file->want.wakeups);
	assert_int_equal(got.wakeups_new, file->want.wakeups_new);
	if (file->want.migrations)
		assert_int_equal(got.migrations, file->want.migrations);
	assert_int_equal(got.backwards, 0);
	assert_int_equal(got.unchained, 0);
	assert_int_equal(got.unknown, 0);
	assert_int_equal(got.lost, 0);
}

/* ---- raw pages -------------------------------------------------------------------- */

struct bytes {
	uint8_t *data;
	size_t size;
};

static struct bytes slurp(FILE *file)
{
	struct bytes bytes = {NULL, 0};
	size_t room = 0, got;

	assert_non_null(file);
	do {
		if (bytes.size == room) {
			bytes.data = realloc(bytes.data, room += 65536);
			assert_non_null(bytes.data);
		}
		got = fread(bytes.data + bytes.size, 1, room - bytes.size, file);
		bytes.size += got;
	} while (got);
	return bytes;
}

static struct bytes from_archive(const char *archive, const char *member)
{
	char command[1024];
	struct bytes bytes;
	FILE *pipe;

	snprintf(command, sizeof(command), "tar -xzOf '%s' '%s'", archive, member);
	pipe = popen(command, "r");
	bytes = slurp(pipe);
	assert_int_equal(pclose(pipe), 0);
	return bytes;
}

/* One CPU's ring buffer, nothing around it: pages, formats and decoder alone. */
static void schedviz(void **state)
{
	static const char *const names[] = {"sched_switch", "sched_wakeup",
					    "sched_wakeup_new", "sched_migrate_task"};
	struct cs_format *format = cs_format_new(false);
	struct cs_decoder decoder = {.format = format};
	uint64_t types[CS_EVENT_TYPES] = {0}, events = 0, first = 0, last = 0;
	struct cs_notes notes = {.count = 0};
	struct cs_error error = {""};
	struct cs_record record;
	struct cs_page page;
	struct cs_event ev;
	struct bytes bytes;
	char path[512];

	(void)state;
	trace_path(path, sizeof(path), "schedviz-raw-pages.tar.gz");
	assert_non_null(format);
	bytes = from_archive(path, "formats/header_page");
	assert_int_equal(cs_page_layout_parse(&format->layout, (char *)bytes.data,
					      bytes.size),
			 0);
	free(bytes.data);
	for (size_t i = 0; i < COUNT(names); i++) {
		char member[128];

		snprintf(member, sizeof(member), "formats/sched/%s/format", names[i]);
		bytes = from_archive(path, member);
		assert_int_equal(cs_format_add(format, "sched", (char *)bytes.data,
					       bytes.size, &notes, &error),
				 0);
		free(bytes.data);
	}
	assert_int_equal(notes.count, 0);

	bytes = from_archive(path, "traces/cpu0");
	for (size_t at = 0; at < bytes.size; at += format->layout.size) {
		assert_int_equal(cs_page_begin(&page, &format->layout, bytes.data + at,
					       format->layout.size),
				 1);
		assert_int_equal(page.lost, -1);
		while (cs_page_next(&page, &record) == 1) {
			cs_decode(&decoder, &record, &ev);
			types[ev.type]++;
			first = events++ ? first : page.ts;
			assert_true(page.ts >= last);
			last = page.ts;
		}
		assert_ptr_equal(page.next, page.end);
	}
	free(bytes.data);
	cs_format_free(format);
	assert_int_equal(events, 28922);
	assert_int_equal(last - first, 2009150555);
	assert_int_equal(types[CS_EVENT_SWITCH], 15056);
	assert_int_equal(types[CS_EVENT_WAKEUP], 11134);
	assert_int_equal(types[CS_EVENT_WAKEUP_NEW], 2732);
}

/* Single pages, good and bad ones; the ids are those of their own kernels. */
static void perfetto(void **state)
{
	static const struct {
		const char *name;
		int end;       /* of the last cs_page_next() */
		int events;    /* -1: any */
		uint64_t last; /* 0: any */
	} cases[] = {
		{"g_six_sched_switch", 0, 6, 1045157726697236},
		{"g_full_page_sched_switch", 0, 59, 0},
		{"g_zero_padded", -EBADMSG, -1, 0},
		{"g_four_byte_commit", -EBADMSG, 0, 0},
		{"g_generic_sched_page", 0, -1, 0},
		{"g_really_long_event", 0, -1, 0},
		{"g_sched_page", 0, -1, 0},
		{"g_single_print", 0, 1, 0},
		{"g_single_print_non_null_terminated", 0, 1, 0},
		{"g_single_print_zero_size", 0, 1, 0},
		{"g_suspend_resume", 0, -1, 0},
		{"g_three_prints", 0, 3, 0},
	};
	static const struct cs_page_layout layout = {.size = 4096,
						     .data = 16,
						     .commit = 8,
						     .commit_size = 8,
						     .swap = CS_HOST_BIG};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_record record;
		struct cs_page page;
		struct bytes bytes;
		char name[128], path[512];
		int events = 0, r;
		FILE *file;

		snprintf(name, sizeof(name), "perfetto-raw-pages/%s.bin", cases[i].name);
		file = fopen(trace_path(path, sizeof(path), name), "r");
		bytes = slurp(file);
		fclose(file);
		r = cs_page_begin(&page, &layout, bytes.data, bytes.size);
		if (r == 1)
			while ((r = cs_page_next(&page, &record)) == 1)
				events++;
		if (r != cases[i].end ||
		    (cases[i].events >= 0 && events != cases[i].events) ||
		    (cases[i].last && page.ts != cases[i].last))
			fail_msg("%s: %d, %d events, last at %llu", cases[i].name, r,
				 events, (unsigned long long)page.ts);
		free(bytes.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(check_file, (void *)&files[0]),
		cmocka_unit_test_prestate(check_file, (void *)&files[1]),
		cmocka_unit_test_prestate(check_file, (void *)&files[2]),
		cmocka_unit_test_prestate(check_file, (void *)&files[3]),
		cmocka_unit_test_prestate(check_file, (void *)&files[4]),
		cmocka_unit_test_prestate(check_file, (void *)&files[5]),
		cmocka_unit_test(schedviz),
		cmocka_unit_test(perfetto),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

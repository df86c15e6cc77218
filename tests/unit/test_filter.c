/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The filter: what passes and where a span is cut, as tables of cases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/filter.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct cs_task task = {.pid = 50, .comm = "worker-1", .prio = 98};

static void inactive(void **state)
{
	struct cs_filter filter = {0};
	struct cs_span span = {.task = &task, .begin = 3, .end = 9, .cpu = 1, .prio = 98};
	struct cs_span unknown = {.kind = CS_SPAN_UNKNOWN, .end = 5};
	struct cs_switch sw = {.prev = &task, .next = &task, .ts = 7, .cpu = 1};

	(void)state;
	assert_false(cs_filter_active(&filter));
	filter.end = UINT64_MAX;
	assert_false(cs_filter_active(&filter));
	assert_true(cs_filter_span(&filter, &span));
	assert_int_equal(span.begin, 3);
	assert_int_equal(span.end, 9);
	assert_int_equal(span.flags, 0);
	assert_true(cs_filter_span(&filter, &unknown));
	assert_true(cs_filter_switch(&filter, &sw));
	filter.begin = 1;
	assert_true(cs_filter_active(&filter));
}

static void ranges(void **state)
{
	struct cs_range some[] = {{5, 7}, {-1, -1}, {100, 100}};
	struct cs_ranges set = {some, COUNT(some)};
	static const struct {
		int64_t value;
		bool in;
	} cases[] = {
		{4, false},  {5, true},	  {6, true},	{7, true},
		{8, false},  {-1, true},  {-2, false},	{0, false},
		{99, false}, {100, true}, {101, false}, {INT32_MIN, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(cs_ranges_contain(&set, cases[i].value), cases[i].in);
	set.count = 0;
	assert_true(cs_ranges_contain(&set, 12345));
}

/* A range of time against a span: passes or not, cut to what, marked or not. */
static void time_cuts(void **state)
{
	static const struct {
		uint64_t from, to, begin, end;
		bool passes;
		uint64_t cut_begin, cut_end;
		bool cut;
	} cases[] = {
		{10, 20, 12, 18, true, 12, 18, false}, /* inside */
		{10, 20, 10, 20, true, 10, 20, false}, /* just so */
		{10, 20, 5, 18, true, 10, 18, true},
		{10, 20, 12, 25, true, 12, 20, true},
		{10, 20, 5, 25, true, 10, 20, true},
		{10, 20, 1, 9, false, 0, 0, false},
		{10, 20, 21, 30, false, 0, 0, false},
		{10, 20, 1, 10, false, 0, 0, false},   /* nothing of it is in */
		{10, 20, 20, 30, false, 0, 0, false},  /* nor of this */
		{10, 20, 10, 10, true, 10, 10, false}, /* no length, but in */
		{10, 20, 20, 20, true, 20, 20, false},
		{10, 20, 9, 9, false, 0, 0, false},
		{10, 0, 5, 1000, true, 10, 1000, true}, /* no end */
		{10, UINT64_MAX, 5, UINT64_MAX - 1, true, 10, UINT64_MAX - 1, true},
		{0, 20, 0, 25, true, 0, 20, true}, /* no begin */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_filter filter = {.begin = cases[i].from, .end = cases[i].to};
		struct cs_span span = {.task = &task,
				       .begin = cases[i].begin,
				       .end = cases[i].end};
		bool passes = cs_filter_span(&filter, &span);

		if (passes != cases[i].passes)
			fail_msg("case %zu: passes: %d", i, passes);
		if (!passes)
			continue;
		if (span.begin != cases[i].cut_begin || span.end != cases[i].cut_end)
			fail_msg("case %zu: cut to %lu..%lu", i,
				 (unsigned long)span.begin, (unsigned long)span.end);
		if (!!(span.flags & CS_SPAN_CLIPPED) != cases[i].cut)
			fail_msg("case %zu: flags %x", i, span.flags);
	}
}

static void tasks_and_cpus(void **state)
{
	struct cs_range one[] = {{1, 1}}, fifty[] = {{50, 50}}, rt[] = {{0, 99}},
			fair[] = {{100, 139}};
	char *match[] = {"no", "work*"}, *none[] = {"work", "Worker-1"},
	     *odd[] = {"worker-?"};
	const struct {
		struct cs_filter filter;
		bool task, unknown;
	} cases[] = {
		{{.cpus = {one, 1}}, true, true},
		{{.cpus = {fifty, 1}}, false, false},
		{{.pids = {fifty, 1}}, true, false},
		{{.pids = {one, 1}}, false, false},
		{{.prios = {rt, 1}}, true, false},
		{{.prios = {fair, 1}}, false, false},
		{{.comms = match, .comms_count = 2}, true, false},
		{{.comms = none, .comms_count = 2}, false, false},
		{{.comms = odd, .comms_count = 1}, true, false},
		{{.pids = {fifty, 1}, .comms = none, .comms_count = 2}, false, false},
		{{.pids = {fifty, 1}, .prios = {rt, 1}, .cpus = {one, 1}}, true, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_span span = {
			.task = &task, .begin = 5, .end = 9, .cpu = 1, .prio = 98};
		struct cs_span unknown = {.kind = CS_SPAN_UNKNOWN,
					  .begin = 5,
					  .end = 9,
					  .cpu = 1,
					  .prio = CS_PRIO_UNKNOWN};
		struct cs_switch sw = {.prev = &task, .next = &task, .ts = 7, .cpu = 1};

		assert_true(cs_filter_active(&cases[i].filter));
		if (cs_filter_span(&cases[i].filter, &span) != cases[i].task ||
		    cs_filter_span(&cases[i].filter, &unknown) != cases[i].unknown ||
		    cs_filter_switch(&cases[i].filter, &sw) != cases[i].task)
			fail_msg("case %zu", i);
	}
}

/* A switch passes by the task that leaves, and by its time. */
static void switches(void **state)
{
	struct cs_range fifty[] = {{50, 50}};
	struct cs_filter filter = {.pids = {fifty, 1}, .begin = 10, .end = 20};
	struct cs_task other = {.pid = 51, .comm = "other", .prio = 120};
	static const struct {
		uint64_t ts;
		bool leaves, passes;
	} cases[] = {
		{9, true, false}, {10, true, true},  {15, true, true},
		{20, true, true}, {21, true, false}, {15, false, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_switch sw = {
			.prev = cases[i].leaves ? &task : &other,
			.next = cases[i].leaves ? &other : &task,
			.ts = cases[i].ts,
		};

		if (cs_filter_switch(&filter, &sw) != cases[i].passes)
			fail_msg("case %zu", i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inactive),  cmocka_unit_test(ranges),
		cmocka_unit_test(time_cuts), cmocka_unit_test(tasks_and_cpus),
		cmocka_unit_test(switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

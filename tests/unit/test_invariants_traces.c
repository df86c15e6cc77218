/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The invariants of the tracker on real traces, of other people and our own, and their
 * counts, known from an independent reading, through the whole report.
 */
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

#include "analysis/report.h"
#include "tests/support/span_check.h"
#include "user/input/reader.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct trace {
	const char *name; /* a path: our own */
	uint32_t cpus;	  /* with events */
	uint64_t total, from_idle, voluntary, runnable, preempted;
} traces[] = {
	{"lisa-rtapp.dat", 6, 1552, 626, 844, 22, 60},
	{"lisa-sched-load.dat", 6, 399, 95, 221, 4, 79},
	{"trappy-raw.dat", 4, 755, 366, 383, 0, 6},
	{"trappy-idle.dat", 5, 23, 7, 14, 0, 2},
	{"trappy-long4.dat", 8, 427, 0, 219, 199, 9},
	{"isolbench-v7-zstd.dat", 19, 1467, 617, 840, 3, 7},
	{"tests/data/traces/guest-6.12.dat", 2, 533, 95, 323, 67, 48},
};

/* Opens a trace; the test is skipped where one of other people is not there. */
static struct cs_reader *open_trace(const char *name)
{
	const char *dir = getenv("CTXSW_TRACES");
	struct cs_error error = {0};
	struct cs_reader *reader;
	char path[4096];

	if (!dir || !*dir)
		dir = "../shared/traces";
	snprintf(path, sizeof(path), "%s/%s", strchr(name, '/') ? "." : dir, name);
	if (access(path, R_OK)) {
		if (strchr(name, '/'))
			fail_msg("no %s: run it from the root of the tree", path);
		print_message("no %s: set CTXSW_TRACES to where it is\n", path);
		skip();
	}
	reader = cs_reader_open(path, NULL, &error);
	if (!reader)
		fail_msg("%s", error.text);
	return reader;
}

static bool next_event(struct cs_reader *reader, struct cs_event *ev)
{
	struct cs_error error = {0};
	int ret = cs_reader_next(reader, ev, &error);

	if (ret < 0)
		fail_msg("%s", error.text);
	return ret > 0;
}

/* ----------------------------------------------------------------- invariants */

struct watch {
	struct span_check check;
	struct cs_tracker tracker;
	uint64_t waits;
	uint64_t negative_ns;
	const char *name;
};

static void watch_span(void *ctx, const struct cs_span *span)
{
	struct watch *watch = ctx;

	span_check_span(&watch->check, span);
	if (span->kind == CS_SPAN_WAIT)
		watch->waits++;
	/* a run on a CPU lies within what that CPU was watched */
	if (span->kind == CS_SPAN_RUN &&
	    (span->begin < span->where->begin || span->end > watch->tracker.end))
		fail_msg("%s: a run outside of what was watched", watch->name);
}

static void watch_switch(void *ctx, const struct cs_switch *sw)
{
	span_check_switch(&((struct watch *)ctx)->check, sw);
}

static void invariants(void **state)
{
	const struct trace *trace = *state;
	struct cs_reader *reader = open_trace(trace->name);
	struct watch watch = {.name = trace->name};
	struct cs_sink sink = {.on_span = watch_span,
			       .on_switch = watch_switch,
			       .ctx = &watch};
	struct cs_event ev;
	const char *error;
	uint32_t cpus = 0;

	assert_int_equal(cs_tracker_init(&watch.tracker, &sink), 0);
	/* a reader delivers in the order of time, whichever CPU an event is of */
	span_check_init(&watch.check, &watch.tracker, true);
	while (next_event(reader, &ev)) {
		assert_true(ev.ts >= watch.tracker.end);
		assert_int_equal(cs_tracker_event(&watch.tracker, &ev), 0);
	}
	cs_tracker_finish(&watch.tracker);
	error = span_check_finish(&watch.check);
	if (error)
		fail_msg("%s: %s", trace->name, error);
	for (uint32_t i = 0; i < watch.tracker.cpus_count; i++)
		cpus += watch.tracker.cpus[i] && watch.tracker.cpus[i]->seen;
	assert_int_equal(cpus, trace->cpus);
	/* none of them has lost events or breaks the chain of a CPU */
	assert_int_equal(watch.tracker.health.losses, 0);
	assert_int_equal(watch.tracker.health.unexpected, 0);
	assert_int_equal(watch.tracker.health.late, 0);
	assert_int_equal(watch.check.switches[CS_SWITCH_FROM_IDLE], trace->from_idle);
	assert_true(watch.waits > 0);
	span_check_fini(&watch.check);
	cs_tracker_fini(&watch.tracker);
	cs_reader_close(reader);
}

/* --------------------------------------------------------------------- counts */

static void check_value(const struct trace *trace, const struct cs_result *result,
			const char *path, uint64_t expected)
{
	double value;

	if (cs_result_find(result->root, path, &value))
		fail_msg("%s: there is no %s", trace->name, path);
	if (value != (double)expected)
		fail_msg("%s: %s is %.0f, should be %" PRIu64, trace->name, path, value,
			 expected);
}

static const struct cs_node *child(const struct cs_node *node, const char *key)
{
	for (node = node->children.first; node; node = node->next)
		if (node->key && !strcmp(node->key, key))
			return node;
	fail_msg("there is no %s", key);
	return NULL;
}

static uint32_t column(const struct cs_node *table, const char *key)
{
	for (uint32_t i = 0; i < table->table.columns_count; i++)
		if (!strcmp(table->table.columns[i].key, key))
			return i;
	fail_msg("there is no column %s", key);
	return 0;
}

/* The sum of a column of a table below "switches". */
static uint64_t sum(const struct cs_result *result, const char *name, const char *key)
{
	const struct cs_node *table = child(child(result->root, "switches"), name);
	uint32_t at = column(table, key), width = table->table.columns_count;
	uint64_t total = 0;

	assert_int_equal(table->type, CS_TYPE_TABLE);
	for (uint32_t row = 0; row < table->table.rows_count; row++)
		total += (uint64_t)table->table.cells[row * width + at].integer;
	return total;
}

static void counts(void **state)
{
	const struct cs_options options = {.worst = 5, .rows = 10, .complete = true};
	const struct trace *trace = *state;
	struct cs_reader *reader = open_trace(trace->name);
	struct cs_report *report = cs_report_new(NULL, 0, &options, NULL);
	struct cs_result result;
	struct cs_event ev;

	assert_non_null(report);
	while (next_event(reader, &ev))
		assert_int_equal(cs_report_event(report, &ev), 0);
	assert_int_equal(cs_report_finish(report), 0);
	assert_int_equal(cs_report_result(report, &reader->source, &result), 0);
	check_value(trace, &result, "switches.total", trace->total);
	check_value(trace, &result, "switches.from_idle", trace->from_idle);
	check_value(trace, &result, "switches.voluntary", trace->voluntary);
	check_value(trace, &result, "switches.runnable", trace->runnable);
	check_value(trace, &result, "switches.preempted", trace->preempted);
	check_value(trace, &result, "health.switches", trace->total);
	check_value(trace, &result, "health.lost", 0);
	check_value(trace, &result, "health.lost_unknown", 0);
	assert_int_equal(sum(&result, "per_cpu", "total"), trace->total);
	assert_int_equal(sum(&result, "per_pair", "count"), trace->total);
	assert_int_equal(sum(&result, "per_task", "switches"),
			 trace->total - trace->from_idle);
	assert_int_equal(sum(&result, "per_task", "preempted"), trace->preempted);
	assert_int_equal(sum(&result, "per_task", "run_ns"),
			 sum(&result, "per_cpu", "busy_ns"));
	assert_int_equal(sum(&result, "per_cpu", "busy_ns") +
				 sum(&result, "per_cpu", "idle_ns") +
				 sum(&result, "per_cpu", "unknown_ns"),
			 sum(&result, "per_cpu", "observed_ns"));
	cs_result_fini(&result);
	cs_report_free(report);
	cs_reader_close(reader);
}

int main(void)
{
	static char names[2 * COUNT(traces)][64];
	struct CMUnitTest tests[2 * COUNT(traces)];

	for (size_t i = 0; i < 2 * COUNT(traces); i++) {
		const struct trace *trace = &traces[i / 2];

		snprintf(names[i], sizeof(names[i]), "%s %s",
			 i % 2 ? "counts" : "invariants", trace->name);
		tests[i] = (struct CMUnitTest){
			.name = names[i],
			.test_func = i % 2 ? counts : invariants,
			.initial_state = (void *)trace,
		};
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

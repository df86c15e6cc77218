/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report: which analyses are in it, what it says beside the figures, and that
 * asking for a result changes nothing.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/report.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct cs_options options = {.worst = 5, .rows = 10, .complete = true};
static const struct cs_source source = {.path = "a file", .reader = "text", .cpus = 4};

static struct cs_report *new_report(const struct cs_filter *filter)
{
	struct cs_report *report = cs_report_new(NULL, 0, &options, filter);

	assert_non_null(report);
	return report;
}

static void tell(struct cs_report *report, struct cs_event ev)
{
	assert_int_equal(cs_report_event(report, &ev), 0);
}

static void switches(struct cs_report *report, uint64_t ts, int32_t cpu, int32_t prev,
		     char state, int32_t next)
{
	tell(report, (struct cs_event){.type = CS_EVENT_SWITCH,
				       .ts = ts,
				       .cpu = cpu,
				       .pid = prev,
				       .sw = {.prev_pid = prev,
					      .prev_prio = 120,
					      .prev_state = cs_state_of(state),
					      .next_pid = next,
					      .next_prio = 120}});
}

static void wakes(struct cs_report *report, uint64_t ts, int32_t cpu, int32_t pid)
{
	tell(report,
	     (struct cs_event){.type = CS_EVENT_WAKING,
			       .ts = ts,
			       .cpu = cpu,
			       .pid = 0,
			       .context = CS_CONTEXT_HARDIRQ,
			       .wake = {.pid = pid, .prio = 120, .target_cpu = cpu}});
}

/* 50 sleeps 10 to 20, waits to 25, runs to 40. */
static void small_trace(struct cs_report *report)
{
	switches(report, 5, 0, 0, 'R', 50);
	switches(report, 10, 0, 50, 'S', 0);
	wakes(report, 20, 0, 50);
	switches(report, 25, 0, 0, 'R', 50);
	switches(report, 40, 0, 50, 'S', 0);
}

static double value(const struct cs_result *result, const char *path)
{
	double number;

	if (cs_result_find(result->root, path, &number))
		fail_msg("there is no %s", path);
	return number;
}

static const struct cs_node *child(const struct cs_node *node, const char *key)
{
	for (node = node->children.first; node; node = node->next)
		if (node->key && !strcmp(node->key, key))
			return node;
	return NULL;
}

/* Notes that begin so, directly below a node. */
static unsigned int notes(const struct cs_node *node, const char *begin)
{
	unsigned int count = 0;

	for (node = node->children.first; node; node = node->next)
		if (node->type == CS_TYPE_NOTE &&
		    !strncmp(node->text, begin, strlen(begin)))
			count++;
	return count;
}

static void ask(struct cs_report *report, struct cs_result *result)
{
	assert_int_equal(cs_report_result(report, &source, result), 0);
	assert_false(result->failed);
}

/* ---------------------------------------------------------------------- cases */

static void nothing_at_all(void **state)
{
	struct cs_report *report = new_report(NULL);
	struct cs_result result;
	double number;

	(void)state;
	assert_int_equal(cs_report_finish(report), 0);
	ask(report, &result);
	assert_true(value(&result, "health.events") == 0);
	assert_int_equal(cs_result_find(result.root, "source.begin_ns", &number),
			 -ENODATA);
	assert_int_equal(cs_result_find(result.root, "source.end_ns", &number), -ENODATA);
	assert_null(child(result.root, "switches"));
	assert_null(child(result.root, "latency"));
	assert_int_equal(child(result.root, "missing")->table.rows_count, 5);
	cs_result_fini(&result);
	cs_report_free(report);
	cs_report_free(NULL);
}

static void figures(void **state)
{
	static const struct {
		const char *path;
		double value;
	} cases[] = {
		{"version", 1},
		{"source.cpus", 4},
		{"source.begin_ns", 5},
		{"source.end_ns", 40},
		{"source.duration_ns", 35},
		{"health.events", 5},
		{"health.switches", 4},
		{"health.lost", 0},
		{"health.dropped_spans", 0},
		{"health.open_spans", 2},
		{"switches.total", 4},
		{"switches.voluntary", 2},
		{"switches.from_idle", 2},
		{"switches.runnable", 0},
		{"switches.preempted", 0},
		{"switches.kinds.idle", 4},
		{"latency.wakeup.count", 1},
		{"latency.wakeup.max_ns", 5},
		{"latency.found.idle.p50_ns", 5},
		{"latency.found.lower.count", 0},
		{"preemption.preempted.count", 0},
	};
	struct cs_report *report = new_report(NULL);
	struct cs_result result;
	double number;

	(void)state;
	small_trace(report);
	assert_int_equal(cs_report_finish(report), 0);
	ask(report, &result);
	for (size_t i = 0; i < COUNT(cases); i++)
		if (value(&result, cases[i].path) != cases[i].value)
			fail_msg("%s is %f", cases[i].path,
				 value(&result, cases[i].path));
	assert_int_equal(cs_result_find(result.root, "latency.found.lower.max_ns",
					&number),
			 -ENODATA);
	/* boosts and phases */
	assert_int_equal(child(result.root, "missing")->table.rows_count, 2);
	assert_string_equal(child(child(result.root, "source"), "path")->text, "a file");
	assert_int_equal(notes(child(result.root, "health"), "Complete"), 1);
	assert_int_equal(notes(result.root, ""), 0);
	cs_result_fini(&result);
	cs_report_free(report);
}

/* `top` asks every second: what it gets then does not change what comes later. */
static void asking_changes_nothing(void **state)
{
	struct cs_report *asked = new_report(NULL), *quiet = new_report(NULL);
	static const char *const paths[] = {
		"switches.total",
		"latency.wakeup.count",
		"latency.wakeup.mean_ns",
		"latency.wakeup.p50_ns",
		"latency.wakeup.stddev_ns",
		"health.open_spans",
		"preemption.preempted.count",
	};
	struct cs_result one, two;

	(void)state;
	for (uint64_t i = 0; i < 300; i++) {
		struct cs_report *both[] = {asked, quiet};

		for (int j = 0; j < 2; j++) {
			switches(both[j], 1000 * i, 0, 0, 'R', 50);
			switches(both[j], 1000 * i + 100, 0, 50, 'S', 0);
			wakes(both[j], 1000 * i + 900 - i, 0, 50);
		}
		ask(asked, &one);
		assert_true(value(&one, "switches.total") == (double)(2 * i + 2));
		cs_result_fini(&one);
	}
	assert_int_equal(cs_report_finish(asked), 0);
	assert_int_equal(cs_report_finish(quiet), 0);
	ask(asked, &one);
	ask(quiet, &two);
	for (size_t i = 0; i < COUNT(paths); i++)
		assert_true(value(&one, paths[i]) == value(&two, paths[i]));
	assert_true(value(&one, "latency.wakeup.count") == 299);
	cs_result_fini(&one);
	cs_result_fini(&two);
	cs_report_free(asked);
	cs_report_free(quiet);
}

static void chosen_analyses(void **state)
{
	static const char *const two[] = {"preemption", "switches"};
	static const char *const bad[] = {"switches", "nonsense"};
	struct cs_report *report;
	struct cs_result result;

	(void)state;
	errno = 0;
	assert_null(cs_report_new(bad, 2, &options, NULL));
	assert_int_equal(errno, EINVAL);
	report = cs_report_new(two, 2, &options, NULL);
	assert_non_null(report);
	small_trace(report);
	assert_int_equal(cs_report_finish(report), 0);
	ask(report, &result);
	assert_non_null(child(result.root, "switches"));
	assert_non_null(child(result.root, "preemption"));
	assert_null(child(result.root, "latency"));
	/* what was not asked for is not missing */
	assert_null(child(result.root, "missing"));
	cs_result_fini(&result);
	cs_report_free(report);
}

/* Which analyses a trace with some events allows; the rest is said to be missing. */
static void missing_events(void **state)
{
	static const struct {
		uint8_t types[3];
		bool switches, latency;
	} cases[] = {
		{{CS_EVENT_OTHER}, false, false},
		{{CS_EVENT_SWITCH}, true, false},
		{{CS_EVENT_WAKING}, false, true},
		{{CS_EVENT_SWITCH, CS_EVENT_WAKING}, true, true},
		{{CS_EVENT_PHASES, CS_EVENT_WAKING}, true, true},
		{{CS_EVENT_SWITCH, CS_EVENT_WAKEUP}, true, true},
		{{CS_EVENT_SWITCH, CS_EVENT_WAKEUP_NEW}, true, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_report *report = new_report(NULL);
		struct cs_result result;
		const struct cs_node *missing;
		bool phases = cases[i].types[0] == CS_EVENT_PHASES;
		uint32_t expected = 5 - 2 * cases[i].switches - cases[i].latency - phases;

		for (size_t j = 0; j < 3; j++) {
			struct cs_event ev = {.type = cases[i].types[j], .ts = j};

			if (ev.type == CS_EVENT_SWITCH || ev.type == CS_EVENT_PHASES)
				ev.sw.next_pid = 50;
			else
				ev.wake.pid = 50;
			tell(report, ev);
		}
		assert_int_equal(cs_report_finish(report), 0);
		ask(report, &result);
		assert_int_equal(!!child(result.root, "switches"), cases[i].switches);
		assert_int_equal(!!child(result.root, "preemption"), cases[i].switches);
		assert_int_equal(!!child(result.root, "latency"), cases[i].latency);
		assert_int_equal(!!child(result.root, "phases"), phases);
		missing = child(result.root, "missing");
		assert_int_equal(missing ? missing->table.rows_count : 0, expected);
		for (uint32_t row = 0; row < expected; row++)
			assert_non_null(
				strpbrk(missing->table.cells[2 * row + 1].text, "_"));
		cs_result_fini(&result);
		cs_report_free(report);
	}
}

/* Losses are said in the health and beside each result that they touch. */
static void losses_are_said(void **state)
{
	static const char *const parts[] = {"switches", "latency", "preemption"};
	struct cs_report *report = new_report(NULL);
	struct cs_result result;

	(void)state;
	small_trace(report);
	tell(report,
	     (struct cs_event){.type = CS_EVENT_LOST, .ts = 50, .lost = {.count = 7}});
	tell(report, (struct cs_event){.type = CS_EVENT_LOST, .ts = 60});
	assert_int_equal(cs_report_finish(report), 0);
	ask(report, &result);
	assert_true(value(&result, "health.lost") == 7);
	assert_true(value(&result, "health.lost_unknown") == 1);
	assert_int_equal(notes(child(result.root, "health"), "Complete"), 0);
	assert_true(notes(child(result.root, "health"), "") >= 1);
	for (size_t i = 0; i < COUNT(parts); i++)
		if (!notes(child(result.root, parts[i]), "The trace has gaps"))
			fail_msg("%s does not say that the trace has gaps", parts[i]);
	cs_result_fini(&result);
	cs_report_free(report);
}

/* A filter is said, and whether anything passes it; health is of the whole trace. */
static void filters_are_said(void **state)
{
	struct cs_range range = {50, 50};
	struct cs_filter filter = {.pids = {&range, 1}};

	(void)state;
	for (int pid = 50; pid <= 51; pid++) {
		struct cs_report *report;
		struct cs_result result;

		range.first = range.last = pid;
		report = new_report(&filter);
		small_trace(report);
		assert_int_equal(cs_report_finish(report), 0);
		ask(report, &result);
		assert_true(value(&result, "health.switches") == 4);
		assert_true(value(&result, "switches.total") == (pid == 50 ? 2 : 0));
		assert_true(value(&result, "latency.wakeup.count") == (pid == 50));
		assert_int_equal(notes(result.root, "Filtered"), pid == 50);
		assert_int_equal(notes(result.root, ""), 1);
		cs_result_fini(&result);
		cs_report_free(report);
	}
}

/* No worst cases asked for, and more than there are. */
static void worst_of_any_number(void **state)
{
	static const uint32_t wanted[] = {0, 1, 2, 3, 1000};

	(void)state;
	for (size_t i = 0; i < COUNT(wanted); i++) {
		struct cs_options some = {.worst = wanted[i], .rows = 1};
		struct cs_report *report = cs_report_new(NULL, 0, &some, NULL);
		const struct cs_node *worst;
		struct cs_result result;

		assert_non_null(report);
		small_trace(report);
		wakes(report, 50, 0, 50);
		switches(report, 51, 0, 0, 'R', 50);
		switches(report, 60, 0, 50, 'S', 0);
		assert_int_equal(cs_report_finish(report), 0);
		ask(report, &result);
		worst = child(child(result.root, "latency"), "worst");
		assert_non_null(worst);
		assert_int_equal(worst->table.rows_count, wanted[i] < 2 ? wanted[i] : 2);
		assert_true(value(&result, "latency.wakeup.count") == 2);
		cs_result_fini(&result);
		cs_report_free(report);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(figures),
		cmocka_unit_test(asking_changes_nothing),
		cmocka_unit_test(chosen_analyses),
		cmocka_unit_test(missing_events),
		cmocka_unit_test(losses_are_said),
		cmocka_unit_test(filters_are_said),
		cmocka_unit_test(worst_of_any_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

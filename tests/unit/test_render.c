/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Renderers: golden texts of sample trees, numbers for people, and JSON as an
 * independent parser reads it.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "user/output/format.h"
#include "user/output/render.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct cs_stat some = {12345,  800, 496721,  1980000, 5,
				    366600, 1,	 1712000, 2,	   3};

static char *rendered(const struct cs_result *result, const char *name,
		      unsigned int width)
{
	struct cs_render_options options = {.width = width};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_false(result->failed);
	cs_renderer_find(name)->render(result, &options, out);
	assert_int_equal(ferror(out), 0);
	fclose(out);
	return text;
}

static void expect_text(const struct cs_result *result, unsigned int width,
			const char *expected)
{
	char *text = rendered(result, "text", width);

	if (strcmp(text, expected))
		fail_msg("got:\n%s---- expected:\n%s----", text, expected);
	free(text);
}

/* ---- numbers -------------------------------------------------------------------- */

static void durations(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {
		{0, "0 ns"},
		{1, "1 ns"},
		{999, "999 ns"},
		{1000, "1.000 us"},
		{9999, "9.999 us"},
		{10000, "10.00 us"},
		{10004, "10.00 us"},
		{10005, "10.01 us"},
		{99994, "99.99 us"},
		{99995, "100.0 us"},
		{999949, "999.9 us"},
		{999950, "1.000 ms"},
		{1000000, "1.000 ms"},
		{1234567, "1.235 ms"},
		{999999999, "1.000 s"},
		{59999999999, "60.00 s"},
		{999949999999, "999.9 s"},
		{999950000000, "1,000 s"},
		{86400000000000, "86,400 s"},
		{INT64_MAX, "9,223,372,037 s"},
		{-1, "-1 ns"},
		{-1500, "-1.500 us"},
		{-1234000000000, "-1,234 s"},
		{CS_INT_NULL, "-"},
	};
	struct cs_value value;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		cs_format_int(&value, CS_UNIT_NS, cases[i].ns, false);
		assert_string_equal(value.text, cases[i].text);
		assert_int_equal(value.length, strlen(value.text));
	}
}

static void integers(void **state)
{
	static const struct {
		enum cs_unit unit;
		int64_t number;
		bool column;
		const char *text;
	} cases[] = {
		{CS_UNIT_COUNT, 0, false, "0"},
		{CS_UNIT_COUNT, 999, false, "999"},
		{CS_UNIT_COUNT, 1000, false, "1,000"},
		{CS_UNIT_COUNT, 1234567, false, "1,234,567"},
		{CS_UNIT_COUNT, -1000, false, "-1,000"},
		{CS_UNIT_COUNT, INT64_MAX, false, "9,223,372,036,854,775,807"},
		{CS_UNIT_NONE, 1234567, false, "1234567"},
		{CS_UNIT_PID, 123456, false, "123456"},
		{CS_UNIT_CPU, 12, false, "12"},
		{CS_UNIT_TIME, 1234567890123, false, "1234.567890123 s"},
		{CS_UNIT_TIME, 1, true, "0.000000001"},
		{CS_UNIT_PRIO, -1, false, "-1 (deadline)"},
		{CS_UNIT_PRIO, 0, false, "0 (RT 99)"},
		{CS_UNIT_PRIO, 9, false, "9 (RT 90)"},
		{CS_UNIT_PRIO, 9, true, "  9 (RT 90)"},
		{CS_UNIT_PRIO, 99, false, "99 (RT 0)"},
		{CS_UNIT_PRIO, 100, false, "100 (nice -20)"},
		{CS_UNIT_PRIO, 120, true, "120 (nice 0)"},
		{CS_UNIT_PRIO, 139, false, "139 (nice 19)"},
		{CS_UNIT_PRIO, 140, false, "140"},
		{CS_UNIT_PRIO, CS_INT_NULL, false, "-"},
	};
	struct cs_value value;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		cs_format_int(&value, cases[i].unit, cases[i].number, cases[i].column);
		assert_string_equal(value.text, cases[i].text);
	}
}

static void texts(void **state)
{
	static const struct {
		const char *text;
		const char *shown;
	} cases[] = {
		{NULL, "-"},
		{"", "\"\""},
		{"a b", "a b"},
		{"\x1b[31m", "\\x1b[31m"},
		{"\xc3\xa9\n\t", "\\xc3\\xa9\\x0a\\x09"},
		{"a\\x1b", "a\\\\x1b"},
		{"\x7f\x9b", "\\x7f\\x9b"},
	};
	struct cs_value value;
	char text[2000];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		cs_format_text(&value, cases[i].text);
		assert_string_equal(value.text, cases[i].shown);
	}
	for (int byte = 1; byte < 256; byte += 'a' - 1) {
		memset(text, byte, sizeof(text) - 1);
		text[sizeof(text) - 1] = '\0';
		cs_format_text(&value, text);
		assert_int_equal(value.length, strlen(value.text));
		assert_string_equal(value.text + value.length - 3, "...");
	}
}

/* ---- golden texts --------------------------------------------------------------- */

static void lines_and_notes(void **state)
{
	struct cs_result result;
	struct cs_node *node, *list;

	(void)state;
	cs_result_init(&result);
	node = cs_result_object(&result, result.root, "source", "Trace");
	cs_result_string(&result, node, "path", "file", "a trace \x1b[1m");
	cs_result_string(&result, node, "kernel", "kernel", NULL);
	cs_result_int(&result, node, "machine", NULL, CS_UNIT_COUNT, 99);
	cs_result_int(&result, node, "cpus", "CPUs", CS_UNIT_COUNT, 4);
	list = cs_result_list(&result, node, "seen", "events seen");
	for (int i = 0; i < 8; i++)
		cs_result_string(&result, list, NULL, NULL, "sched_switch");
	cs_result_list(&result, node, "missing", "events missing");
	node = cs_result_object(&result, result.root, "health", "Health");
	cs_result_int(&result, node, "events", "events", CS_UNIT_COUNT, 9240000);
	cs_result_int(&result, node, "lost", "lost", CS_UNIT_COUNT, 0);
	cs_result_int(&result, node, "worst", "worst", CS_UNIT_NS, 1234);
	cs_result_bool(&result, node, "good", "good", true);
	cs_result_real(&result, node, "share", "share", 0.123456);
	cs_result_null(&result, node, "none", "none");
	cs_result_note(&result, node,
		       "Nothing was lost. Each CPU is counted from its own first event "
		       "on, so that sums differ by that much.");
	cs_result_note(&result, node, "A second note with \x80.");
	node = cs_result_object(&result, result.root, "machine", NULL);
	cs_result_int(&result, node, "i", "not seen", CS_UNIT_COUNT, 1);
	node = cs_result_object(&result, result.root, "empty", "Not seen");
	cs_result_int(&result, node, "i", NULL, CS_UNIT_COUNT, 1);
	expect_text(&result, 60,
		    "Trace\n"
		    "=====\n"
		    "  file            a trace \\x1b[1m\n"
		    "  kernel          -\n"
		    "  CPUs            4\n"
		    "  events seen     sched_switch, sched_switch, sched_switch,\n"
		    "                  sched_switch, sched_switch, sched_switch,\n"
		    "                  sched_switch, sched_switch\n"
		    "  events missing  none\n"
		    "\n"
		    "Health\n"
		    "======\n"
		    "  events  9,240,000\n"
		    "  lost            0\n"
		    "  worst    1.234 us\n"
		    "  good    yes\n"
		    "  share      0.1235\n"
		    "  none    -\n"
		    "\n"
		    "  Nothing was lost. Each CPU is counted from its own first\n"
		    "  event on, so that sums differ by that much.\n"
		    "  A second note with \\x80.\n");
	cs_result_fini(&result);
}

static const struct cs_column task_columns[] = {
	{"pid", "pid", CS_TYPE_INT, CS_UNIT_PID},
	{"comm", "task", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"prio", "priority", CS_TYPE_INT, CS_UNIT_PRIO},
	{"cpu", NULL, CS_TYPE_INT, CS_UNIT_CPU},
	{"switches", "switches", CS_TYPE_INT, CS_UNIT_COUNT},
	{"run_ns", "ran", CS_TYPE_INT, CS_UNIT_NS},
};

static void fill_tasks(struct cs_result *result, struct cs_node *table, int rows)
{
	static const char *const comms[] = {"swapper/0", "a\xc3\xa9 [1m\x1b", "", NULL};
	static const int64_t prios[] = {-1, 9, 120, CS_INT_NULL};

	for (int i = 0; i < rows; i++) {
		union cs_cell *row = cs_result_row(result, table);

		row[0].integer = i * 333;
		row[1].text = comms[i % 4];
		row[2].integer = prios[i % 4];
		row[4].integer = i * 1234;
		row[5].integer = (int64_t)i * i * i * 7654321;
	}
}

static void tables(void **state)
{
	struct cs_result result;
	struct cs_node *node, *table;

	(void)state;
	cs_result_init(&result);
	node = cs_result_object(&result, result.root, "switches", "Context switches");
	table = cs_result_table(&result, node, "t", "Tasks", task_columns,
				COUNT(task_columns), 4);
	fill_tasks(&result, table, 1007);
	cs_result_table(&result, node, "e", "Empty", task_columns, COUNT(task_columns),
			4);
	cs_result_table(&result, node, "m", NULL, task_columns, COUNT(task_columns), 4);
	expect_text(&result, 80,
		    "Context switches\n"
		    "================\n"
		    "  Tasks\n"
		    "    pid  task               priority        switches       ran\n"
		    "      0  swapper/0           -1 (deadline)         0      0 ns\n"
		    "    333  a\\xc3\\xa9 [1m\\x1b    9 (RT 90)        1,234  7.654 ms\n"
		    "    666  \"\"                 120 (nice 0)       2,468  61.23 ms\n"
		    "    999  -                    -                3,702  206.7 ms\n"
		    "    1,003 more (all of them: -f json)\n"
		    "\n"
		    "  Empty\n"
		    "    none\n");
	expect_text(&result, 61,
		    "Context switches\n"
		    "================\n"
		    "  Tasks\n"
		    "    pid task              priority       switches      ran\n"
		    "      0 swapper/0          -1 (deadline)        0     0 ns\n"
		    "    333 a\\xc3\\xa9 [1m\\x1b   9 (RT 90)       1,234 7.654 ms\n"
		    "    666 \"\"                120 (nice 0)      2,468 61.23 ms\n"
		    "    999 -                   -               3,702 206.7 ms\n"
		    "    1,003 more (all of them: -f json)\n"
		    "\n"
		    "  Empty\n"
		    "    none\n");
	expect_text(&result, 54,
		    "Context switches\n"
		    "================\n"
		    "  Tasks\n"
		    "    pid  task               priority        switches\n"
		    "      0  swapper/0           -1 (deadline)         0\n"
		    "    333  a\\xc3\\xa9 [1m\\x1b    9 (RT 90)        1,234\n"
		    "    666  \"\"                 120 (nice 0)       2,468\n"
		    "    999  -                    -                3,702\n"
		    "    too wide to show here: ran\n"
		    "    1,003 more (all of them: -f json)\n"
		    "\n"
		    "  Empty\n"
		    "    none\n");
	cs_result_fini(&result);
}

static const struct cs_column stat_columns[] = {
	{"pid", "pid", CS_TYPE_INT, CS_UNIT_PID},
	{"wakeup", "wakeup", CS_TYPE_STAT, CS_UNIT_NONE},
	{"ran", "ran", CS_TYPE_OBJECT, CS_UNIT_NONE},
	{"by", "by", CS_TYPE_OBJECT, CS_UNIT_NONE},
};

static void statistics(void **state)
{
	struct cs_result result;
	struct cs_node *node, *table, *ran, *by;
	union cs_cell *row;

	(void)state;
	cs_result_init(&result);
	node = cs_result_object(&result, result.root, "latency", "Latency");
	cs_result_hist(&result, node, "a", "all", NULL)->stat = some;
	cs_result_note(&result, NULL, "nowhere");
	cs_result_hist(&result, node, "m", NULL, NULL);
	cs_result_hist(&result, node, "n", "no samples", NULL);
	table = cs_result_table(&result, node, "t", "Tasks", stat_columns,
				COUNT(stat_columns), 5);
	row = cs_result_row(&result, table);
	row[0].integer = 50;
	row[1].stat = &some;
	ran = cs_result_table(&result, NULL, NULL, NULL, task_columns,
			      COUNT(task_columns), 2);
	fill_tasks(&result, ran, 3);
	row[2].node = ran;
	by = cs_result_list(&result, NULL, NULL, NULL);
	cs_result_int(&result, by, NULL, NULL, CS_UNIT_PID, 1);
	cs_result_int(&result, by, NULL, NULL, CS_UNIT_PID, 2);
	row[3].node = by;
	row = cs_result_row(&result, table);
	row[0].integer = 51;
	expect_text(
		&result, 80,
		"Latency\n"
		"=======\n"
		"               count     min      mean       p50       p99  p99.9       max\n"
		"  all         12,345  800 ns  496.7 us  366.6 us  1.712 ms   2 ns  1.980 ms\n"
		"  no samples       0       -         -         -         -      -         -\n"
		"\n"
		"  Tasks\n"
		"         ------------------- wakeup -------------------\n"
		"    pid   count      mean       p50       p99       max\n"
		"     50  12,345  496.7 us  366.6 us  1.712 ms  1.980 ms\n"
		"        ran:   0  swapper/0           -1 (deadline)      0      0 ns\n"
		"             333  a\\xc3\\xa9 [1m\\x1b    9 (RT 90)     1,234  7.654 ms\n"
		"             1 more (all of them: -f json)\n"
		"        by: 1, 2\n"
		"     51       -         -         -         -         -\n");
	expect_text(&result, 40,
		    "Latency\n"
		    "=======\n"
		    "               count       p99       max\n"
		    "  all         12,345  1.712 ms  1.980 ms\n"
		    "  no samples       0         -         -\n"
		    "\n"
		    "  Tasks\n"
		    "         --------- wakeup ---------\n"
		    "    pid   count       p99       max\n"
		    "     50  12,345  1.712 ms  1.980 ms\n"
		    "        ran:   0  swapper/0\n"
		    "             333  a\\xc3\\xa9 [1m\\x1b\n"
		    "             1 more (all of them: -f json)\n"
		    "        by: 1, 2\n"
		    "     51       -         -         -\n");
	cs_result_fini(&result);
}

/* A last column of prose is wrapped; a text of its own stands below its row. */
static void prose(void **state)
{
	static const struct cs_column columns[] = {
		{"status", "status", CS_TYPE_TEXT, CS_UNIT_NONE},
		{"found", "found", CS_TYPE_TEXT, CS_UNIT_NONE},
		{"mend", "to mend it", CS_TYPE_OBJECT, CS_UNIT_NONE},
	};
	struct cs_result result;
	struct cs_node *table;
	union cs_cell *row;

	(void)state;
	cs_result_init(&result);
	table = cs_result_table(&result, result.root, "t", "Checks", columns,
				COUNT(columns), 9);
	row = cs_result_row(&result, table);
	row[0].text = "ok";
	row[1].text = "a\\b \x80 and many words that do not all fit into one line";
	row[2].node = cs_result_string(&result, NULL, NULL, NULL,
				       "words of advice, of which there are many");
	row = cs_result_row(&result, table);
	row[0].text = "warning";
	expect_text(&result, 40,
		    "Checks\n"
		    "======\n"
		    "  status   found\n"
		    "  ok       a\\\\b \\x80 and many words that\n"
		    "           do not all fit into one line\n"
		    "      to mend it: words of advice, of\n"
		    "                  which there are many\n"
		    "  warning  -\n");
	cs_result_fini(&result);
}

static void sections(void **state)
{
	struct cs_result result;
	struct cs_node *node, *inner, *list, *item;

	(void)state;
	cs_result_init(&result);
	result.root->label = "Report";
	cs_result_int(&result, result.root, "a", "a", CS_UNIT_COUNT, 1);
	node = cs_result_object(&result, result.root, "o", "Outer");
	inner = cs_result_object(&result, node, "i", "Inner");
	cs_result_int(&result, inner, "b", "b", CS_UNIT_COUNT, 2);
	list = cs_result_list(&result, node, "l", "Items");
	item = cs_result_object(&result, list, NULL, "First");
	cs_result_int(&result, item, "c", "c", CS_UNIT_COUNT, 3);
	item = cs_result_object(&result, list, NULL, NULL);
	cs_result_int(&result, item, "c", "c", CS_UNIT_COUNT, 4);
	expect_text(&result, 80,
		    "Report\n"
		    "======\n"
		    "a  1\n"
		    "\n"
		    "Outer\n"
		    "=====\n"
		    "  Inner\n"
		    "    b  2\n"
		    "\n"
		    "  Items\n"
		    "    First\n"
		    "      c  3\n"
		    "\n"
		    "    c  4\n");
	cs_result_fini(&result);
}

/* ---- JSON ----------------------------------------------------------------------- */

static void json_reads_back(void **state)
{
	struct cs_result result;
	struct cs_node *node, *table, *list;
	union cs_cell *row;
	json_error_t error;
	json_t *json, *value;
	char *text;

	(void)state;
	cs_result_init(&result);
	node = cs_result_object(&result, result.root, "health", "Health");
	cs_result_note(&result, node, "for people only");
	cs_result_int(&result, node, "max", NULL, CS_UNIT_NS, INT64_MAX);
	cs_result_int(&result, node, "null", NULL, CS_UNIT_NS, CS_INT_NULL);
	cs_result_bool(&result, node, "no", NULL, false);
	cs_result_real(&result, node, "third", NULL, 1.0 / 3);
	cs_result_real(&result, node, "nan", NULL, NAN);
	cs_result_real(&result, node, "inf", NULL, INFINITY);
	cs_result_string(&result, node, "none", NULL, NULL);
	list = cs_result_list(&result, node, "list", NULL);
	cs_result_int(&result, list, NULL, NULL, CS_UNIT_PID, 1);
	cs_result_note(&result, list, "nor here");
	cs_result_int(&result, list, NULL, NULL, CS_UNIT_PID, 2);
	cs_result_list(&result, node, "empty_list", NULL);
	cs_result_object(&result, node, "empty_object", NULL);
	cs_result_hist(&result, node, "some", NULL, NULL)->stat = some;
	cs_result_hist(&result, node, "nothing", NULL, NULL);
	table = cs_result_table(&result, node, "table", NULL, stat_columns,
				COUNT(stat_columns), 1);
	for (int i = 0; i < 3; i++) {
		row = cs_result_row(&result, table);
		row[0].integer = i;
		row[1].stat = i ? &some : NULL;
		row[2].node = cs_result_table(&result, NULL, NULL, NULL, task_columns,
					      COUNT(task_columns), 0);
		fill_tasks(&result, row[2].node, i);
	}
	cs_result_table(&result, node, "empty_table", NULL, stat_columns, 4, 1);

	text = rendered(&result, "json", 0);
	json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!json)
		fail_msg("%s, line %d:\n%s", error.text, error.line, text);
	assert_int_equal(json_object_size(json), 1);
	json_t *health = json_object_get(json, "health");

	assert_int_equal(json_object_size(health), 14);
	assert_true(json_integer_value(json_object_get(health, "max")) == INT64_MAX);
	assert_true(json_is_null(json_object_get(health, "null")));
	assert_true(json_is_false(json_object_get(health, "no")));
	assert_true(json_real_value(json_object_get(health, "third")) == 1.0 / 3);
	assert_true(json_is_null(json_object_get(health, "nan")));
	assert_true(json_is_null(json_object_get(health, "inf")));
	assert_true(json_is_null(json_object_get(health, "none")));
	assert_int_equal(json_array_size(json_object_get(health, "list")), 2);
	assert_true(json_is_array(json_object_get(health, "empty_list")));
	assert_true(json_is_object(json_object_get(health, "empty_object")));
	assert_int_equal(json_array_size(json_object_get(health, "empty_table")), 0);

	value = json_object_get(health, "some");
	assert_int_equal(json_object_size(value), 10);
	assert_int_equal(json_integer_value(json_object_get(value, "p99_ns")), 1712000);
	value = json_object_get(health, "nothing");
	assert_int_equal(json_object_size(value), 10);
	assert_int_equal(json_integer_value(json_object_get(value, "count")), 0);
	assert_true(json_is_null(json_object_get(value, "max_ns")));

	value = json_object_get(health, "table");
	assert_int_equal(json_array_size(value), 3);
	assert_true(json_is_null(json_object_get(json_array_get(value, 0), "wakeup")));
	value = json_object_get(json_array_get(value, 2), "ran");
	assert_int_equal(json_array_size(value), 2);
	assert_int_equal(json_object_size(json_array_get(value, 0)), COUNT(task_columns));
	json_decref(json);
	free(text);
	cs_result_fini(&result);
}

static void json_texts(void **state)
{
	static const struct {
		const char *text;
		const char *expected; /* NULL: the same */
	} cases[] = {
		{"", NULL},
		{"a prev_pid=1 ==> b", NULL},
		{"\"\\/", NULL},
		{"\x01\x1f\x7f\n", NULL},
		{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7", NULL},
		{"\xc2\x80\xc2\x9b\xc2\xa0", NULL},
		{"\xff", "\xef\xbf\xbd"},
		{"a\xc3", "a\xef\xbf\xbd"},
		{"\xc3(", "\xef\xbf\xbd("},
		{"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xe0\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xed\x9f\xbf", NULL},
		{"\xf4\x8f\xbf\xbf", NULL},
		{"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xf0\x8f\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xf5", "\xef\xbf\xbd"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *expected = cases[i].expected ? cases[i].expected
							 : cases[i].text;
		struct cs_result result;
		json_error_t error;
		json_t *json;
		char *text;

		cs_result_init(&result);
		cs_result_string(&result, result.root, "t", NULL, cases[i].text);
		text = rendered(&result, "json", 0);
		json = json_loads(text, 0, &error);
		if (!json)
			fail_msg("case %zu: %s\n%s", i, error.text, text);
		assert_string_equal(json_string_value(json_object_get(json, "t")),
				    expected);
		assert_null(strchr(text, 0x1b));
		assert_null(strstr(text, "\xc2\x9b"));
		json_decref(json);
		free(text);
		cs_result_fini(&result);
	}
}

/* Every two bytes there are, in a comm of 16: always JSON. */
static void json_any_bytes(void **state)
{
	(void)state;
	for (int a = 1; a < 256; a++) {
		struct cs_result result;
		struct cs_node *list;
		char comm[17] = "";
		json_error_t error;
		json_t *json;
		char *text;

		cs_result_init(&result);
		list = cs_result_list(&result, result.root, "l", NULL);
		for (int b = 1; b < 256; b++) {
			for (int i = 0; i < 16; i++)
				comm[i] = (char)(i % 3 ? b + i : a);
			cs_result_string(&result, list, NULL, NULL, comm);
		}
		text = rendered(&result, "json", 0);
		json = json_loads(text, 0, &error);
		if (!json)
			fail_msg("byte %d: %s", a, error.text);
		json_decref(json);
		free(text);
		cs_result_fini(&result);
	}
}

static void renderers(void **state)
{
	(void)state;
	assert_ptr_equal(cs_renderer_find("text"), &cs_renderer_text);
	assert_ptr_equal(cs_renderer_find("json"), &cs_renderer_json);
	assert_null(cs_renderer_find("tex"));
	assert_null(cs_renderer_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations),	   cmocka_unit_test(integers),
		cmocka_unit_test(texts),	   cmocka_unit_test(lines_and_notes),
		cmocka_unit_test(tables),	   cmocka_unit_test(statistics),
		cmocka_unit_test(sections),	   cmocka_unit_test(prose),
		cmocka_unit_test(json_reads_back), cmocka_unit_test(json_texts),
		cmocka_unit_test(json_any_bytes),  cmocka_unit_test(renderers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

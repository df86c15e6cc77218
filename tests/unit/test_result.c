/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The result tree: building, growing tables, finding values by path, and what
 * happens when memory is short.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/result.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct cs_column columns[] = {
	{"pid", "pid", CS_TYPE_INT, CS_UNIT_PID}, {"share", "share", CS_TYPE_REAL, 0},
	{"comm", "comm", CS_TYPE_TEXT, 0},	  {"ok", "ok", CS_TYPE_BOOL, 0},
	{"wakeup", "wakeup", CS_TYPE_STAT, 0},	  {"ran", NULL, CS_TYPE_OBJECT, 0},
};

static void builds_in_order(void **state)
{
	struct cs_result result;
	struct cs_node *object, *child;
	char text[] = "changes";

	(void)state;
	cs_result_init(&result);
	assert_false(result.failed);
	assert_int_equal(result.root->type, CS_TYPE_OBJECT);
	object = cs_result_object(&result, result.root, "a", "A");
	cs_result_int(&result, object, "i", "I", CS_UNIT_NS, -5);
	cs_result_note(&result, object, "a note");
	cs_result_string(&result, object, "t", NULL, text);
	cs_result_string(&result, object, "n", NULL, NULL);
	memset(text, 'x', sizeof(text) - 1);

	child = object->children.first;
	assert_int_equal(child->integer, -5);
	assert_int_equal(child->unit, CS_UNIT_NS);
	child = child->next;
	assert_int_equal(child->type, CS_TYPE_NOTE);
	assert_null(child->key);
	child = child->next;
	assert_string_equal(child->text, "changes");
	child = child->next;
	assert_null(child->text);
	assert_null(child->next);
	assert_ptr_equal(object->children.last, child);
	assert_null(cs_result_text(&result, NULL));
	cs_result_fini(&result);
	cs_result_fini(&result);
}

static void tables_grow(void **state)
{
	enum { TABLES = 3, ROWS = 5000 };
	struct cs_node *tables[TABLES];
	struct cs_result result;
	char text[32];

	(void)state;
	cs_result_init(&result);
	for (int t = 0; t < TABLES; t++)
		tables[t] = cs_result_table(&result, result.root, "t", "T", columns,
					    COUNT(columns), 10);
	/* In turn, so that the blocks are neighbours of each other. */
	for (int i = 0; i < ROWS; i++) {
		for (int t = 0; t < TABLES; t++) {
			union cs_cell *row = cs_result_row(&result, tables[t]);

			assert_true(row[0].integer == CS_INT_NULL);
			assert_true(row[1].real != row[1].real);
			assert_null(row[2].text);
			assert_true(row[3].integer == CS_INT_NULL);
			assert_null(row[4].stat);
			assert_null(row[5].node);
			row[0].integer = i * TABLES + t;
			snprintf(text, sizeof(text), "task-%d-%d", t, i);
			row[2].text = cs_result_text(&result, text);
			row[4].stat = cs_result_stat(&result, NULL);
		}
	}
	assert_false(result.failed);
	for (int t = 0; t < TABLES; t++) {
		assert_int_equal(tables[t]->table.rows_count, ROWS);
		for (int i = 0; i < ROWS; i++) {
			union cs_cell *row = tables[t]->table.cells + i * COUNT(columns);

			snprintf(text, sizeof(text), "task-%d-%d", t, i);
			assert_int_equal(row[0].integer, i * TABLES + t);
			assert_string_equal(row[2].text, text);
			assert_int_equal(row[4].stat->count, 0);
			assert_true(row[4].stat->max_ns == CS_STAT_NONE);
		}
	}
	cs_result_fini(&result);
}

static void large_text(void **state)
{
	static char text[100000];
	struct cs_result result;
	const char *a, *b;

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	cs_result_init(&result);
	a = cs_result_text(&result, text);
	b = cs_result_text(&result, "small");
	assert_string_equal(a, text);
	assert_string_equal(b, "small");
	cs_result_fini(&result);
}

static void short_of_memory(void **state)
{
	struct cs_result result;
	struct cs_node *table;

	(void)state;
	cs_result_init(&result);
	/* A row larger than the address space. */
	table = cs_result_table(&result, result.root, "t", "T", columns, UINT32_MAX, 10);
	table->table.rows_room = table->table.rows_count = 1u << 30;
	assert_null(cs_result_row(&result, table));
	assert_true(result.failed);
	table->table.rows_room = table->table.rows_count = 0;
	/* Building goes on below the missing parent. */
	assert_null(cs_result_row(&result, NULL));
	assert_non_null(cs_result_int(&result, NULL, "i", NULL, CS_UNIT_NONE, 1));
	assert_true(result.failed);
	cs_result_fini(&result);
}

static void finds(void **state)
{
	static const struct {
		const char *path;
		int ret;
		double value;
	} cases[] = {
		{"latency.wakeup.max_ns", 0, 30},
		{"latency.wakeup.count", 0, 3},
		{"latency.wakeup.p99_9_ns", 0, 30},
		{"latency.wakeup.stddev_ns", -ENODATA, 0},
		{"latency.none.max_ns", -ENODATA, 0},
		{"latency.none.count", 0, 0},
		{"latency.wakeup", -EINVAL, 0},
		{"latency.wakeup.", -ENOENT, 0},
		{"latency.wakeup.max_ns.x", -ENOENT, 0},
		{"latency.wakeup.nothing", -ENOENT, 0},
		{"latency", -EINVAL, 0},
		{"latency.", -ENOENT, 0},
		{"latenc.wakeup", -ENOENT, 0},
		{"latency2", -ENOENT, 0},
		{"", -ENOENT, 0},
		{".", -ENOENT, 0},
		{"..", -ENOENT, 0},
		{"lost", 0, 7},
		{"lost.x", -ENOENT, 0},
		{"null", -ENODATA, 0},
		{"null_int", -ENODATA, 0},
		{"nan", -ENODATA, 0},
		{"real", 0, 2.5},
		{"yes", 0, 1},
		{"text", -EINVAL, 0},
		{"table", -EINVAL, 0},
		{"table.pid", -ENOENT, 0},
	};
	const struct cs_stat stat = {3, 10, 20, 30, CS_STAT_NONE, 20, 30, 30, 30, 30};
	struct cs_result result;
	struct cs_node *latency, *wakeup;

	(void)state;
	cs_result_init(&result);
	latency = cs_result_object(&result, result.root, "latency", NULL);
	cs_result_note(&result, latency, "no key");
	wakeup = cs_result_hist(&result, latency, "wakeup", NULL, NULL);
	wakeup->stat = stat;
	cs_result_hist(&result, latency, "none", NULL, NULL);
	cs_result_int(&result, result.root, "lost", NULL, CS_UNIT_COUNT, 7);
	cs_result_null(&result, result.root, "null", NULL);
	cs_result_int(&result, result.root, "null_int", NULL, CS_UNIT_NS, CS_INT_NULL);
	cs_result_real(&result, result.root, "nan", NULL, __builtin_nan(""));
	cs_result_real(&result, result.root, "real", NULL, 2.5);
	cs_result_bool(&result, result.root, "yes", NULL, true);
	cs_result_string(&result, result.root, "text", NULL, "5");
	cs_result_table(&result, result.root, "table", NULL, columns, COUNT(columns), 1);
	for (size_t i = 0; i < COUNT(cases); i++) {
		double value = 0;
		int ret = cs_result_find(result.root, cases[i].path, &value);

		if (ret != cases[i].ret || value != cases[i].value)
			fail_msg("%s: %d %g", cases[i].path, ret, value);
	}
	cs_result_fini(&result);
}

static void stat_members_are_whole(void **state)
{
	size_t i = 0;

	(void)state;
	for (const struct cs_stat_member *m = cs_stat_members; m->key; m++, i++)
		assert_true(m->offset % 8 == 0 && m->offset < sizeof(struct cs_stat));
	assert_int_equal(i * 8, sizeof(struct cs_stat));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builds_in_order),
		cmocka_unit_test(tables_grow),
		cmocka_unit_test(large_text),
		cmocka_unit_test(short_of_memory),
		cmocka_unit_test(finds),
		cmocka_unit_test(stat_members_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

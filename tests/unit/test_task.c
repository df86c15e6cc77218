/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of tasks: the youngest of each pid is found, none is forgotten, and a
 * comm is kept clean.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/task.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void new_tasks_are_unknown(void **state)
{
	struct cs_task_table table;
	struct cs_task *task;

	(void)state;
	assert_int_equal(cs_task_table_init(&table), 0);
	assert_null(cs_task_find(&table, 5));
	task = cs_task_add(&table, 5, 123);
	assert_non_null(task);
	assert_int_equal(task->pid, 5);
	assert_int_equal(task->index, 0);
	assert_int_equal(task->tgid, CS_PID_UNKNOWN);
	assert_int_equal(task->kernel, CS_UNKNOWN);
	assert_int_equal(task->prio, CS_PRIO_UNKNOWN);
	assert_int_equal(task->base_prio, CS_PRIO_UNKNOWN);
	assert_int_equal(task->state, CS_TASK_UNKNOWN);
	assert_int_equal(task->cpu, CS_CPU_UNKNOWN);
	assert_int_equal(task->begin, 123);
	assert_string_equal(task->comm, "");
	assert_ptr_equal(cs_task_find(&table, 5), task);
	assert_null(cs_task_find(&table, 6));
	cs_task_table_fini(&table);
	cs_task_table_fini(&table);
}

/* Thousands of pids, also such as share a bucket, each with several lives. */
static void many_lives(void **state)
{
	enum { PIDS = 3000, LIVES = 3 };
	static const int32_t strides[] = {1, 256, 4096, 1 << 19};

	(void)state;
	for (size_t s = 0; s < COUNT(strides); s++) {
		struct cs_task_table table;
		uint32_t index = 0;

		assert_int_equal(cs_task_table_init(&table), 0);
		for (int life = 0; life < LIVES; life++) {
			for (int i = 0; i < PIDS; i++) {
				int32_t pid = 1 + i * strides[s];
				struct cs_task *task = cs_task_add(&table, pid, index);

				assert_non_null(task);
				assert_int_equal(task->index, index++);
				assert_ptr_equal(cs_task_find(&table, pid), task);
			}
		}
		assert_int_equal(table.count, PIDS * LIVES);
		for (uint32_t i = 0; i < table.count; i++) {
			const struct cs_task *task = table.tasks[i];

			assert_int_equal(task->index, i);
			assert_int_equal(task->begin, i);
			assert_int_equal(task->pid, 1 + (int32_t)(i % PIDS) * strides[s]);
			assert_ptr_equal(cs_task_find(&table, task->pid),
					 table.tasks[(LIVES - 1) * PIDS + i % PIDS]);
		}
		cs_task_table_fini(&table);
	}
}

static void idle_is_never_found(void **state)
{
	struct cs_task_table table;

	(void)state;
	assert_int_equal(cs_task_table_init(&table), 0);
	assert_non_null(cs_task_add(&table, 0, 1));
	assert_non_null(cs_task_add(&table, 0, 2));
	assert_int_equal(table.count, 2);
	assert_null(cs_task_find(&table, 0));
	assert_ptr_not_equal(table.tasks[0], table.tasks[1]);
	cs_task_table_fini(&table);
}

static void comms(void **state)
{
	static const struct {
		const char *bytes;
		const char *comm;
		unsigned int earlier;
	} steps[] = {
		{"one\0rubbish..........", "one", 0},
		{"one\0other rubbish....", "one", 0},
		{"fifteen bytes 15\0", "fifteen bytes 15", 1},
		{"fifteen bytes 15and behind", "fifteen bytes 15", 1},
		{"\xff\n\x01\0...............", "\xff\n\x01", 2},
		{"four\0...............", "four", 3},
		{"five\0...............", "five", 4},
		{"six\0................", "six", 4},
	};
	struct cs_task_table table;
	struct cs_task *task;

	(void)state;
	assert_int_equal(cs_task_table_init(&table), 0);
	task = cs_task_add(&table, 1, 0);
	assert_non_null(task);
	for (size_t i = 0; i < COUNT(steps); i++) {
		cs_task_set_comm(task, steps[i].bytes);
		assert_string_equal(task->comm, steps[i].comm);
		assert_int_equal(task->comms_count, steps[i].earlier);
	}
	/* the oldest are kept */
	assert_string_equal(task->comms[0], "one");
	assert_string_equal(task->comms[1], "fifteen bytes 15");
	assert_string_equal(task->comms[2], "\xff\n\x01");
	assert_string_equal(task->comms[3], "four");
	cs_task_table_fini(&table);
}

static void real_time_is_0_to_99(void **state)
{
	(void)state;
	assert_false(cs_prio_is_rt(-1));
	assert_true(cs_prio_is_rt(0));
	assert_true(cs_prio_is_rt(99));
	assert_false(cs_prio_is_rt(100));
	assert_false(cs_prio_is_rt(CS_PRIO_UNKNOWN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_tasks_are_unknown), cmocka_unit_test(many_lives),
		cmocka_unit_test(idle_is_never_found),	 cmocka_unit_test(comms),
		cmocka_unit_test(real_time_is_0_to_99),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

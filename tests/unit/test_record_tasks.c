/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names and processes of tasks: what /proc and saved_cmdlines say, and what
 * the trace then carries.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "user/record/tasks.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void stats(void **state)
{
	static const struct {
		const char *text;
		int ret;
		int32_t pid;
		bool kernel;
		const char *comm;
	} cases[] = {
		{"1 (init) S 0 1 1 0 -1 4194560 5", 0, 1, false, "init"},
		{"2 (kthreadd) S 0 0 0 0 -1 2129984 0", 0, 2, true, "kthreadd"},
		{"7 (a b) S 1 7 7 0 -1 64 0", 0, 7, false, "a b"},
		{"7 (a) (b) R 1 7 7 0 -1 64 0", 0, 7, false, "a) (b"},
		{"7 () R 1 7 7 0 -1 64 0", 0, 7, false, ""},
		{"7 (a\nb\tc) R 1 7 7 0 -1 64 0", 0, 7, false, "a?b?c"},
		{"7 (0123456789abcdef) R 1 7 7 0 -1 64 0", 0, 7, false,
		 "0123456789abcde"},
		{"7 (\xc3\xa4) R 1 7 7 0 -1 64 0", 0, 7, false, "\xc3\xa4"},
		/* the kernel adds the work to the name, events do not have it */
		{"9 (kworker/0:1-events) I 2 0 0 0 -1 69238880 0", 0, 9, true,
		 "kworker/0:1"},
		{"9 (kworker/u8:0+ev) I 2 0 0 0 -1 69238880 0", 0, 9, true,
		 "kworker/u8:0"},
		{"9 (kworker/R-rcu_gp) I 2 0 0 0 -1 69238880 0", 0, 9, true,
		 "kworker/R-rcu_g"},
		{"9 (kworker/0:1-x) S 1 9 9 0 -1 64 0", 0, 9, false, "kworker/0:1-x"},
		{"", -EINVAL, 0, false, ""},
		{"7", -EINVAL, 0, false, ""},
		{"7 (a", -EINVAL, 0, false, ""},
		{"7 )a(", -EINVAL, 0, false, ""},
		{"7 (a) R 1 7", -EINVAL, 0, false, ""},
		{"x (a) R 1 7 7 0 -1 64 0", -EINVAL, 0, false, ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cs_tasks tasks = {0};
		int ret = cs_tasks_stat(&tasks, cases[i].text, 42, CS_TASKS_START);

		if (ret != cases[i].ret || tasks.count != (size_t)(ret == 0))
			fail_msg("case %zu: %d", i, ret);
		if (!ret && (tasks.entries[0].pid != cases[i].pid ||
			     tasks.entries[0].tgid != 42 ||
			     tasks.entries[0].kernel != cases[i].kernel ||
			     strcmp(tasks.entries[0].comm, cases[i].comm)))
			fail_msg("case %zu: %d '%s'", i, tasks.entries[0].pid,
				 tasks.entries[0].comm);
		cs_tasks_fini(&tasks);
	}
}

static void add(struct cs_tasks *tasks, int pid, int tgid, unsigned long flags,
		const char *comm, enum cs_tasks_source source)
{
	char text[128];

	snprintf(text, sizeof(text), "%d (%s) S 1 1 1 0 -1 %lu 0", pid, comm, flags);
	assert_int_equal(cs_tasks_stat(tasks, text, tgid, source), 0);
}

static void cmdlines(void **state)
{
	struct cs_tasks tasks = {0};
	size_t size;
	char *text;

	(void)state;
	add(&tasks, 30, 30, 0, "at-the-end", CS_TASKS_END);
	add(&tasks, 10, 10, 0, "first", CS_TASKS_START);
	add(&tasks, 20, 20, 0, "before-exec", CS_TASKS_START);
	add(&tasks, 20, 20, 0, "after-exec", CS_TASKS_END);
	assert_int_equal(cs_tasks_saved(&tasks, "10 last\n"
						"20 between\n"
						"40 gone by now\n"
						"0 <idle>\n"
						"50 <...>\n"
						"-1 negative\n"
						"junk\n"
						"60\n"
						"99999999999 large\n"
						"70 no newline"),
			 0);
	text = cs_tasks_cmdlines(&tasks, &size);
	assert_non_null(text);
	assert_string_equal(text,
			    "10 last\n20 after-exec\n30 at-the-end\n40 gone by now\n"
			    "70 no newline\n");
	assert_int_equal(size, strlen(text));
	free(text);
	cs_tasks_fini(&tasks);

	text = cs_tasks_cmdlines(&tasks, &size);
	assert_non_null(text);
	assert_int_equal(size, 0);
	free(text);
}

struct lines {
	char text[8192];
	size_t used;
	int count;
	int refuse_at;
};

static int take_line(void *arg, const char *line, size_t length)
{
	struct lines *lines = arg;

	if (lines->count == lines->refuse_at)
		return -EBADF;
	assert_true(length <= CS_TASKS_MARKER);
	assert_int_equal(line[length - 1], '\n');
	assert_true(lines->used + length < sizeof(lines->text));
	memcpy(lines->text + lines->used, line, length);
	lines->used += length;
	lines->text[lines->used] = '\0';
	lines->count++;
	return 0;
}

static void markers(void **state)
{
	struct lines lines = {.refuse_at = -1};
	struct cs_tasks tasks = {0};
	int words = 0;

	(void)state;
	assert_int_equal(cs_tasks_markers(&tasks, take_line, &lines), 0);
	assert_int_equal(lines.count, 0);

	add(&tasks, 1, 1, 0, "init", CS_TASKS_START);
	add(&tasks, 2, 2, 0x200000, "kthreadd", CS_TASKS_START);
	add(&tasks, 35, 34, 0, "thread", CS_TASKS_START);
	add(&tasks, 99, 99, 0, "later", CS_TASKS_END);
	assert_int_equal(cs_tasks_saved(&tasks, "77 saved\n"), 0);
	assert_int_equal(cs_tasks_markers(&tasks, take_line, &lines), 0);
	assert_string_equal(lines.text, "ctxsw:tasks 1/1 2/2k 35/34\n");
	cs_tasks_fini(&tasks);

	/* many: several lines, each whole, nothing missing */
	lines = (struct lines){.refuse_at = -1};
	for (int pid = 10000; pid < 10500; pid++)
		add(&tasks, pid, pid / 10, 0, "many", CS_TASKS_START);
	assert_int_equal(cs_tasks_markers(&tasks, take_line, &lines), 0);
	assert_int_equal(lines.count, 7);
	for (const char *at = lines.text; (at = strchr(at, '/')); at++)
		words++;
	assert_int_equal(words, 500);

	/* the first failure ends it */
	lines = (struct lines){.refuse_at = 2};
	assert_int_equal(cs_tasks_markers(&tasks, take_line, &lines), -EBADF);
	assert_int_equal(lines.count, 2);
	cs_tasks_fini(&tasks);
}

static void walk(void **state)
{
	struct cs_tasks tasks = {0};
	bool found = false;

	(void)state;
	assert_int_equal(cs_tasks_walk(&tasks, "/no/such/proc", CS_TASKS_START), -ENOENT);
	assert_int_equal(cs_tasks_walk(&tasks, "/proc", CS_TASKS_START), 0);
	for (size_t i = 0; i < tasks.count; i++)
		found |= tasks.entries[i].pid == tasks.entries[i].tgid &&
			 !strcmp(tasks.entries[i].comm, "test_record_tas");
	assert_true(found);
	cs_tasks_fini(&tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stats),
		cmocka_unit_test(cmdlines),
		cmocka_unit_test(markers),
		cmocka_unit_test(walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

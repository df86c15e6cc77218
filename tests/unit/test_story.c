/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stories of intervals against a look at every single ns: what ran, and how long
 * each interrupt took of it.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/story.h"
#include "tests/support/random.h"

#define TASKS  16
#define MOST   (2 * CS_CPU_RUNS + 900)
#define LENGTH 400

/* What happened, in plain arrays that forget nothing. */
struct record {
	struct cs_run runs[MOST];
	uint64_t runs_count;
	struct cs_irq irqs[MOST];
	uint64_t irqs_count;
	struct cs_task tasks[TASKS];
};

static const char *const names[] = {"a", "b", NULL};

static void push_irq(struct cs_cpu *cpu, struct record *record, const struct cs_irq *irq)
{
	cpu->irqs[cpu->irqs_count++ % CS_CPU_IRQS] = *irq;
	record->irqs[record->irqs_count++] = *irq;
}

static void push_run(struct cs_cpu *cpu, struct record *record, int task, uint64_t ts)
{
	struct cs_run run = {task < 0 ? NULL : &record->tasks[task], ts,
			     task < 0 ? CS_PRIO_UNKNOWN : 100 + task};

	cs_cpu_push_run(cpu, run.task, run.prio, ts);
	record->runs[record->runs_count++] = run;
}

static uint64_t fill(struct cs_cpu *cpu, struct record *record, struct random *random,
		     uint64_t runs, int tasks)
{
	uint64_t ts = 1000;

	memset(cpu, 0, sizeof(*cpu));
	memset(record, 0, sizeof(*record));
	for (int i = 0; i < TASKS; i++)
		record->tasks[i].pid = i;
	for (uint64_t i = 0; i < runs; i++) {
		int task = (int)random_below(random, (uint64_t)tasks + 1) - 1;

		push_run(cpu, record, task, ts);
		if (random_chance(random, 20)) {
			struct cs_irq irq = {
				.begin = ts,
				.end = ts + random_below(random, 4),
				.name = names[random_below(random, 3)],
				.nr = (int32_t)random_below(random, 2),
				.kind = (uint8_t)random_below(random, 2),
			};

			push_irq(cpu, record, &irq);
			ts = irq.end;
		}
		ts += random_below(random, 4);
	}
	return ts;
}

/* Who ran at a ns: the last run that began by then; false: not remembered. */
static bool ran_at(const struct record *record, uint64_t ts, const struct cs_task **task)
{
	uint64_t oldest = record->runs_count > CS_CPU_RUNS
				  ? record->runs_count - CS_CPU_RUNS
				  : 0;

	for (uint64_t i = record->runs_count; i > oldest; i--)
		if (record->runs[i - 1].begin <= ts) {
			*task = record->runs[i - 1].task;
			return true;
		}
	return false;
}

static void check_runs(const struct cs_story *story, const struct record *record,
		       uint64_t begin, uint64_t end)
{
	const struct cs_task *order[TASKS + 1];
	uint64_t ns[TASKS + 1] = {0}, others = 0, forgotten = 0;
	uint32_t count = 0;

	for (uint64_t ts = begin; ts < end; ts++) {
		const struct cs_task *task;
		uint32_t i = 0;

		if (!ran_at(record, ts, &task)) {
			forgotten++;
			continue;
		}
		while (i < count && order[i] != task)
			i++;
		if (i == count)
			order[count++] = task;
		ns[i]++;
	}
	for (uint32_t i = CS_STORY_TASKS; i < count; i++)
		others += ns[i];
	if (count > CS_STORY_TASKS)
		count = CS_STORY_TASKS;
	assert_int_equal(story->ran_count, count);
	assert_int_equal(story->forgotten_ns, forgotten);
	assert_int_equal(story->others_ns, others);
	assert_int_equal(!!story->others, !!others);
	for (uint32_t i = 0; i < count; i++) {
		assert_ptr_equal(story->ran[i].task, order[i]);
		assert_int_equal(story->ran[i].ns, ns[i]);
		assert_int_equal(story->ran[i].prio,
				 order[i] ? 100 + order[i]->pid : CS_PRIO_UNKNOWN);
	}
}

static void check_irqs(const struct cs_story *story, const struct record *record,
		       uint64_t begin, uint64_t end)
{
	uint64_t oldest = record->irqs_count > CS_CPU_IRQS
				  ? record->irqs_count - CS_CPU_IRQS
				  : 0;
	uint64_t sum = 0, told = 0;
	uint32_t count = 0, told_count = 0;

	for (uint64_t i = oldest; i < record->irqs_count; i++) {
		const struct cs_irq *irq = &record->irqs[i];
		uint64_t in = 0;

		for (uint64_t ts = irq->begin; ts < irq->end; ts++)
			in += ts >= begin && ts < end;
		sum += in;
		count += in > 0;
	}
	for (uint32_t i = 0; i < story->irqs_count; i++) {
		told += story->irqs[i].ns;
		told_count += story->irqs[i].count;
		for (uint32_t j = 0; j < i; j++)
			assert_false(story->irqs[i].kind == story->irqs[j].kind &&
				     story->irqs[i].nr == story->irqs[j].nr &&
				     story->irqs[i].name == story->irqs[j].name);
	}
	if (story->irqs_count < CS_STORY_IRQS) {
		assert_int_equal(told, sum);
		assert_int_equal(told_count, count);
	} else {
		assert_true(told <= sum && told_count <= count);
	}
}

static void look_at_every_ns(void **state)
{
	static const struct {
		uint64_t runs;
		int tasks;
	} cases[] = {{0, 1},
		     {1, 1},
		     {5, 2},
		     {40, 3},
		     {200, TASKS},
		     {CS_CPU_RUNS, 4},
		     {CS_CPU_RUNS + 1, 4},
		     {MOST, TASKS}};
	struct cs_cpu *cpu = malloc(sizeof(*cpu));
	struct record *record = aligned_alloc(CS_CACHE_LINE, sizeof(*record));

	(void)state;
	assert_non_null(cpu);
	assert_non_null(record);
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct random random = {c + 1};
		uint64_t last = fill(cpu, record, &random, cases[c].runs, cases[c].tasks);

		for (int i = 0; i < 60; i++) {
			uint64_t span = last - 900 + 20;
			uint64_t begin = 900 + random_below(&random, span);
			uint64_t end = begin + random_below(&random, LENGTH);
			struct cs_story story;

			if (i % 4 == 0)
				begin = last - random_below(&random, 50);
			if (end < begin)
				end = begin;
			cs_story_tell(&story, cpu, begin, end);
			check_runs(&story, record, begin, end);
			check_irqs(&story, record, begin, end);
		}
	}
	free(cpu);
	free(record);
}

/* Runs that another CPU's clock dates back: the times still add up to the interval. */
static void out_of_order(void **state)
{
	struct cs_cpu *cpu = malloc(sizeof(*cpu));
	struct record *record = aligned_alloc(CS_CACHE_LINE, sizeof(*record));

	(void)state;
	assert_non_null(cpu);
	assert_non_null(record);
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct random random = {seed};
		uint64_t begin, end, sum;
		struct cs_story story;

		fill(cpu, record, &random, 0, 1);
		for (uint64_t i = 0; i < 1 + seed % 30; i++)
			push_run(cpu, record, (int)random_below(&random, 5),
				 100 + 5 * i - random_below(&random, 12));
		begin = 90 + random_below(&random, 100);
		end = begin + random_below(&random, 100);
		cs_story_tell(&story, cpu, begin, end);
		sum = story.others_ns + story.forgotten_ns;
		for (uint32_t i = 0; i < story.ran_count; i++)
			sum += story.ran[i].ns;
		if (sum != end - begin)
			fail_msg("seed %" PRIu64 ": %" PRIu64 " of %" PRIu64, seed, sum,
				 end - begin);
	}
	free(cpu);
	free(record);
}

/* What was forgotten is not known any more; what began before stays. */
static void forgotten_runs(void **state)
{
	struct cs_cpu *cpu = malloc(sizeof(*cpu));
	struct record *record = aligned_alloc(CS_CACHE_LINE, sizeof(*record));
	struct random random = {1};
	struct cs_story story;

	(void)state;
	assert_non_null(cpu);
	assert_non_null(record);
	fill(cpu, record, &random, 0, 1);
	push_run(cpu, record, 1, 100);
	push_run(cpu, record, 2, 200);
	push_run(cpu, record, 2, 250);
	cs_cpu_forget_runs(cpu, 200);
	cs_story_tell(&story, cpu, 150, 300);
	assert_int_equal(story.ran_count, 2);
	assert_ptr_equal(story.ran[0].task, &record->tasks[1]);
	assert_int_equal(story.ran[0].ns, 50);
	assert_null(story.ran[1].task);
	assert_int_equal(story.ran[1].ns, 100);
	free(cpu);
	free(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(look_at_every_ns),
		cmocka_unit_test(out_of_order),
		cmocka_unit_test(forgotten_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

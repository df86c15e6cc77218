/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stories from a CPU's last runs and interrupts.
 */
#include "analysis/story.h"

#include <string.h>

#include "analysis/row.h"

static void add_run(struct cs_story *story, const struct cs_task *task, int32_t prio,
		    uint64_t ns)
{
	struct cs_story_run *ran = story->ran;

	for (uint32_t i = 0; i < story->ran_count; i++, ran++) {
		if (ran->task == task) {
			ran->ns += ns;
			ran->prio = prio;
			return;
		}
	}
	if (story->ran_count == CS_STORY_TASKS) {
		story->others++;
		story->others_ns += ns;
		return;
	}
	ran->task = task;
	ran->prio = prio;
	ran->ns = ns;
	story->ran_count++;
}

static void tell_runs(struct cs_story *story, const struct cs_cpu *cpu, uint64_t begin,
		      uint64_t end)
{
	uint64_t number = 0, from = begin;
	const struct cs_run *run = cs_cpu_run_at(cpu, begin, &number);

	if (!run) {
		/* too long ago: the part before the oldest run is not known */
		number = cpu->runs_count > CS_CPU_RUNS ? cpu->runs_count - CS_CPU_RUNS
						       : 0;
		run = &cpu->runs[number % CS_CPU_RUNS];
		if (number == cpu->runs_count || run->begin >= end) {
			story->forgotten_ns += end - begin;
			return;
		}
		story->forgotten_ns += run->begin - begin;
		from = run->begin;
	}
	while (from < end) {
		bool last = ++number >= cpu->runs_count;
		const struct cs_run *next = last ? NULL
						 : &cpu->runs[number % CS_CPU_RUNS];
		uint64_t to = next && next->begin < end ? next->begin : end;

		/* a change of priority may be dated back by another CPU's clock */
		if (to > from) {
			add_run(story, run->task, run->prio, to - from);
			from = to;
		}
		run = next;
	}
}

static void add_irq(struct cs_story *story, const struct cs_irq *irq, uint64_t ns)
{
	struct cs_story_irq *entry = story->irqs;

	for (uint32_t i = 0; i < story->irqs_count; i++, entry++) {
		if (entry->kind == irq->kind && entry->nr == irq->nr &&
		    entry->name == irq->name) {
			entry->ns += ns;
			entry->count++;
			return;
		}
	}
	if (story->irqs_count == CS_STORY_IRQS)
		return;
	*entry = (struct cs_story_irq){.name = irq->name,
				       .ns = ns,
				       .count = 1,
				       .nr = irq->nr,
				       .kind = irq->kind};
	story->irqs_count++;
}

static void tell_irqs(struct cs_story *story, const struct cs_cpu *cpu, uint64_t begin,
		      uint64_t end)
{
	uint64_t oldest = cpu->irqs_count > CS_CPU_IRQS ? cpu->irqs_count - CS_CPU_IRQS
							: 0;

	for (uint64_t i = oldest; i < cpu->irqs_count; i++) {
		const struct cs_irq *irq = &cpu->irqs[i % CS_CPU_IRQS];
		uint64_t from = irq->begin > begin ? irq->begin : begin;
		uint64_t to = irq->end < end ? irq->end : end;

		if (to > from)
			add_irq(story, irq, to - from);
	}
}

static void tell_piece(struct cs_story *story, const struct cs_cpu *cpu, uint64_t begin,
		       uint64_t end)
{
	if (begin >= end)
		return;
	tell_runs(story, cpu, begin, end);
	tell_irqs(story, cpu, begin, end);
}

void cs_story_tell(struct cs_story *story, const struct cs_cpu *cpu, uint64_t begin,
		   uint64_t end)
{
	memset(story, 0, sizeof(*story));
	tell_piece(story, cpu, begin, end);
}

static uint64_t between(uint64_t ts, uint64_t begin, uint64_t end)
{
	if (ts < begin)
		return begin;
	return ts < end ? ts : end;
}

void cs_story_tell_wait(struct cs_story *story, const struct cs_span *wait)
{
	uint64_t moved, last;

	if (!wait->queued) {
		cs_story_tell(story, wait->where, wait->begin, wait->end);
		return;
	}
	/* another CPU's clock may date a move out of the wait */
	moved = between(wait->moved, wait->begin, wait->end);
	last = between(wait->moved_last, moved, wait->end);
	memset(story, 0, sizeof(*story));
	tell_piece(story, wait->queued, wait->begin, moved);
	if (last > moved)
		add_run(story, NULL, CS_PRIO_UNKNOWN, last - moved);
	tell_piece(story, wait->where, last, wait->end);
}

static const struct cs_column ran_columns[] = {
	{"pid", "pid", CS_TYPE_INT, CS_UNIT_PID},
	{"comm", "task", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"prio", "prio", CS_TYPE_INT, CS_UNIT_PRIO},
	{"ns", "ran", CS_TYPE_INT, CS_UNIT_NS},
};

static void add_rest(struct cs_result *result, struct cs_node *table, const char *what,
		     uint64_t ns)
{
	union cs_cell *row = ns ? cs_result_row(result, table) : NULL;

	if (!row)
		return;
	row[1].text = what;
	row[3].integer = (int64_t)ns;
}

struct cs_node *cs_story_ran(struct cs_result *result, const struct cs_story *story)
{
	struct cs_node *table = cs_result_table(result, NULL, NULL, "what ran meanwhile",
						ran_columns, 4, CS_STORY_TASKS + 2);

	add_rest(result, table, "(too long ago)", story->forgotten_ns);
	for (uint32_t i = 0; i < story->ran_count; i++) {
		const struct cs_story_run *ran = &story->ran[i];
		union cs_cell *row = cs_result_row(result, table);

		if (!row)
			return table;
		row[0].integer = ran->task ? ran->task->pid : CS_INT_NULL;
		row[1].text = ran->task ? ran->task->comm : "(not known)";
		row[2].integer = cs_cell_prio(ran->prio);
		row[3].integer = (int64_t)ran->ns;
	}
	add_rest(result, table, "(others)", story->others_ns);
	return table;
}

static const struct cs_column irq_columns[] = {
	{"kind", "interrupt", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"nr", "nr", CS_TYPE_INT, CS_UNIT_NONE},
	{"name", "name", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"count", "count", CS_TYPE_INT, CS_UNIT_COUNT},
	{"ns", "took", CS_TYPE_INT, CS_UNIT_NS},
};

static const char *const irq_kinds[] = {
	[CS_IRQ_HARD] = "hardirq",
	[CS_IRQ_SOFT] = "softirq",
	[CS_IRQ_VECTOR] = "vector",
	[CS_IRQ_HRTIMER] = "hrtimer",
};

struct cs_node *cs_story_irqs(struct cs_result *result, const struct cs_story *story)
{
	struct cs_node *table = cs_result_table(result, NULL, NULL,
						"interrupts meanwhile", irq_columns, 5,
						CS_STORY_IRQS);

	for (uint32_t i = 0; i < story->irqs_count; i++) {
		const struct cs_story_irq *irq = &story->irqs[i];
		union cs_cell *row = cs_result_row(result, table);

		if (!row)
			return table;
		row[0].text = irq_kinds[irq->kind];
		row[1].integer = irq->nr;
		row[2].text = irq->name;
		row[3].integer = irq->count;
		row[4].integer = (int64_t)irq->ns;
	}
	return table;
}

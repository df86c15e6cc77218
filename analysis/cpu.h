/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CPU as the tracker sees it: who runs, and what ran and interrupted
 * lately, so that a wait can be told as a story.
 */
#ifndef CS_ANALYSIS_CPU_H
#define CS_ANALYSIS_CPU_H

#include "analysis/task.h"

/* How many runs and interrupts a CPU remembers. Powers of two. */
#define CS_CPU_RUNS  4096
#define CS_CPU_IRQS  256
#define CS_IRQ_DEPTH 8

/**
 * struct cs_run - from @begin on, until the next one, @task ran
 * @task: NULL: not known who
 * @prio: its effective priority then
 */
struct cs_run {
	const struct cs_task *task;
	uint64_t begin;
	int32_t prio;
};

/**
 * struct cs_irq - one interrupt, closed
 * @begin: ns
 * @end: ns
 * @name: interned, or NULL
 * @nr: number in its kind
 * @kind: enum cs_irq_kind
 */
struct cs_irq {
	uint64_t begin;
	uint64_t end;
	const char *name;
	int32_t nr;
	uint8_t kind;
};

/**
 * struct cs_cpu - state and short memory of a CPU
 * @nr: its number
 * @seen: it has had an event
 * @begin: its first event, ns
 * @last: its last event, ns
 * @observed_before: observed time before the clock last went backwards, ns
 * @current: who runs; NULL: not known
 * @since: when @current came, or when it became unknown
 * @idle: its idle task
 * @left: who the last switch took off it, until the PHASES of that switch come; or NULL
 * @prio_pid: whose priority the last PRIO changed; 0: none that can be told twice
 * @prio_old: from this
 * @prio_new: to this
 * @prio_based: it told the base priority
 * @runs: the last CS_CPU_RUNS runs; number i is runs[i % CS_CPU_RUNS]
 * @runs_count: how many there were
 * @irqs: the last CS_CPU_IRQS interrupts, the same way
 * @irqs_count: how many there were
 */
struct cs_cpu {
	int32_t nr;
	bool seen;
	uint64_t begin;
	uint64_t last;
	uint64_t observed_before; /* of earlier segments, after a clock jump */
	struct cs_task *current;
	uint64_t since;
	struct cs_task *idle;
	struct cs_task *left;
	int32_t prio_pid;
	int32_t prio_old;
	int32_t prio_new;
	bool prio_based;
	struct cs_run runs[CS_CPU_RUNS];
	uint64_t runs_count;
	struct cs_irq irqs[CS_CPU_IRQS];
	uint64_t irqs_count;
	struct cs_irq open_irqs[CS_IRQ_DEPTH];
	uint32_t open_irqs_count;
};

/**
 * cs_cpu_run_at - what ran on a CPU at a time
 * @cpu: the CPU
 * @ts: ns; a time in the past of the tracker
 * @number: if not NULL, set to the run's number, to walk on from
 *
 * A run that begins at @ts counts as running at @ts.
 *
 * Return: the run, NULL when that is too long ago to be remembered.
 */
const struct cs_run *cs_cpu_run_at(const struct cs_cpu *cpu, uint64_t ts,
				   uint64_t *number);

/** cs_cpu_forget_runs - what ran from @ts on turns out not to be known. */
void cs_cpu_forget_runs(struct cs_cpu *cpu, uint64_t ts);

/** cs_cpu_push_run - note that @task runs with @prio from @ts on. */
static inline void cs_cpu_push_run(struct cs_cpu *cpu, const struct cs_task *task,
				   int32_t prio, uint64_t ts)
{
	struct cs_run *run = &cpu->runs[cpu->runs_count++ % CS_CPU_RUNS];

	run->task = task;
	run->begin = ts;
	run->prio = prio;
}

#endif

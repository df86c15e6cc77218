/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The invariants of the definitions, checked span by span.
 */
#include "tests/support/span_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/grow.h"

static void fail(struct span_check *check, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void fail(struct span_check *check, const char *format, ...)
{
	va_list args;

	if (*check->error)
		return;
	va_start(args, format);
	vsnprintf(check->error, sizeof(check->error), format, args);
	va_end(args);
}

void span_check_init(struct span_check *check, const struct cs_tracker *tracker,
		     bool ordered)
{
	memset(check, 0, sizeof(*check));
	check->tracker = tracker;
	check->ordered = ordered;
}

static struct span_check_task *task_of(struct span_check *check, uint32_t index)
{
	if (index >= check->tasks_room &&
	    cs_grow(&check->tasks, &check->tasks_room, index + 1, sizeof(*check->tasks)))
		abort();
	return &check->tasks[index];
}

static struct span_check_cpu *cpu_of(struct span_check *check, uint32_t nr)
{
	if (nr >= check->cpus_room &&
	    cs_grow(&check->cpus, &check->cpus_room, nr + 1, sizeof(*check->cpus)))
		abort();
	return &check->cpus[nr];
}

/* RUN, and UNKNOWN of a CPU, follow on each other on each CPU from its begin on. */
static void check_cpu(struct span_check *check, const struct cs_span *span)
{
	const struct cs_tracker *tracker = check->tracker;
	struct span_check_cpu *cpu;
	uint64_t expected;

	if (span->cpu < 0 || (uint32_t)span->cpu >= tracker->cpus_count ||
	    span->where != tracker->cpus[span->cpu]) {
		fail(check, "a span on CPU %d, which is not there", span->cpu);
		return;
	}
	cpu = cpu_of(check, (uint32_t)span->cpu);
	expected = cpu->seen ? cpu->end : span->where->begin;
	/* a new segment, after the clock has gone backwards */
	if (cpu->seen && tracker->health.late && span->begin == span->where->begin)
		expected = span->begin;
	if (span->begin != expected)
		fail(check, "CPU %d: a span from %" PRIu64 ", the last ended %" PRIu64,
		     span->cpu, span->begin, expected);
	cpu->seen = true;
	cpu->end = span->end;
	if (!span->task)
		cpu->unknown_ns += cs_span_ns(span);
	else if (span->task->pid)
		cpu->busy_ns += cs_span_ns(span);
	else
		cpu->idle_ns += cs_span_ns(span);
}

static void check_task(struct span_check *check, const struct cs_span *span)
{
	struct span_check_task *task = task_of(check, span->task->index);
	uint64_t expected = task->seen ? task->end : span->task->begin;

	if (check->ordered && span->begin != expected)
		fail(check,
		     "pid %d (index %u): a span of kind %u from %" PRIu64
		     ", the last ended %" PRIu64,
		     span->task->pid, span->task->index, span->kind, span->begin,
		     expected);
	task->seen = true;
	task->end = span->end;
	task->ns[span->kind] += cs_span_ns(span);
}

void span_check_span(struct span_check *check, const struct cs_span *span)
{
	if (span->end < span->begin)
		fail(check, "a span that ends before it begins");
	if (span->kind >= CS_SPAN_KINDS || (!span->task && span->kind != CS_SPAN_UNKNOWN))
		fail(check, "a span of kind %u", span->kind);
	if (span->task && !span->task->pid && span->kind != CS_SPAN_RUN)
		fail(check, "idle in a span of kind %u", span->kind);
	if (span->kind == CS_SPAN_WAIT && !(span->flags & CS_SPAN_OPEN) &&
	    (!span->where || span->where->nr != span->cpu))
		fail(check, "a wait without its CPU");
	if (span->kind == CS_SPAN_WAIT && span->found >= CS_FOUNDS)
		fail(check, "a wait that found %u", span->found);
	if (span->flags & CS_SPAN_CLIPPED)
		fail(check, "the tracker clips nothing");
	if (span->flags & CS_SPAN_OPEN)
		check->open++;
	if (span->kind == CS_SPAN_RUN || !span->task)
		check_cpu(check, span);
	if (span->task && span->task->pid)
		check_task(check, span);
}

void span_check_switch(struct span_check *check, const struct cs_switch *sw)
{
	if (sw->class >= CS_SWITCH_CLASSES || sw->kind >= CS_KINDS)
		fail(check, "a switch of class %u, kind %u", sw->class, sw->kind);
	else
		check->switches[sw->class]++;
	if ((sw->class == CS_SWITCH_FROM_IDLE) != !sw->prev->pid)
		fail(check, "from pid %d is class %u", sw->prev->pid, sw->class);
	if ((sw->kind == CS_KIND_IDLE) != (!sw->prev->pid || !sw->next->pid))
		fail(check, "from pid %d to pid %d is kind %u", sw->prev->pid,
		     sw->next->pid, sw->kind);
}

static void finish_cpu(struct span_check *check, const struct cs_cpu *cpu)
{
	const struct cs_tracker *tracker = check->tracker;
	struct span_check_cpu *sums = cpu_of(check, (uint32_t)cpu->nr);
	uint64_t observed = cs_cpu_observed_ns(tracker, cpu);
	uint64_t sum = sums->busy_ns + sums->idle_ns + sums->unknown_ns;

	if (sum != observed)
		fail(check,
		     "CPU %d: run + idle + unknown = %" PRIu64 ", observed %" PRIu64,
		     cpu->nr, sum, observed);
	if (sums->seen && sums->end != tracker->end && cpu->begin != tracker->end)
		fail(check, "CPU %d: told until %" PRIu64 ", not until %" PRIu64, cpu->nr,
		     sums->end, tracker->end);
}

static void finish_task(struct span_check *check, const struct cs_task *task)
{
	struct span_check_task *sums = task_of(check, task->index);
	uint64_t end = task->state == CS_TASK_DEAD ? task->end : check->tracker->end;
	uint64_t sum = 0;

	if (!check->ordered)
		return;
	for (unsigned int kind = 0; kind < CS_SPAN_KINDS; kind++)
		sum += sums->ns[kind];
	if (sum != end - task->begin)
		fail(check,
		     "pid %d (index %u): run + wait + block + unknown = %" PRIu64
		     ", it lived %" PRIu64,
		     task->pid, task->index, sum, end - task->begin);
}

const char *span_check_finish(struct span_check *check)
{
	const struct cs_tracker *tracker = check->tracker;
	uint64_t switches = 0;

	for (uint32_t i = 0; i < tracker->cpus_count; i++)
		if (tracker->cpus[i] && tracker->cpus[i]->seen)
			finish_cpu(check, tracker->cpus[i]);
	for (uint32_t i = 0; i < tracker->tasks.count; i++)
		if (tracker->tasks.tasks[i]->pid)
			finish_task(check, tracker->tasks.tasks[i]);
	for (unsigned int class = 0; class < CS_SWITCH_CLASSES; class ++)
		switches += check->switches[class];
	if (switches != tracker->health.switches)
		fail(check, "%" PRIu64 " switches of a class, %" PRIu64 " in all",
		     switches, tracker->health.switches);
	if (check->open != tracker->health.open_spans)
		fail(check, "%" PRIu64 " spans open, %" PRIu64 " counted", check->open,
		     tracker->health.open_spans);
	return *check->error ? check->error : NULL;
}

void span_check_fini(struct span_check *check)
{
	free(check->tasks);
	free(check->cpus);
	memset(check, 0, sizeof(*check));
}

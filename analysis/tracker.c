/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracker: the CPUs' clocks, and each event to the part that knows its rule.
 * The rules are in doc/definitions.md.
 */
#include "analysis/tracking.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct cs_cpu *add_cpu(struct cs_tracker *tracker, int32_t nr)
{
	struct cs_cpu *cpu = calloc(1, sizeof(*cpu));

	if (cpu) {
		cpu->nr = nr;
		tracker->cpus[nr] = cpu;
	}
	return cpu;
}

static struct cs_cpu *cpu_of(struct cs_tracker *tracker, int32_t nr)
{
	if ((uint32_t)nr >= tracker->cpus_count) {
		struct cs_cpu **cpus;

		cpus = realloc(tracker->cpus, ((size_t)nr + 1) * sizeof(struct cs_cpu *));
		if (!cpus)
			return NULL;
		memset(cpus + tracker->cpus_count, 0,
		       ((size_t)nr + 1 - tracker->cpus_count) * sizeof(struct cs_cpu *));
		tracker->cpus = cpus;
		tracker->cpus_count = nr + 1;
	}
	return tracker->cpus[nr] ? tracker->cpus[nr] : add_cpu(tracker, nr);
}

/*
 * The clock of @cpu went backwards: what it showed up to now is closed, and it
 * is watched anew from @ts on.
 */
static void rewind_cpu(struct cs_tracker *tracker, struct cs_cpu *cpu, uint64_t ts)
{
	tracker->health.late++;
	cs_cpu_lose(tracker, cpu);
	cs_emit_cpu_unknown(tracker, cpu, cpu->last);
	cpu->observed_before += cpu->last - cpu->begin;
	cpu->begin = cpu->since = ts;
	/* what it remembers is in the order of a clock that is gone */
	cpu->runs_count = cpu->irqs_count = 0;
}

int cs_tracker_init(struct cs_tracker *tracker, const struct cs_sink *sink)
{
	memset(tracker, 0, sizeof(*tracker));
	tracker->sink = *sink;
	tracker->begin = UINT64_MAX;
	tracker->here = calloc(CS_CPUS_MAX, sizeof(struct cs_task *));
	if (!tracker->here)
		return -ENOMEM;
	return cs_task_table_init(&tracker->tasks);
}

static void on_lost(struct cs_tracker *tracker, struct cs_cpu *cpu,
		    const struct cs_event *ev)
{
	tracker->health.losses++;
	if (ev->lost.count)
		tracker->health.lost += ev->lost.count;
	else
		tracker->health.lost_unknown++;
	cs_cpu_lose(tracker, cpu);
}

static struct cs_cpu *arrive(struct cs_tracker *tracker, const struct cs_event *ev)
{
	struct cs_cpu *cpu = cpu_of(tracker, ev->cpu);

	if (!cpu)
		return NULL;
	if (!cpu->seen) {
		cpu->seen = true;
		cpu->begin = cpu->since = ev->ts;
		cs_cpu_push_run(cpu, NULL, CS_PRIO_UNKNOWN, ev->ts);
	} else if (ev->ts < cpu->last) {
		rewind_cpu(tracker, cpu, ev->ts);
	}
	cpu->last = ev->ts;
	if (ev->ts < tracker->begin)
		tracker->begin = ev->ts;
	if (ev->ts > tracker->end)
		tracker->end = ev->ts;
	return cpu;
}

int cs_tracker_event(struct cs_tracker *tracker, const struct cs_event *ev)
{
	struct cs_health *health = &tracker->health;
	struct cs_cpu *cpu;

	if (ev->cpu < 0 || ev->cpu >= CS_CPUS_MAX) {
		health->unexpected++;
		return 0;
	}
	cpu = arrive(tracker, ev);
	if (!cpu)
		return -ENOMEM;
	health->seen[ev->type]++;
	/* a loss is no record */
	if (ev->type != CS_EVENT_LOST)
		health->events++;

	switch (ev->type) {
	case CS_EVENT_SWITCH:
		return cs_track_switch(tracker, cpu, ev);
	case CS_EVENT_PHASES:
		return cs_track_phases(tracker, cpu, ev);
	case CS_EVENT_WAKING:
	case CS_EVENT_WAKEUP:
		return cs_track_waking(tracker, ev);
	case CS_EVENT_WAKEUP_NEW:
		return cs_track_wakeup_new(tracker, ev);
	case CS_EVENT_MIGRATE:
		cs_track_migrate(tracker, ev);
		return 0;
	case CS_EVENT_PRIO:
		return cs_track_prio(tracker, cpu, ev);
	case CS_EVENT_FORK:
		return cs_track_fork(tracker, ev);
	case CS_EVENT_EXEC:
	case CS_EVENT_EXIT:
	case CS_EVENT_RENAME:
		return cs_track_task(tracker, ev);
	case CS_EVENT_MARKER:
		return cs_track_marker(tracker, ev);
	case CS_EVENT_IRQ:
		cs_track_irq(tracker, cpu, ev);
		return 0;
	case CS_EVENT_LOST:
		on_lost(tracker, cpu, ev);
		return 0;
	default:
		return 0;
	}
}

static void finish_task(struct cs_tracker *tracker, struct cs_task *task)
{
	uint64_t ts = tracker->end;

	if (ts < task->since)
		return;
	if (task->state != CS_TASK_BLOCKED && task->state != CS_TASK_RUNNING &&
	    !cs_cpu_is_watched(tracker, task->cpu))
		cs_task_lose(tracker, task);
	switch (task->state) {
	case CS_TASK_PREEMPTED:
	case CS_TASK_WOKEN:
		cs_emit_wait(tracker, task, NULL, ts, CS_SPAN_OPEN);
		break;
	case CS_TASK_BLOCKED:
		cs_emit_block(tracker, task, ts, NULL, CS_CONTEXT_UNKNOWN, CS_SPAN_OPEN);
		break;
	case CS_TASK_UNKNOWN:
		cs_emit_unknown(tracker, task, ts);
		return;
	default:
		return;
	}
	tracker->health.open_spans++;
}

void cs_tracker_finish(struct cs_tracker *tracker)
{
	for (uint32_t i = 0; i < tracker->cpus_count; i++) {
		struct cs_cpu *cpu = tracker->cpus[i];

		if (!cpu || !cpu->seen)
			continue;
		if (!cpu->current) {
			cs_emit_cpu_unknown(tracker, cpu, tracker->end);
			continue;
		}
		cs_emit_run(tracker, cpu, tracker->end, NULL, CS_STATE_RUNNABLE,
			    CS_SPAN_OPEN);
		tracker->health.open_spans++;
	}
	for (uint32_t i = 0; i < tracker->tasks.count; i++)
		if (!cs_task_is_idle(tracker->tasks.tasks[i]))
			finish_task(tracker, tracker->tasks.tasks[i]);
}

uint64_t cs_cpu_observed_ns(const struct cs_tracker *tracker, const struct cs_cpu *cpu)
{
	return cpu->observed_before + (tracker->end - cpu->begin);
}

void cs_tracker_fini(struct cs_tracker *tracker)
{
	for (uint32_t i = 0; i < tracker->cpus_count; i++)
		free(tracker->cpus[i]);
	for (uint32_t i = 0; i < tracker->names_count; i++)
		free(tracker->names[i]);
	free(tracker->cpus);
	free(tracker->names);
	free(tracker->identities);
	free(tracker->here);
	cs_task_table_fini(&tracker->tasks);
	memset(tracker, 0, sizeof(*tracker));
}

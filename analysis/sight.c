/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which tasks were last seen where, and losing sight of them.
 * A part of the tracker.
 */
#include "analysis/tracking.h"

void cs_task_unplace(struct cs_task *task)
{
	if (!task->here_link)
		return;
	*task->here_link = task->here_next;
	if (task->here_next)
		task->here_next->here_link = task->here_link;
	task->here_link = NULL;
}

void cs_task_move(struct cs_tracker *tracker, struct cs_task *task, int32_t nr)
{
	struct cs_task **here;

	cs_task_unplace(task);
	task->cpu = nr;
	if (nr < 0 || nr >= CS_CPUS_MAX)
		return;
	here = &tracker->here[nr];
	task->here_next = *here;
	task->here_link = here;
	if (*here)
		(*here)->here_link = &task->here_next;
	*here = task;
}

/* Lose sight of a task: what it does until it is seen again is not known. */
void cs_task_lose(struct cs_tracker *tracker, struct cs_task *task)
{
	if (task->state == CS_TASK_UNKNOWN || task->state == CS_TASK_DEAD)
		return;
	task->state = CS_TASK_UNKNOWN;
	task->flags &= ~(CS_WOKEN_RUNNING | CS_RAN_UNWOKEN | CS_BOOSTED_OTHER |
			 CS_WAKEUP_DUE);
	if (task->flags & CS_BOOSTED)
		task->flags |= CS_BOOST_DOUBTED;
	tracker->health.dropped_spans++;
}

/*
 * What runs on @cpu is not known any more. The run that it was in is dropped
 * as a whole, so the CPU is unknown from that run's begin on.
 */
void cs_current_lose(struct cs_tracker *tracker, struct cs_cpu *cpu)
{
	struct cs_task *task = cpu->current;

	if (!task)
		return;
	if (cs_task_is_idle(task))
		tracker->health.dropped_spans++;
	else
		cs_task_lose(tracker, task);
	cpu->current = NULL;
	cs_cpu_forget_runs(cpu, cpu->since);
}

void cs_cpu_lose(struct cs_tracker *tracker, struct cs_cpu *cpu)
{
	cs_current_lose(tracker, cpu);
	while (tracker->here[cpu->nr]) {
		cs_task_lose(tracker, tracker->here[cpu->nr]);
		cs_task_unplace(tracker->here[cpu->nr]);
	}
	cpu->open_irqs_count = 0;
}

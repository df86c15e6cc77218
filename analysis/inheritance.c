/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PRIO: a priority is inherited, or given back.
 * A part of the tracker.
 */
#include "analysis/tracking.h"

#include <errno.h>

int cs_track_prio(struct cs_tracker *tracker, struct cs_cpu *cpu,
		  const struct cs_event *ev)
{
	int32_t old_prio = ev->prio.old_prio, new_prio = ev->prio.new_prio;
	struct cs_task *task;

	if (ev->prio.pid <= 0)
		return 0;
	task = cs_task_see(tracker, ev->prio.pid, ev->ts);
	if (!task)
		return -ENOMEM;
	cs_comm_see(task, ev->prio.comm);
	cs_prio_see(task, old_prio);
	if (new_prio == old_prio)
		return 0;
	if (new_prio < task->base_prio)
		task->flags = (task->flags & ~CS_BOOST_DOUBTED) | CS_BOOSTED;
	cs_prio_see(task, new_prio);
	if (new_prio >= task->base_prio) {
		task->flags &= ~(CS_BOOSTED | CS_BOOST_DOUBTED);
		task->base_prio = new_prio;
	}
	if (task->state == CS_TASK_RUNNING)
		cs_cpu_push_run(tracker->cpus[task->cpu], task, new_prio, ev->ts);
	if (new_prio < old_prio && cpu->current && cpu->current != task &&
	    cpu->current->pid == ev->pid)
		cpu->current->flags |= CS_BOOSTED_OTHER;
	return 0;
}

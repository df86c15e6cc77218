/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PRIO: a priority is inherited, or given back.
 * A part of the tracker.
 */
#include "analysis/tracking.h"

#include <errno.h>

/*
 * A trace may have sched_pi_setprio and the module's pi_boost: both are written for the
 * same change, one behind the other, and only the second tells the base priority.
 */
static bool is_told_again(struct cs_cpu *cpu, const struct cs_task *task,
			  const struct cs_event *ev)
{
	bool based = ev->prio.base_prio != CS_PRIO_UNKNOWN;

	if (cpu->prio_pid == ev->prio.pid && cpu->prio_old == ev->prio.old_prio &&
	    cpu->prio_new == ev->prio.new_prio && cpu->prio_based != based &&
	    task->prio == ev->prio.new_prio) {
		cpu->prio_pid = 0;
		return true;
	}
	cpu->prio_pid = ev->prio.pid;
	cpu->prio_old = ev->prio.old_prio;
	cpu->prio_new = ev->prio.new_prio;
	cpu->prio_based = based;
	return false;
}

/* @task has another priority now; what it had before has been seen. */
static void change(struct cs_task *task, const struct cs_event *ev)
{
	int32_t base = ev->prio.base_prio, new_prio = ev->prio.new_prio;

	if (new_prio < (base != CS_PRIO_UNKNOWN ? base : task->base_prio))
		task->flags = (task->flags & ~CS_BOOST_DOUBTED) | CS_BOOSTED;
	cs_prio_see(task, new_prio);
	if (base == CS_PRIO_UNKNOWN && new_prio >= task->base_prio)
		base = new_prio;
	if (base == CS_PRIO_UNKNOWN)
		return;
	if (new_prio >= base)
		task->flags &= ~(CS_BOOSTED | CS_BOOST_DOUBTED);
	task->base_prio = base;
}

/* Who lends the priority: the module knows it, else it is who was about to block. */
static const struct cs_task *donor_of(struct cs_tracker *tracker,
				      const struct cs_task *task,
				      const struct cs_event *ev)
{
	const struct cs_task *donor = NULL;

	if (ev->prio.donor > 0)
		donor = cs_task_see(tracker, ev->prio.donor, ev->ts);
	else if (ev->prio.donor == CS_PID_UNKNOWN &&
		 ev->prio.new_prio < ev->prio.old_prio)
		donor = cs_waker_see(tracker, ev);
	return donor == task ? NULL : donor;
}

static void tell(struct cs_tracker *tracker, const struct cs_task *task,
		 const struct cs_event *ev, bool again)
{
	struct cs_prio_change told = {
		.task = task,
		.donor = donor_of(tracker, task, ev),
		.ts = ev->ts,
		.old_prio = ev->prio.old_prio,
		.new_prio = ev->prio.new_prio,
		.base_prio = task->base_prio,
		.again = again,
	};

	if (tracker->sink.on_prio)
		tracker->sink.on_prio(tracker->sink.ctx, &told);
}

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
	if (is_told_again(cpu, task, ev)) {
		change(task, ev);
		if (new_prio != old_prio)
			tell(tracker, task, ev, true);
		return 0;
	}
	cs_prio_see(task, old_prio);
	if (new_prio == old_prio) {
		/* nothing new, but perhaps that it is boosted since before the trace */
		if (ev->prio.base_prio != CS_PRIO_UNKNOWN)
			change(task, ev);
		return 0;
	}
	change(task, ev);
	if (task->state == CS_TASK_RUNNING)
		cs_cpu_push_run(tracker->cpus[task->cpu], task, new_prio, ev->ts);
	if (new_prio < old_prio && cpu->current && cpu->current != task &&
	    cpu->current->pid == ev->pid)
		cpu->current->flags |= CS_BOOSTED_OTHER;
	tell(tracker, task, ev, false);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * WAKING, WAKEUP, WAKEUP_NEW, MIGRATE: a task becomes runnable, and where it queues.
 * A part of the tracker.
 */
#include "analysis/tracking.h"

#include <errno.h>

/* @task, which is woken, is queued on CPU @nr: see what runs there. */
static void queue(const struct cs_tracker *tracker, struct cs_task *task, int32_t nr)
{
	const struct cs_cpu *cpu = NULL;

	if (nr >= 0 && (uint32_t)nr < tracker->cpus_count)
		cpu = tracker->cpus[nr];
	task->woken_cpu = nr;
	task->woken_idle = CS_UNKNOWN;
	if (cpu && cpu->current) {
		task->woken_prio = cpu->current->prio;
		task->woken_idle = cs_task_is_idle(cpu->current) ? CS_YES : CS_NO;
	}
}

/* @task is runnable from @ev on. */
static void wake(struct cs_tracker *tracker, struct cs_task *task,
		 const struct cs_event *ev, const struct cs_task *waker)
{
	queue(tracker, task, ev->wake.target_cpu);
	task->waking_cpu = ev->cpu;
	task->waking_pid = ev->pid;
	task->moved = task->moved_last = 0;
	task->state = CS_TASK_WOKEN;
	cs_task_place(tracker, task, task->cpu);
	/* clocks of two CPUs may disagree: it cannot be woken before it left */
	if (ev->ts > task->since)
		task->since = ev->ts;
	task->losses = tracker->health.losses;
	task->waker = waker;
	task->waker_context = ev->context;
	task->flags = (task->flags & ~CS_WOKEN_RUNNING) | CS_LIVED;
}

static void wake_blocked(struct cs_tracker *tracker, struct cs_task *task,
			 const struct cs_event *ev, unsigned int flags)
{
	const struct cs_task *waker = cs_waker_see(tracker, ev);

	if (ev->ts < task->since)
		tracker->health.negative++;
	else
		cs_emit_block(tracker, task, ev->ts, waker, ev->context, flags);
	wake(tracker, task, ev, waker);
}

/* What it did up to now is not known; it is runnable from @ev on. */
static void wake_unknown(struct cs_tracker *tracker, struct cs_task *task,
			 const struct cs_event *ev)
{
	const struct cs_task *waker = cs_waker_see(tracker, ev);

	cs_emit_unknown(tracker, task, ev->ts);
	task->since = ev->ts;
	wake(tracker, task, ev, waker);
}

/* A wakeup of a task that waits for a CPU starts no new wait, but for these cases. */
static void wake_runnable(struct cs_tracker *tracker, struct cs_task *task,
			  const struct cs_event *ev)
{
	bool left_as_runnable = task->state == CS_TASK_PREEMPTED &&
				task->left_state == CS_STATE_RUNNABLE;

	if (left_as_runnable && cs_task_is_idle(task->peer)) {
		/*
		 * Nothing else wanted the CPU: it slept, but __schedule() read
		 * its state before the event did, and a waker set it between.
		 */
		tracker->health.raced++;
		wake_blocked(tracker, task, ev, CS_SPAN_RACED);
	} else if (left_as_runnable && task->flags & CS_BOOSTED_OTHER) {
		/*
		 * TASK_RTLOCK_WAIT is not in TASK_REPORT (include/linux/sched.h):
		 * a waiter on a sleeping spinlock looks runnable.
		 */
		wake_blocked(tracker, task, ev, 0);
	} else if (task->losses != tracker->health.losses) {
		/* It may have run and slept where records were lost. */
		cs_task_lose(tracker, task);
		wake_unknown(tracker, task, ev);
	}
}

static void wake_running(struct cs_tracker *tracker, struct cs_task *task,
			 const struct cs_event *ev)
{
	if (task->flags & CS_RAN_UNWOKEN) {
		/* This is the wakeup of the run it is in, late by another clock. */
		tracker->health.negative++;
		task->flags &= ~CS_RAN_UNWOKEN;
		return;
	}
	task->flags |= CS_WOKEN_RUNNING;
	task->waker = cs_waker_see(tracker, ev);
	task->waker_context = ev->context;
}

/* What a WAKING says, or a WAKEUP that no WAKING came before. */
static void wake_any(struct cs_tracker *tracker, struct cs_task *task,
		     const struct cs_event *ev)
{
	switch (task->state) {
	case CS_TASK_RUNNING:
		/* a WAKEUP may come after the run that it caused */
		if (ev->type == CS_EVENT_WAKING)
			wake_running(tracker, task, ev);
		break;
	case CS_TASK_PREEMPTED:
	case CS_TASK_WOKEN:
		wake_runnable(tracker, task, ev);
		break;
	case CS_TASK_BLOCKED:
		wake_blocked(tracker, task, ev, 0);
		break;
	default:
		wake_unknown(tracker, task, ev);
	}
}

/*
 * A WAKING tells where the task was. Was that a CPU that nobody watches, or was it
 * woken to go to one before, then it may have run and slept there meanwhile.
 */
static void notice_stray(struct cs_tracker *tracker, struct cs_task *task, int32_t was)
{
	bool strayed = was != task->cpu && !cs_cpu_is_watched(tracker, was);

	if (task->state == CS_TASK_RUNNING)
		return;
	if (strayed ||
	    (task->state == CS_TASK_WOKEN && !cs_cpu_is_watched(tracker, task->cpu)))
		cs_task_lose(tracker, task);
	if (strayed)
		cs_task_place(tracker, task, was);
}

static void on_waking(struct cs_tracker *tracker, struct cs_task *task,
		      const struct cs_event *ev)
{
	notice_stray(tracker, task, ev->wake.target_cpu);
	task->flags |= CS_WAKEUP_DUE;
	wake_any(tracker, task, ev);
	/* not where it goes */
	if (task->cpu == CS_CPU_UNKNOWN)
		cs_task_place(tracker, task, ev->wake.target_cpu);
}

static void on_wakeup(struct cs_tracker *tracker, struct cs_task *task,
		      const struct cs_event *ev)
{
	bool told = task->flags & (CS_WAKEUP_DUE | CS_WOKEN_RUNNING);

	task->flags &= ~CS_WAKEUP_DUE;
	if (!tracker->health.seen[CS_EVENT_WAKING] ||
	    (task->state == CS_TASK_BLOCKED && !told))
		wake_any(tracker, task, ev);
	if (task->state == CS_TASK_WOKEN && ev->wake.target_cpu >= 0) {
		cs_task_place(tracker, task, ev->wake.target_cpu);
		if (!task->moved && task->woken_cpu != ev->wake.target_cpu)
			queue(tracker, task, ev->wake.target_cpu);
		task->waking_cpu = CS_CPU_UNKNOWN;
	} else if (task->cpu == CS_CPU_UNKNOWN) {
		cs_task_place(tracker, task, ev->wake.target_cpu);
	}
}

int cs_track_waking(struct cs_tracker *tracker, const struct cs_event *ev)
{
	struct cs_task *task;

	if (ev->wake.pid <= 0)
		return 0;
	task = cs_task_find(&tracker->tasks, ev->wake.pid);
	if (!task || task->state == CS_TASK_DEAD) {
		/* a WAKEUP this late is about the run that was its last one */
		if (task && ev->type == CS_EVENT_WAKEUP &&
		    tracker->health.seen[CS_EVENT_WAKING])
			return 0;
		task = cs_task_see(tracker, ev->wake.pid, ev->ts);
		if (!task)
			return -ENOMEM;
	}
	cs_comm_see(task, ev->wake.comm);
	cs_prio_see(task, ev->wake.prio);
	if (ev->type == CS_EVENT_WAKING)
		on_waking(tracker, task, ev);
	else
		on_wakeup(tracker, task, ev);
	return 0;
}

int cs_track_wakeup_new(struct cs_tracker *tracker, const struct cs_event *ev)
{
	const struct cs_task *waker;
	struct cs_task *task;

	if (ev->wake.pid <= 0)
		return 0;
	task = cs_life_begin(tracker, ev->wake.pid, ev->ts);
	waker = cs_waker_see(tracker, ev);
	if (!task)
		return -ENOMEM;
	cs_comm_see(task, ev->wake.comm);
	cs_prio_see(task, ev->wake.prio);
	cs_emit_unknown(tracker, task, ev->ts);
	task->since = ev->ts;
	cs_task_place(tracker, task, ev->wake.target_cpu);
	wake(tracker, task, ev, waker);
	/* it is queued by now: a move that follows is a pull */
	task->waking_cpu = CS_CPU_UNKNOWN;
	return 0;
}

/*
 * try_to_wake_up() (kernel/sched/core.c) chooses a CPU between WAKING and WAKEUP, in
 * the waker's own context: that is where the task queues. Later moves are pulls.
 */
static void move_woken(struct cs_tracker *tracker, struct cs_task *task,
		       const struct cs_event *ev)
{
	bool by_waker =
		task->waking_cpu == ev->cpu &&
		(ev->pid == CS_PID_UNKNOWN ||
		 (ev->pid == task->waking_pid && ev->context == task->waker_context));

	task->waking_cpu = CS_CPU_UNKNOWN;
	if (by_waker) {
		queue(tracker, task, ev->migrate.to);
		return;
	}
	if (!task->moved)
		task->moved = ev->ts;
	task->moved_last = ev->ts;
}

void cs_track_migrate(struct cs_tracker *tracker, const struct cs_event *ev)
{
	struct cs_task *task;

	if (ev->migrate.pid <= 0)
		return;
	task = cs_task_find(&tracker->tasks, ev->migrate.pid);
	if (!task || task->state == CS_TASK_DEAD || task->state == CS_TASK_RUNNING)
		return;
	if (task->state == CS_TASK_WOKEN)
		move_woken(tracker, task, ev);
	cs_task_place(tracker, task, ev->migrate.to);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SWITCH: a task leaves a CPU, another enters. PHASES: what that took.
 * A part of the tracker.
 */
#include "analysis/tracking.h"

#include <errno.h>

static struct cs_task *idle_of(struct cs_tracker *tracker, struct cs_cpu *cpu,
			       uint64_t ts)
{
	if (!cpu->idle) {
		cpu->idle = cs_task_add(&tracker->tasks, 0, ts);
		if (cpu->idle) {
			cpu->idle->cpu = cpu->nr;
			cpu->idle->kernel = CS_YES;
		}
	}
	return cpu->idle;
}

static enum cs_switch_class class_of(const struct cs_task *prev, cs_state state)
{
	if (cs_task_is_idle(prev))
		return CS_SWITCH_FROM_IDLE;
	if (state & CS_STATE_PREEMPTED)
		return CS_SWITCH_PREEMPTED;
	return state == CS_STATE_RUNNABLE ? CS_SWITCH_RUNNABLE : CS_SWITCH_VOLUNTARY;
}

static enum cs_switch_kind kind_of(const struct cs_task *prev, const struct cs_task *next)
{
	if (cs_task_is_idle(prev) || cs_task_is_idle(next))
		return CS_KIND_IDLE;
	if (prev->kernel == CS_YES || next->kernel == CS_YES)
		return CS_KIND_KERNEL;
	if (prev->tgid == CS_PID_UNKNOWN || next->tgid == CS_PID_UNKNOWN)
		return CS_KIND_UNKNOWN;
	return prev->tgid == next->tgid ? CS_KIND_THREAD : CS_KIND_PROCESS;
}

/* What the module says of the two tasks of a switch. */
static void identify(struct cs_task *prev, struct cs_task *next,
		     const struct cs_event *ev)
{
	if (!cs_task_is_idle(prev) && ev->sw.prev_tgid > 0)
		prev->tgid = ev->sw.prev_tgid;
	if (!cs_task_is_idle(next) && ev->sw.next_tgid > 0)
		next->tgid = ev->sw.next_tgid;
	if (ev->sw.kind == CS_KIND_THREAD || ev->sw.kind == CS_KIND_PROCESS) {
		prev->kernel = next->kernel = CS_NO;
	} else if (ev->sw.kind == CS_KIND_KERNEL) {
		/* at least one of them is a kernel thread */
		if (prev->kernel == CS_NO)
			next->kernel = CS_YES;
		else if (next->kernel == CS_NO)
			prev->kernel = CS_YES;
	}
}

/* EXIT_DEAD and EXIT_ZOMBIE as include/linux/sched.h names them, TASK_DEAD. */
static bool is_dead(cs_state state)
{
	return state & (cs_state_of('X') | cs_state_of('Z') | cs_state_of('x'));
}

/* @prev leaves @cpu although something else, or nothing known, ran there. */
static void leave_unexpected(struct cs_tracker *tracker, struct cs_cpu *cpu,
			     struct cs_task *prev, uint64_t ts)
{
	/* woken, and its CPU was not watched yet: it was on it, going to sleep */
	bool early = !cpu->current && prev->state == CS_TASK_WOKEN &&
		     prev->losses == tracker->health.losses;

	if (cpu->current) {
		tracker->health.unexpected++;
		cs_cpu_lose(tracker, cpu);
	}
	cs_emit_cpu_unknown(tracker, cpu, ts);
	if (cs_task_is_idle(prev))
		return;
	if (prev->state == CS_TASK_RUNNING) {
		tracker->health.unexpected++;
		cs_cpu_lose(tracker, tracker->cpus[prev->cpu]);
	}
	cs_task_lose(tracker, prev);
	cs_emit_unknown(tracker, prev, ts);
	if (early)
		prev->flags |= CS_WOKEN_RUNNING;
}

static void leave(struct cs_tracker *tracker, struct cs_cpu *cpu, struct cs_task *prev,
		  struct cs_task *next, const struct cs_event *ev)
{
	cs_state state = ev->sw.prev_state;

	if (cpu->current == prev)
		cs_emit_run(tracker, cpu, ev->ts, next, state, 0);
	else
		leave_unexpected(tracker, cpu, prev, ev->ts);
	if (cs_task_is_idle(prev))
		return;
	cs_task_place(tracker, prev, cpu->nr);
	prev->since = ev->ts;
	prev->left_state = state;
	prev->losses = tracker->health.losses;
	prev->flags |= CS_LIVED;
	prev->flags &= ~CS_RAN_UNWOKEN;
	if (state == CS_STATE_RUNNABLE || state & CS_STATE_PREEMPTED) {
		prev->state = CS_TASK_PREEMPTED;
		prev->peer = next;
	} else if (is_dead(state)) {
		prev->state = CS_TASK_DEAD;
		prev->end = ev->ts;
		cs_task_unplace(prev);
	} else {
		prev->state = CS_TASK_BLOCKED;
	}
}

/* A task that slept runs, and no WAKING came since it left. */
static void enter_unwoken(struct cs_tracker *tracker, struct cs_cpu *cpu,
			  struct cs_task *next, uint64_t ts)
{
	const struct cs_health *health = &tracker->health;

	if (next->flags & CS_WOKEN_RUNNING && next->losses == health->losses &&
	    ts >= next->since) {
		/*
		 * try_to_wake_up() (kernel/sched/core.c) traces the wakeup
		 * before it waits for a task that is just going to sleep.
		 */
		cs_emit_block(tracker, next, next->since, next->waker,
			      next->waker_context, CS_SPAN_WOKEN_EARLY);
		next->woken_idle = CS_UNKNOWN;
		next->moved = 0;
		cs_emit_wait(tracker, next, cpu, ts, CS_SPAN_WOKEN_EARLY);
		return;
	}
	if (health->seen[CS_EVENT_WAKING] || health->seen[CS_EVENT_WAKEUP])
		cs_task_lose(tracker, next);
	/* Its wakeup is still to come, by the clock of another CPU, or it was lost. */
	if (next->losses == health->losses)
		next->flags |= CS_RAN_UNWOKEN;
	cs_emit_unknown(tracker, next, ts);
}

/* A task that waited runs; unless it went where nobody watched: it may have run there. */
static void enter_waiting(struct cs_tracker *tracker, struct cs_cpu *cpu,
			  struct cs_task *next, uint64_t ts)
{
	if (next->cpu == cpu->nr || cs_cpu_is_watched(tracker, next->cpu)) {
		cs_emit_wait(tracker, next, cpu, ts, 0);
		return;
	}
	cs_task_lose(tracker, next);
	cs_emit_unknown(tracker, next, ts);
}

static void enter(struct cs_tracker *tracker, struct cs_cpu *cpu, struct cs_task *next,
		  uint64_t ts)
{
	if (!cs_task_is_idle(next)) {
		unsigned int gone = CS_WOKEN_RUNNING | CS_BOOSTED_OTHER;

		switch (next->state) {
		case CS_TASK_RUNNING:
			tracker->health.unexpected++;
			cs_cpu_lose(tracker, tracker->cpus[next->cpu]);
			cs_emit_unknown(tracker, next, ts);
			break;
		case CS_TASK_PREEMPTED:
			enter_waiting(tracker, cpu, next, ts);
			gone &= ~CS_WOKEN_RUNNING;
			break;
		case CS_TASK_WOKEN:
			enter_waiting(tracker, cpu, next, ts);
			break;
		case CS_TASK_BLOCKED:
			enter_unwoken(tracker, cpu, next, ts);
			break;
		default:
			cs_emit_unknown(tracker, next, ts);
		}
		next->flags = (next->flags & ~gone) | CS_LIVED;
		next->state = CS_TASK_RUNNING;
		cs_task_place(tracker, next, cpu->nr);
		next->since = ts;
	}
	cpu->current = next;
	cpu->since = ts;
	cs_cpu_push_run(cpu, next, next->prio, ts);
}

int cs_track_switch(struct cs_tracker *tracker, struct cs_cpu *cpu,
		    const struct cs_event *ev)
{
	uint64_t unexpected = tracker->health.unexpected;
	struct cs_task *prev = cpu->current, *next;
	struct cs_switch sw;

	tracker->health.switches++;
	if (!prev || prev->pid != ev->sw.prev_pid)
		prev = ev->sw.prev_pid ? cs_task_see(tracker, ev->sw.prev_pid, ev->ts)
				       : idle_of(tracker, cpu, ev->ts);
	next = ev->sw.next_pid ? cs_task_see(tracker, ev->sw.next_pid, ev->ts)
			       : idle_of(tracker, cpu, ev->ts);
	if (!prev || !next)
		return -ENOMEM;
	cs_comm_see(prev, ev->sw.prev_comm);
	cs_comm_see(next, ev->sw.next_comm);
	cs_prio_see(prev, ev->sw.prev_prio);
	cs_prio_see(next, ev->sw.next_prio);
	cpu->left = prev;
	if (ev->type == CS_EVENT_PHASES)
		identify(prev, next, ev);

	if (tracker->sink.on_switch) {
		sw.prev = prev;
		sw.next = next;
		sw.ts = ev->ts;
		sw.cpu = cpu->nr;
		sw.class = class_of(prev, ev->sw.prev_state);
		sw.kind = kind_of(prev, next);
		if (ev->type == CS_EVENT_PHASES && ev->sw.kind < CS_KIND_IDLE &&
		    sw.kind != CS_KIND_IDLE)
			sw.kind = ev->sw.kind;
		tracker->sink.on_switch(tracker->sink.ctx, &sw);
	}
	leave(tracker, cpu, prev, next, ev);
	enter(tracker, cpu, next, ev->ts);
	/* prev, next and the CPU may all surprise, but it is one switch */
	if (tracker->health.unexpected > unexpected)
		tracker->health.unexpected = unexpected + 1;
	return 0;
}

/*
 * A record of the module is written when its switch is over. Where the trace has the
 * SWITCH too, that was the switch; else this is.
 */
int cs_track_phases(struct cs_tracker *tracker, struct cs_cpu *cpu,
		    const struct cs_event *ev)
{
	struct cs_phases phases;

	if (cpu->left && cpu->current && cpu->left->pid == ev->sw.prev_pid &&
	    cpu->current->pid == ev->sw.next_pid) {
		identify(cpu->left, cpu->current, ev);
	} else {
		int err = cs_track_switch(tracker, cpu, ev);

		if (err)
			return err;
	}
	if (tracker->sink.on_phases) {
		phases.prev = cpu->left;
		phases.next = cpu->current;
		phases.ts = ev->ts;
		phases.ns = ev->sw.phase_ns;
		phases.cpu = cpu->nr;
		phases.measured = ev->sw.measured;
		phases.kind = ev->sw.kind;
		phases.disturbed = ev->sw.disturbed;
		tracker->sink.on_phases(tracker->sink.ctx, &phases);
	}
	cpu->left = NULL;
	return 0;
}

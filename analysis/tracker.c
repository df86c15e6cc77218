/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracker. Each handler below is the rule for one event; leave(), enter()
 * and wake() are the three ways in which a task changes its state.
 */
#include "analysis/tracker.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Flags of a task. */
#define WOKEN_RUNNING 0x01 /* a WAKING came while it was on a CPU */
#define RAN_UNWOKEN   0x02 /* it slept, and ran with no WAKING before it */
#define BOOSTED	      0x04 /* it runs on an inherited priority */
#define BOOSTED_OTHER 0x08 /* it has boosted a task since it came to run */
#define LIVED	      0x10 /* it was seen in some state: it is no new task */
#define WAKEUP_DUE    0x20 /* the WAKEUP of its last WAKING has not come yet */
#define BOOST_DOUBTED 0x40 /* BOOSTED, but the end of it may have been lost */

static bool is_idle(const struct cs_task *task)
{
	return !task->pid;
}

/* ------------------------------------------------------------------ spans */

static void send(const struct cs_tracker *tracker, const struct cs_span *span)
{
	if (tracker->sink.on_span)
		tracker->sink.on_span(tracker->sink.ctx, span);
}

/* Whatever @task did since it was last understood is not known. */
static void send_unknown(const struct cs_tracker *tracker, const struct cs_task *task,
			 uint64_t ts)
{
	struct cs_span span = {
		.task = task,
		.begin = task->since,
		.end = ts,
		.cpu = task->cpu,
		.prio = task->prio,
		.kind = CS_SPAN_UNKNOWN,
	};

	if (ts > task->since)
		send(tracker, &span);
}

static void send_cpu_unknown(const struct cs_tracker *tracker, const struct cs_cpu *cpu,
			     uint64_t ts)
{
	struct cs_span span = {
		.where = cpu,
		.begin = cpu->since,
		.end = ts,
		.cpu = cpu->nr,
		.prio = CS_PRIO_UNKNOWN,
		.kind = CS_SPAN_UNKNOWN,
	};

	if (ts > cpu->since)
		send(tracker, &span);
}

static void send_run(const struct cs_tracker *tracker, const struct cs_cpu *cpu,
		     uint64_t ts, const struct cs_task *next, cs_state state,
		     unsigned int flags)
{
	struct cs_span span = {
		.task = cpu->current,
		.peer = next,
		.where = cpu,
		.begin = cpu->since,
		.end = ts,
		.state = state,
		.cpu = cpu->nr,
		.prio = cpu->current->prio,
		.kind = CS_SPAN_RUN,
		.flags = flags,
	};

	send(tracker, &span);
}

static void send_block(const struct cs_tracker *tracker, const struct cs_task *task,
		       uint64_t ts, const struct cs_task *waker, unsigned int context,
		       unsigned int flags)
{
	struct cs_span span = {
		.task = task,
		.peer = waker,
		.begin = task->since,
		.end = ts,
		.state = task->left_state,
		.cpu = task->cpu,
		.prio = task->prio,
		.kind = CS_SPAN_BLOCK,
		.waker_context = context,
		.flags = flags,
	};

	send(tracker, &span);
}

static enum cs_found found_of(int32_t prio, bool idle, int32_t running)
{
	if (idle)
		return CS_FOUND_IDLE;
	if (prio == CS_PRIO_UNKNOWN || running == CS_PRIO_UNKNOWN)
		return CS_FOUND_UNKNOWN;
	return running > prio ? CS_FOUND_LOWER : CS_FOUND_SAME_OR_HIGHER;
}

/* What ran on @cpu, where @task now comes to run, when its wait began. */
static enum cs_found find(const struct cs_cpu *cpu, const struct cs_task *task)
{
	const struct cs_run *run;

	if (task->woken_cpu == cpu->nr && task->woken_idle != CS_UNKNOWN)
		return found_of(task->prio, task->woken_idle == CS_YES, task->woken_prio);
	run = cs_cpu_run_at(cpu, task->since, NULL);
	if (!run || !run->task)
		return CS_FOUND_UNKNOWN;
	return found_of(task->prio, is_idle(run->task), run->prio);
}

static void send_wait(struct cs_tracker *tracker, const struct cs_task *task,
		      const struct cs_cpu *cpu, uint64_t ts, unsigned int flags)
{
	struct cs_span span = {
		.task = task,
		.peer = task->peer,
		.where = cpu,
		.begin = task->since,
		.end = ts,
		.cpu = cpu ? cpu->nr : task->cpu,
		.prio = task->prio,
		.kind = CS_SPAN_WAIT,
		.cause = CS_WAIT_PREEMPTED,
		.found = CS_FOUND_UNKNOWN,
		.flags = flags,
	};

	if (ts < task->since) {
		tracker->health.negative++;
		return;
	}
	if (task->state != CS_TASK_PREEMPTED) {
		span.cause = CS_WAIT_WOKEN;
		span.peer = task->waker;
		span.waker_context = task->waker_context;
		if (cpu)
			span.found = find(cpu, task);
	}
	send(tracker, &span);
}

/* --------------------------------------------------------------- identity */

static int compare_identity(const void *a, const void *b)
{
	const struct cs_identity *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

static void identify(const struct cs_tracker *tracker, struct cs_task *task)
{
	struct cs_identity key = {.pid = task->pid};
	const struct cs_identity *identity = NULL;

	if (tracker->identities_count)
		identity = bsearch(&key, tracker->identities, tracker->identities_count,
				   sizeof(key), compare_identity);
	if (!identity)
		return;
	task->tgid = identity->tgid;
	task->kernel = identity->kernel ? CS_YES : CS_NO;
}

/* The living task with @pid, which an event has just proved to exist. */
static struct cs_task *see(struct cs_tracker *tracker, int32_t pid, uint64_t ts)
{
	struct cs_task *task = cs_task_find(&tracker->tasks, pid);
	bool reused = task;

	if (task && task->state != CS_TASK_DEAD)
		return task;
	task = cs_task_add(&tracker->tasks, pid, ts);
	if (task && !reused)
		identify(tracker, task);
	return task;
}

/* Who was in charge when a record was written: it may be dead by then. */
static const struct cs_task *see_waker(struct cs_tracker *tracker,
				       const struct cs_event *ev)
{
	const struct cs_task *task = tracker->cpus[ev->cpu]->current;

	if (ev->context != CS_CONTEXT_TASK || ev->pid <= 0)
		return NULL;
	if (task && task->pid == ev->pid)
		return task;
	task = cs_task_find(&tracker->tasks, ev->pid);
	return task ? task : see(tracker, ev->pid, ev->ts);
}

static void see_comm(struct cs_task *task, const char *comm)
{
	if (comm && memcmp(task->comm, comm, CS_COMM_LEN))
		cs_task_set_comm(task, comm);
}

static void see_prio(struct cs_task *task, int32_t prio)
{
	if (prio == task->prio || prio == CS_PRIO_UNKNOWN)
		return;
	if (task->prio == CS_PRIO_UNKNOWN) {
		task->base_prio = task->prio_highest = prio;
	} else {
		task->prio_changes++;
		if (prio < task->prio_highest)
			task->prio_highest = prio;
		if (task->flags & BOOST_DOUBTED && prio >= task->base_prio)
			task->flags &= ~(BOOSTED | BOOST_DOUBTED);
		if (!(task->flags & BOOSTED))
			task->base_prio = prio;
	}
	task->prio = prio;
}

/* ------------------------------------------------------------------- CPUs */

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

static void unplace(struct cs_task *task)
{
	if (!task->here_link)
		return;
	*task->here_link = task->here_next;
	if (task->here_next)
		task->here_next->here_link = task->here_link;
	task->here_link = NULL;
}

/*
 * @task was last seen on CPU @nr. Losing sight of a CPU takes its list apart, so
 * that many losses cost no more than the sightings between them.
 */
static void place(struct cs_tracker *tracker, struct cs_task *task, int32_t nr)
{
	struct cs_task **here;

	if (task->here_link && task->cpu == nr)
		return;
	unplace(task);
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
static void lose_task(struct cs_tracker *tracker, struct cs_task *task)
{
	if (task->state == CS_TASK_UNKNOWN || task->state == CS_TASK_DEAD)
		return;
	task->state = CS_TASK_UNKNOWN;
	task->flags &= ~(WOKEN_RUNNING | RAN_UNWOKEN | BOOSTED_OTHER | WAKEUP_DUE);
	if (task->flags & BOOSTED)
		task->flags |= BOOST_DOUBTED;
	tracker->health.dropped_spans++;
}

/*
 * What runs on @cpu is not known any more. The run that it was in is dropped
 * as a whole, so the CPU is unknown from that run's begin on.
 */
static void lose_current(struct cs_tracker *tracker, struct cs_cpu *cpu)
{
	struct cs_task *task = cpu->current;

	if (!task)
		return;
	if (is_idle(task))
		tracker->health.dropped_spans++;
	else
		lose_task(tracker, task);
	cpu->current = NULL;
	cs_cpu_forget_runs(cpu, cpu->since);
}

static void lose_cpu(struct cs_tracker *tracker, struct cs_cpu *cpu)
{
	lose_current(tracker, cpu);
	while (tracker->here[cpu->nr]) {
		lose_task(tracker, tracker->here[cpu->nr]);
		unplace(tracker->here[cpu->nr]);
	}
	cpu->open_irqs_count = 0;
}

/*
 * The clock of @cpu went backwards: what it showed up to now is closed, and it
 * is watched anew from @ts on.
 */
static void rewind_cpu(struct cs_tracker *tracker, struct cs_cpu *cpu, uint64_t ts)
{
	tracker->health.late++;
	lose_cpu(tracker, cpu);
	send_cpu_unknown(tracker, cpu, cpu->last);
	cpu->observed_before += cpu->last - cpu->begin;
	cpu->begin = cpu->since = ts;
	/* what it remembers is in the order of a clock that is gone */
	cpu->runs_count = cpu->irqs_count = 0;
}

/* --------------------------------------------------------------- switches */

static enum cs_switch_class class_of(const struct cs_task *prev, cs_state state)
{
	if (is_idle(prev))
		return CS_SWITCH_FROM_IDLE;
	if (state & CS_STATE_PREEMPTED)
		return CS_SWITCH_PREEMPTED;
	return state == CS_STATE_RUNNABLE ? CS_SWITCH_RUNNABLE : CS_SWITCH_VOLUNTARY;
}

static enum cs_switch_kind kind_of(const struct cs_task *prev, const struct cs_task *next)
{
	if (is_idle(prev) || is_idle(next))
		return CS_KIND_IDLE;
	if (prev->kernel == CS_YES || next->kernel == CS_YES)
		return CS_KIND_KERNEL;
	if (prev->tgid == CS_PID_UNKNOWN || next->tgid == CS_PID_UNKNOWN)
		return CS_KIND_UNKNOWN;
	return prev->tgid == next->tgid ? CS_KIND_THREAD : CS_KIND_PROCESS;
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
		lose_cpu(tracker, cpu);
	}
	send_cpu_unknown(tracker, cpu, ts);
	if (is_idle(prev))
		return;
	if (prev->state == CS_TASK_RUNNING) {
		tracker->health.unexpected++;
		lose_cpu(tracker, tracker->cpus[prev->cpu]);
	}
	lose_task(tracker, prev);
	send_unknown(tracker, prev, ts);
	if (early)
		prev->flags |= WOKEN_RUNNING;
}

static void leave(struct cs_tracker *tracker, struct cs_cpu *cpu, struct cs_task *prev,
		  struct cs_task *next, const struct cs_event *ev)
{
	cs_state state = ev->sw.prev_state;

	if (cpu->current == prev)
		send_run(tracker, cpu, ev->ts, next, state, 0);
	else
		leave_unexpected(tracker, cpu, prev, ev->ts);
	if (is_idle(prev))
		return;
	place(tracker, prev, cpu->nr);
	prev->since = ev->ts;
	prev->left_state = state;
	prev->losses = tracker->health.losses;
	prev->flags |= LIVED;
	prev->flags &= ~RAN_UNWOKEN;
	if (state == CS_STATE_RUNNABLE || state & CS_STATE_PREEMPTED) {
		prev->state = CS_TASK_PREEMPTED;
		prev->peer = next;
	} else if (is_dead(state)) {
		prev->state = CS_TASK_DEAD;
		prev->end = ev->ts;
		unplace(prev);
	} else {
		prev->state = CS_TASK_BLOCKED;
	}
}

/* A task that slept runs, and no WAKING came since it left. */
static void enter_unwoken(struct cs_tracker *tracker, struct cs_cpu *cpu,
			  struct cs_task *next, uint64_t ts)
{
	const struct cs_health *health = &tracker->health;

	if (next->flags & WOKEN_RUNNING && next->losses == health->losses &&
	    ts >= next->since) {
		/*
		 * try_to_wake_up() (kernel/sched/core.c) traces the wakeup
		 * before it waits for a task that is just going to sleep.
		 */
		send_block(tracker, next, next->since, next->waker, next->waker_context,
			   CS_SPAN_WOKEN_EARLY);
		next->woken_idle = CS_UNKNOWN;
		send_wait(tracker, next, cpu, ts, CS_SPAN_WOKEN_EARLY);
		return;
	}
	if (health->seen[CS_EVENT_WAKING] || health->seen[CS_EVENT_WAKEUP])
		lose_task(tracker, next);
	/* Its wakeup is still to come, by the clock of another CPU, or it was lost. */
	if (next->losses == health->losses)
		next->flags |= RAN_UNWOKEN;
	send_unknown(tracker, next, ts);
}

static void enter(struct cs_tracker *tracker, struct cs_cpu *cpu, struct cs_task *next,
		  uint64_t ts)
{
	if (!is_idle(next)) {
		unsigned int gone = WOKEN_RUNNING | BOOSTED_OTHER;

		switch (next->state) {
		case CS_TASK_RUNNING:
			tracker->health.unexpected++;
			lose_cpu(tracker, tracker->cpus[next->cpu]);
			send_unknown(tracker, next, ts);
			break;
		case CS_TASK_PREEMPTED:
			send_wait(tracker, next, cpu, ts, 0);
			gone &= ~WOKEN_RUNNING;
			break;
		case CS_TASK_WOKEN:
			send_wait(tracker, next, cpu, ts, 0);
			break;
		case CS_TASK_BLOCKED:
			enter_unwoken(tracker, cpu, next, ts);
			break;
		default:
			send_unknown(tracker, next, ts);
		}
		next->flags = (next->flags & ~gone) | LIVED;
		next->state = CS_TASK_RUNNING;
		place(tracker, next, cpu->nr);
		next->since = ts;
	}
	cpu->current = next;
	cpu->since = ts;
	cs_cpu_push_run(cpu, next, next->prio, ts);
}

static int on_switch(struct cs_tracker *tracker, struct cs_cpu *cpu,
		     const struct cs_event *ev)
{
	uint64_t unexpected = tracker->health.unexpected;
	struct cs_task *prev = cpu->current, *next;
	struct cs_switch sw;

	tracker->health.switches++;
	if (!prev || prev->pid != ev->sw.prev_pid)
		prev = ev->sw.prev_pid ? see(tracker, ev->sw.prev_pid, ev->ts)
				       : idle_of(tracker, cpu, ev->ts);
	next = ev->sw.next_pid ? see(tracker, ev->sw.next_pid, ev->ts)
			       : idle_of(tracker, cpu, ev->ts);
	if (!prev || !next)
		return -ENOMEM;
	see_comm(prev, ev->sw.prev_comm);
	see_comm(next, ev->sw.next_comm);
	see_prio(prev, ev->sw.prev_prio);
	see_prio(next, ev->sw.next_prio);

	if (tracker->sink.on_switch) {
		sw.prev = prev;
		sw.next = next;
		sw.ts = ev->ts;
		sw.cpu = cpu->nr;
		sw.class = class_of(prev, ev->sw.prev_state);
		sw.kind = kind_of(prev, next);
		tracker->sink.on_switch(tracker->sink.ctx, &sw);
	}
	leave(tracker, cpu, prev, next, ev);
	enter(tracker, cpu, next, ev->ts);
	/* prev, next and the CPU may all surprise, but it is one switch */
	if (tracker->health.unexpected > unexpected)
		tracker->health.unexpected = unexpected + 1;
	return 0;
}

/* ---------------------------------------------------------------- wakeups */

/* @task is runnable from @ev on. */
static void wake(struct cs_tracker *tracker, struct cs_task *task,
		 const struct cs_event *ev, const struct cs_task *waker)
{
	const struct cs_cpu *target = NULL;
	int32_t nr = ev->wake.target_cpu;

	if (nr >= 0 && (uint32_t)nr < tracker->cpus_count)
		target = tracker->cpus[nr];
	task->woken_idle = CS_UNKNOWN;
	if (target && target->current) {
		task->woken_cpu = nr;
		task->woken_prio = target->current->prio;
		task->woken_idle = is_idle(target->current) ? CS_YES : CS_NO;
	}
	task->state = CS_TASK_WOKEN;
	place(tracker, task, task->cpu);
	/* clocks of two CPUs may disagree: it cannot be woken before it left */
	if (ev->ts > task->since)
		task->since = ev->ts;
	task->losses = tracker->health.losses;
	task->waker = waker;
	task->waker_context = ev->context;
	task->flags = (task->flags & ~WOKEN_RUNNING) | LIVED;
}

static void wake_blocked(struct cs_tracker *tracker, struct cs_task *task,
			 const struct cs_event *ev, const struct cs_task *waker,
			 unsigned int flags)
{
	if (ev->ts < task->since)
		tracker->health.negative++;
	else
		send_block(tracker, task, ev->ts, waker, ev->context, flags);
	wake(tracker, task, ev, waker);
}

/* A wakeup of a task that waits for a CPU starts no new wait, but for two cases. */
static void wake_runnable(struct cs_tracker *tracker, struct cs_task *task,
			  const struct cs_event *ev, const struct cs_task *waker)
{
	bool left_as_runnable = task->state == CS_TASK_PREEMPTED &&
				task->left_state == CS_STATE_RUNNABLE;

	if (left_as_runnable && is_idle(task->peer)) {
		/*
		 * Nothing else wanted the CPU: it slept, but __schedule() read
		 * its state before the event did, and a waker set it between.
		 */
		tracker->health.raced++;
		wake_blocked(tracker, task, ev, waker, CS_SPAN_RACED);
	} else if (left_as_runnable && task->flags & BOOSTED_OTHER) {
		/*
		 * TASK_RTLOCK_WAIT is not in TASK_REPORT (include/linux/sched.h):
		 * a waiter on a sleeping spinlock looks runnable.
		 */
		wake_blocked(tracker, task, ev, waker, 0);
	} else if (task->losses != tracker->health.losses) {
		/* It may have run and slept where records were lost. */
		lose_task(tracker, task);
		send_unknown(tracker, task, ev->ts);
		wake(tracker, task, ev, waker);
	}
}

static void wake_running(struct cs_tracker *tracker, struct cs_task *task,
			 const struct cs_event *ev, const struct cs_task *waker)
{
	if (task->flags & RAN_UNWOKEN) {
		/* This is the wakeup of the run it is in, late by another clock. */
		tracker->health.negative++;
		task->flags &= ~RAN_UNWOKEN;
		return;
	}
	task->flags |= WOKEN_RUNNING;
	task->waker = waker;
	task->waker_context = ev->context;
}

static int on_waking(struct cs_tracker *tracker, const struct cs_event *ev)
{
	bool waking = ev->type == CS_EVENT_WAKING;
	/* A WAKEUP after its WAKING says nothing new, and it may come late. */
	bool late = !waking && tracker->health.seen[CS_EVENT_WAKING];
	const struct cs_task *waker;
	struct cs_task *task;
	bool told;

	if (ev->wake.pid <= 0)
		return 0;
	task = cs_task_find(&tracker->tasks, ev->wake.pid);
	if (late && task && task->state == CS_TASK_DEAD)
		return 0; /* it is about a run that was the last one */
	if (!task || task->state == CS_TASK_DEAD)
		task = see(tracker, ev->wake.pid, ev->ts);
	waker = see_waker(tracker, ev);
	if (!task)
		return -ENOMEM;
	see_comm(task, ev->wake.comm);
	see_prio(task, ev->wake.prio);
	told = !waking && task->flags & WAKEUP_DUE;
	task->flags = waking ? task->flags | WAKEUP_DUE : task->flags & ~WAKEUP_DUE;

	switch (task->state) {
	case CS_TASK_RUNNING:
		if (waking)
			wake_running(tracker, task, ev, waker);
		break;
	case CS_TASK_PREEMPTED:
	case CS_TASK_WOKEN:
		if (!late)
			wake_runnable(tracker, task, ev, waker);
		break;
	case CS_TASK_BLOCKED:
		if (waking || (!told && !(task->flags & WOKEN_RUNNING)))
			wake_blocked(tracker, task, ev, waker, 0);
		break;
	default:
		if (!late) {
			send_unknown(tracker, task, ev->ts);
			task->since = ev->ts;
			wake(tracker, task, ev, waker);
		}
	}
	/* sched_waking tells where it was, sched_wakeup where it goes */
	if ((!waking && ev->wake.target_cpu >= 0 && task->state == CS_TASK_WOKEN) ||
	    task->cpu == CS_CPU_UNKNOWN)
		place(tracker, task, ev->wake.target_cpu);
	return 0;
}

/* --------------------------------------------------------- birth and name */

/* The task that begins its life with @pid now; one seen a moment ago will do. */
static struct cs_task *begin_life(struct cs_tracker *tracker, int32_t pid, uint64_t ts)
{
	struct cs_task *task = cs_task_find(&tracker->tasks, pid);

	if (task && task->state == CS_TASK_UNKNOWN && !(task->flags & LIVED))
		return task;
	if (task && task->state != CS_TASK_DEAD) {
		/* its end was not seen */
		if (task->state == CS_TASK_RUNNING) {
			tracker->health.unexpected++;
			lose_cpu(tracker, tracker->cpus[task->cpu]);
		}
		lose_task(tracker, task);
		send_unknown(tracker, task, ts);
		task->state = CS_TASK_DEAD;
		task->end = ts;
		unplace(task);
	}
	return cs_task_add(&tracker->tasks, pid, ts);
}

static int on_wakeup_new(struct cs_tracker *tracker, const struct cs_event *ev)
{
	const struct cs_task *waker;
	struct cs_task *task;

	if (ev->wake.pid <= 0)
		return 0;
	task = begin_life(tracker, ev->wake.pid, ev->ts);
	waker = see_waker(tracker, ev);
	if (!task)
		return -ENOMEM;
	see_comm(task, ev->wake.comm);
	see_prio(task, ev->wake.prio);
	send_unknown(tracker, task, ev->ts);
	task->since = ev->ts;
	place(tracker, task, ev->wake.target_cpu);
	wake(tracker, task, ev, waker);
	return 0;
}

static int on_fork(struct cs_tracker *tracker, const struct cs_event *ev)
{
	const struct cs_task *parent;
	struct cs_task *task;

	if (ev->task.pid <= 0)
		return 0;
	task = begin_life(tracker, ev->task.pid, ev->ts);
	if (!task)
		return -ENOMEM;
	see_comm(task, ev->task.comm);
	parent = ev->task.parent > 0 ? cs_task_find(&tracker->tasks, ev->task.parent)
				     : NULL;
	/* kthreadd is pid 2: rest_init() (init/main.c); all others are its children */
	if (ev->task.parent == 2) {
		task->kernel = CS_YES;
		task->tgid = task->pid;
	} else if (parent && parent->kernel == CS_NO) {
		task->kernel = CS_NO;
	}
	if (!ev->task.same_thread)
		task->tgid = task->pid;
	else if (ev->task.same_thread > 0 && parent)
		task->tgid = parent->tgid;
	return 0;
}

static int on_task(struct cs_tracker *tracker, const struct cs_event *ev)
{
	struct cs_task *task;

	if (ev->task.pid <= 0)
		return 0;
	task = see(tracker, ev->task.pid, ev->ts);
	if (!task)
		return -ENOMEM;
	see_comm(task, ev->task.comm);
	if (ev->type == CS_EVENT_EXEC) {
		/* begin_new_exec() (fs/exec.c): a user process, led by this task */
		task->kernel = CS_NO;
		task->tgid = task->pid;
	}
	return 0;
}

static void on_migrate(struct cs_tracker *tracker, const struct cs_event *ev)
{
	struct cs_task *task;

	if (ev->migrate.pid <= 0)
		return;
	task = cs_task_find(&tracker->tasks, ev->migrate.pid);
	if (task && task->state != CS_TASK_DEAD && task->state != CS_TASK_RUNNING)
		place(tracker, task, ev->migrate.to);
}

static int on_prio(struct cs_tracker *tracker, struct cs_cpu *cpu,
		   const struct cs_event *ev)
{
	int32_t old_prio = ev->prio.old_prio, new_prio = ev->prio.new_prio;
	struct cs_task *task;

	if (ev->prio.pid <= 0)
		return 0;
	task = see(tracker, ev->prio.pid, ev->ts);
	if (!task)
		return -ENOMEM;
	see_comm(task, ev->prio.comm);
	see_prio(task, old_prio);
	if (new_prio == old_prio)
		return 0;
	if (new_prio < task->base_prio)
		task->flags = (task->flags & ~BOOST_DOUBTED) | BOOSTED;
	see_prio(task, new_prio);
	if (new_prio >= task->base_prio) {
		task->flags &= ~(BOOSTED | BOOST_DOUBTED);
		task->base_prio = new_prio;
	}
	if (task->state == CS_TASK_RUNNING)
		cs_cpu_push_run(tracker->cpus[task->cpu], task, new_prio, ev->ts);
	if (new_prio < old_prio && cpu->current && cpu->current != task &&
	    cpu->current->pid == ev->pid)
		cpu->current->flags |= BOOSTED_OTHER;
	return 0;
}

/* ---------------------------------------------------- markers, interrupts */

static const char *read_pid(const char *text, const char *end, int32_t *pid)
{
	int64_t value = 0;
	const char *start = text;

	for (; text < end && isdigit((unsigned char)*text) && value < INT32_MAX; text++)
		value = value * 10 + (*text - '0');
	if (text == start || value > INT32_MAX)
		return NULL;
	*pid = (int32_t)value;
	return text;
}

static int add_identity(struct cs_tracker *tracker, const struct cs_identity *identity)
{
	uint32_t count = tracker->identities_count;

	if (!(count & (count - 1))) {
		struct cs_identity *all =
			realloc(tracker->identities,
				(count ? 2 * (size_t)count : 1) * sizeof(*all));

		if (!all)
			return -ENOMEM;
		tracker->identities = all;
	}
	tracker->identities[tracker->identities_count++] = *identity;
	return 0;
}

static int on_marker(struct cs_tracker *tracker, const struct cs_event *ev)
{
	const char *text = ev->marker.text, *end = text + ev->marker.length;
	size_t prefix = strlen(CS_MARKER_TASKS);

	if (ev->marker.length < prefix || memcmp(text, CS_MARKER_TASKS, prefix))
		return 0;
	for (text += prefix; text < end; text++) {
		struct cs_identity identity = {0};
		struct cs_task *task;

		text = read_pid(text, end, &identity.pid);
		if (!text || text == end || *text != '/')
			break;
		text = read_pid(text + 1, end, &identity.tgid);
		if (!text)
			break;
		if (text < end && *text == 'k') {
			identity.kernel = true;
			text++;
		}
		if (add_identity(tracker, &identity))
			return -ENOMEM;
		task = identity.pid ? cs_task_find(&tracker->tasks, identity.pid) : NULL;
		if (task && task->tgid == CS_PID_UNKNOWN) {
			task->tgid = identity.tgid;
			task->kernel = identity.kernel ? CS_YES : CS_NO;
		}
	}
	if (tracker->identities_count)
		qsort(tracker->identities, tracker->identities_count,
		      sizeof(*tracker->identities), compare_identity);
	return 0;
}

static const char *intern(struct cs_tracker *tracker, const char *name)
{
	uint32_t count = tracker->names_count;
	char **names;

	if (!name)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(tracker->names[i], name))
			return tracker->names[i];
	names = realloc(tracker->names, (count + (size_t)1) * sizeof(*names));
	if (!names)
		return NULL;
	tracker->names = names;
	names[count] = strdup(name);
	if (!names[count])
		return NULL;
	tracker->names_count++;
	return names[count];
}

static void on_irq(struct cs_tracker *tracker, struct cs_cpu *cpu,
		   const struct cs_event *ev)
{
	uint32_t depth = cpu->open_irqs_count;
	struct cs_irq *irq;

	if (ev->irq.enter) {
		if (depth == CS_IRQ_DEPTH)
			return;
		irq = &cpu->open_irqs[cpu->open_irqs_count++];
		irq->begin = ev->ts;
		irq->name = intern(tracker, ev->irq.name);
		irq->nr = ev->irq.nr;
		irq->kind = ev->irq.kind;
		return;
	}
	while (depth && (cpu->open_irqs[depth - 1].kind != ev->irq.kind ||
			 cpu->open_irqs[depth - 1].nr != ev->irq.nr))
		depth--;
	if (!depth)
		return;
	/* one that never ended is left out: its end is not known */
	cpu->open_irqs_count = depth - 1;
	irq = &cpu->irqs[cpu->irqs_count++ % CS_CPU_IRQS];
	*irq = cpu->open_irqs[depth - 1];
	irq->end = ev->ts;
}

/* ------------------------------------------------------------------- life */

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
	lose_cpu(tracker, cpu);
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
		return on_switch(tracker, cpu, ev);
	case CS_EVENT_WAKING:
	case CS_EVENT_WAKEUP:
		return on_waking(tracker, ev);
	case CS_EVENT_WAKEUP_NEW:
		return on_wakeup_new(tracker, ev);
	case CS_EVENT_MIGRATE:
		on_migrate(tracker, ev);
		return 0;
	case CS_EVENT_PRIO:
		return on_prio(tracker, cpu, ev);
	case CS_EVENT_FORK:
		return on_fork(tracker, ev);
	case CS_EVENT_EXEC:
	case CS_EVENT_EXIT:
	case CS_EVENT_RENAME:
		return on_task(tracker, ev);
	case CS_EVENT_MARKER:
		return on_marker(tracker, ev);
	case CS_EVENT_IRQ:
		on_irq(tracker, cpu, ev);
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
	switch (task->state) {
	case CS_TASK_PREEMPTED:
	case CS_TASK_WOKEN:
		send_wait(tracker, task, NULL, ts, CS_SPAN_OPEN);
		break;
	case CS_TASK_BLOCKED:
		send_block(tracker, task, ts, NULL, CS_CONTEXT_UNKNOWN, CS_SPAN_OPEN);
		break;
	case CS_TASK_UNKNOWN:
		send_unknown(tracker, task, ts);
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
			send_cpu_unknown(tracker, cpu, tracker->end);
			continue;
		}
		send_run(tracker, cpu, tracker->end, NULL, CS_STATE_RUNNABLE,
			 CS_SPAN_OPEN);
		tracker->health.open_spans++;
	}
	for (uint32_t i = 0; i < tracker->tasks.count; i++)
		if (!is_idle(tracker->tasks.tasks[i]))
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

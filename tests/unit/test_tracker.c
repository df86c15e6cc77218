/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracker: invariants under absurd events, and exact times under a simulated
 * scheduler that keeps books of its own.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/tracker.h"
#include "tests/support/random.h"
#include "tests/support/span_check.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---------------------------------------------------------- absurd sequences */

enum clocks { ORDERED, SHAKY, WILD };

static void sink_span(void *ctx, const struct cs_span *span)
{
	span_check_span(ctx, span);
}

static void sink_switch(void *ctx, const struct cs_switch *sw)
{
	span_check_switch(ctx, sw);
}

static int32_t any_pid(struct random *random)
{
	static const int32_t odd[] = {-1, 2, INT32_MAX, INT32_MIN};

	if (random_chance(random, 2))
		return odd[random_below(random, COUNT(odd))];
	return (int32_t)random_below(random, 7);
}

static int32_t any_cpu(struct random *random)
{
	static const int32_t odd[] = {-1, 40, CS_CPUS_MAX, INT32_MAX, INT32_MIN};

	if (random_chance(random, 1))
		return odd[random_below(random, COUNT(odd))];
	return (int32_t)random_below(random, 3);
}

static int32_t any_prio(struct random *random)
{
	static const int32_t prios[] = {-1, 0, 49, 98, 110, 120, 139, CS_PRIO_UNKNOWN};

	return prios[random_below(random, COUNT(prios))];
}

static cs_state any_state(struct random *random)
{
	static const cs_state odd[] = {CS_STATE_UNKNOWN, CS_STATE_PREEMPTED | 4,
				       UINT64_MAX};

	if (random_chance(random, 2))
		return odd[random_below(random, COUNT(odd))];
	switch (random_below(random, 8)) {
	case 0:
	case 1:
		return CS_STATE_RUNNABLE;
	case 2:
	case 3:
		return CS_STATE_PREEMPTED;
	case 4:
		return cs_state_of(random_chance(random, 50) ? 'X' : 'Z');
	default:
		return cs_state_of(random_chance(random, 50) ? 'S' : 'D');
	}
}

static const char *any_comm(struct random *random)
{
	static const char *const comms[] = {NULL, "a\0rubbish behind", "0123456789abcdef",
					    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
					    "\xff\n\"\0\0\0\0\0\0\0\0\0\0\0\0"};

	return comms[random_below(random, COUNT(comms))];
}

static uint64_t any_time(struct random *random, enum clocks clocks, uint64_t last)
{
	switch (clocks) {
	case ORDERED:
		return last + random_below(random, 4);
	case SHAKY:
		return last + random_below(random, 6) - (last > 3 ? 2 : 0);
	default:
		return random_next(random) >> (2 + random_below(random, 60));
	}
}

static void fill_event(struct random *random, struct cs_event *ev)
{
	static const uint8_t types[] = {
		CS_EVENT_SWITCH, CS_EVENT_SWITCH,     CS_EVENT_SWITCH,	CS_EVENT_SWITCH,
		CS_EVENT_SWITCH, CS_EVENT_SWITCH,     CS_EVENT_SWITCH,	CS_EVENT_SWITCH,
		CS_EVENT_WAKING, CS_EVENT_WAKING,     CS_EVENT_WAKING,	CS_EVENT_WAKING,
		CS_EVENT_WAKEUP, CS_EVENT_WAKEUP,     CS_EVENT_MIGRATE, CS_EVENT_PRIO,
		CS_EVENT_PRIO,	 CS_EVENT_WAKEUP_NEW, CS_EVENT_FORK,	CS_EVENT_EXEC,
		CS_EVENT_EXIT,	 CS_EVENT_RENAME,     CS_EVENT_IRQ,	CS_EVENT_IRQ,
		CS_EVENT_MARKER, CS_EVENT_LOST,	      CS_EVENT_OTHER,	CS_EVENT_PHASES,
		CS_EVENT_PHASES, CS_EVENT_PHASES,     CS_EVENT_PHASES,	CS_EVENT_PHASES,
	};
	static const char *const markers[] = {
		"",
		"ctxsw:tasks ",
		"ctxsw:tasks 3/3 4/3 2/2k",
		"ctxsw:tasks 4/",
		"ctxsw:tasks 99999999999999999999/1",
		"ctxsw:tasks 3/3k4/4 ",
		"ctxsw:task",
		"ctxsw:module ",
		"ctxsw:module abi=9 phases=mm,x cost_ns=mm:,mm"};

	ev->type = types[random_below(random, COUNT(types))];
	ev->context = (uint8_t)random_below(random, CS_CONTEXT_UNKNOWN + 1);
	ev->pid = any_pid(random);
	switch (ev->type) {
	case CS_EVENT_PHASES:
		ev->sw.prev_tgid = any_pid(random);
		ev->sw.next_tgid = any_pid(random);
		ev->sw.kind = (uint8_t)random_below(random, CS_KINDS);
		/* fall through */
	case CS_EVENT_SWITCH:
		ev->sw.prev_pid = any_pid(random);
		ev->sw.next_pid = any_pid(random);
		ev->sw.prev_prio = any_prio(random);
		ev->sw.next_prio = any_prio(random);
		ev->sw.prev_state = any_state(random);
		ev->sw.prev_comm = any_comm(random);
		ev->sw.next_comm = any_comm(random);
		break;
	case CS_EVENT_WAKING:
	case CS_EVENT_WAKEUP:
	case CS_EVENT_WAKEUP_NEW:
		ev->wake.pid = any_pid(random);
		ev->wake.prio = any_prio(random);
		ev->wake.target_cpu = any_cpu(random);
		ev->wake.comm = any_comm(random);
		break;
	case CS_EVENT_MIGRATE:
		ev->migrate.pid = any_pid(random);
		ev->migrate.from = any_cpu(random);
		ev->migrate.to = any_cpu(random);
		break;
	case CS_EVENT_PRIO:
		ev->prio.pid = any_pid(random);
		ev->prio.old_prio = any_prio(random);
		ev->prio.new_prio = any_prio(random);
		ev->prio.base_prio = any_prio(random);
		ev->prio.donor = any_pid(random);
		break;
	case CS_EVENT_FORK:
	case CS_EVENT_EXEC:
	case CS_EVENT_EXIT:
	case CS_EVENT_RENAME:
		ev->task.pid = any_pid(random);
		ev->task.parent = any_pid(random);
		ev->task.comm = any_comm(random);
		ev->task.same_thread = (int8_t)random_below(random, 3) - 1;
		break;
	case CS_EVENT_IRQ:
		ev->irq.nr = (int32_t)random_below(random, 3);
		ev->irq.kind = (uint8_t)random_below(random, 4);
		ev->irq.enter = random_chance(random, 60);
		ev->irq.name = random_chance(random, 50) ? "irq" : NULL;
		break;
	case CS_EVENT_MARKER:
		ev->marker.text = markers[random_below(random, COUNT(markers))];
		ev->marker.length = (uint32_t)strlen(ev->marker.text);
		break;
	case CS_EVENT_LOST:
		ev->lost.count = random_below(random, 3);
		break;
	}
}

/* A switch that follows from the one before on its CPU, so that runs get long. */
static void make_sense(struct random *random, const struct cs_tracker *tracker,
		       struct cs_event *ev)
{
	const struct cs_cpu *cpu;

	if ((ev->type != CS_EVENT_SWITCH && ev->type != CS_EVENT_PHASES) || ev->cpu < 0 ||
	    (uint32_t)ev->cpu >= tracker->cpus_count || random_chance(random, 15))
		return;
	cpu = tracker->cpus[ev->cpu];
	if (cpu && cpu->current)
		ev->sw.prev_pid = cpu->current->pid;
}

/* After a loss nothing is known of the CPU, nor of any task last seen there. */
static void check_lost(const struct cs_tracker *tracker, int32_t nr, uint64_t seed)
{
	if (tracker->cpus[nr]->current)
		fail_msg("seed %" PRIu64 ": CPU %d runs something after a loss", seed,
			 nr);
	for (uint32_t i = 0; i < tracker->tasks.count; i++) {
		const struct cs_task *task = tracker->tasks.tasks[i];

		if (task->pid && task->cpu == nr && task->state != CS_TASK_UNKNOWN &&
		    task->state != CS_TASK_DEAD)
			fail_msg("seed %" PRIu64
				 ": pid %d is in state %u after a loss on CPU %d",
				 seed, task->pid, task->state, nr);
	}
}

static void run_absurd(uint64_t seed, enum clocks clocks)
{
	struct span_check check;
	struct cs_tracker tracker;
	struct cs_sink sink = {.on_span = sink_span,
			       .on_switch = sink_switch,
			       .ctx = &check};
	struct random random = {seed};
	uint64_t count = 1 + random_below(&random, 120), last = 0;
	const char *error;

	assert_int_equal(cs_tracker_init(&tracker, &sink), 0);
	span_check_init(&check, &tracker, clocks == ORDERED);
	for (uint64_t i = 0; i < count; i++) {
		struct cs_event ev = {0};

		fill_event(&random, &ev);
		ev.cpu = any_cpu(&random);
		ev.ts = last = any_time(&random, clocks, last);
		make_sense(&random, &tracker, &ev);
		assert_int_equal(cs_tracker_event(&tracker, &ev), 0);
		if (ev.type == CS_EVENT_LOST && ev.cpu >= 0 && ev.cpu < CS_CPUS_MAX)
			check_lost(&tracker, ev.cpu, seed);
	}
	cs_tracker_finish(&tracker);
	error = span_check_finish(&check);
	if (error)
		fail_msg("seed %" PRIu64 ", clocks %u: %s", seed, clocks, error);
	span_check_fini(&check);
	cs_tracker_fini(&tracker);
}

static void absurd_ordered(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20000; seed++)
		run_absurd(seed, ORDERED);
}

static void absurd_clocks(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10000; seed++) {
		run_absurd(seed, SHAKY);
		run_absurd(seed, WILD);
	}
}

/* ------------------------------------------------------ a simulated scheduler */

#define CPUS  3
#define TASKS 400
#define IDLE  (-1)

enum life { FRESH, READY, RUNNING, ASLEEP, GONE };

/* A task as the simulation knows it; its books are kept as time passes. */
struct sim_task {
	int32_t pid;
	int32_t base;
	int32_t prio;
	enum life life;
	int cpu;
	int queue;     /* READY: where its waker put it */
	bool woken;    /* READY: since a wakeup; else preempted */
	bool early;    /* READY: woken before it left */
	bool repriced; /* READY: its priority has changed since */
	uint64_t since;
	int32_t waker;
	int32_t robber;
	int32_t found[CPUS]; /* priority that ran when the wait began; IDLE_PRIO */
	bool wakeup_due;
	int waits_for;	/* the holder that it boosts, or -1 */
	int boosted_by; /* or -1 */
	uint64_t begin;
	uint64_t end;
	uint64_t ns[4]; /* FRESH, READY, RUNNING, ASLEEP */
};

#define IDLE_PRIO 1000

/* In whose context tasks are pulled: no waker of the simulation. */
#define PULLER 99999

/* A wait that ended: what both sides must agree on. */
struct wait {
	int32_t pid;
	int32_t peer;
	int32_t cpu;
	uint64_t begin;
	uint64_t end;
	uint8_t cause;
	uint8_t found;
};

struct waits {
	struct wait *all;
	size_t count;
	size_t room;
};

/* Which records tell of switches and of priorities. */
enum teller { KERNEL, MODULE, BOTH, TELLERS };

struct sim {
	enum teller teller;
	struct random random;
	struct cs_tracker tracker;
	struct span_check check;
	struct waits ours;
	struct waits truth;
	uint64_t now;
	struct sim_task tasks[TASKS];
	int count;
	int running[CPUS]; /* task or IDLE */
	uint64_t busy[CPUS];
	uint64_t idle[CPUS];
	bool begun[CPUS];
	uint64_t classes[CS_SWITCH_CLASSES];
	int32_t next_pid;
	/* records that the ring buffer of a CPU has lost, when it may lose some */
	bool lossy;
	bool losing[CPUS];
	uint64_t lost[CPUS];
	uint64_t lost_sum;
	struct waits runs_ours;
	struct waits runs_truth;
	uint64_t came[CPUS];
};

static void note(struct waits *waits, const struct wait *wait)
{
	if (waits->count == waits->room) {
		waits->room = waits->room ? 2 * waits->room : 64;
		waits->all = realloc(waits->all, waits->room * sizeof(*waits->all));
		assert_non_null(waits->all);
	}
	waits->all[waits->count++] = *wait;
}

static void sim_span(void *ctx, const struct cs_span *span)
{
	struct sim *sim = ctx;
	struct wait wait;

	span_check_span(&sim->check, span);
	if (span->kind == CS_SPAN_RUN && span->task->pid &&
	    !(span->flags & CS_SPAN_OPEN)) {
		wait = (struct wait){
			.pid = span->task->pid,
			.cpu = span->cpu,
			.begin = span->begin,
			.end = span->end,
		};
		note(&sim->runs_ours, &wait);
	}
	if (span->kind != CS_SPAN_WAIT || span->flags & CS_SPAN_OPEN)
		return;
	wait = (struct wait){
		.pid = span->task->pid,
		.peer = span->peer ? span->peer->pid : -1,
		.cpu = span->cpu,
		.begin = span->begin,
		.end = span->end,
		.cause = span->cause,
		.found = span->found,
	};
	note(&sim->ours, &wait);
}

static void sim_switch(void *ctx, const struct cs_switch *sw)
{
	span_check_switch(&((struct sim *)ctx)->check, sw);
}

/* Time passes, and every task and CPU spends it in the state that it is in. */
static void pass(struct sim *sim)
{
	uint64_t ns = 1 + random_below(&sim->random, 30);

	sim->now += ns;
	for (int i = 0; i < sim->count; i++)
		if (sim->tasks[i].life != GONE)
			sim->tasks[i].ns[sim->tasks[i].life] += ns;
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (sim->begun[cpu])
			*(sim->running[cpu] == IDLE ? &sim->idle[cpu]
						    : &sim->busy[cpu]) += ns;
}

static void emit(struct sim *sim, int cpu, struct cs_event *ev)
{
	ev->ts = sim->now;
	ev->cpu = cpu;
	if (sim->lossy && random_chance(&sim->random, sim->losing[cpu] ? 20 : 2))
		sim->losing[cpu] = !sim->losing[cpu];
	if (sim->losing[cpu]) {
		sim->lost[cpu]++;
		return;
	}
	if (sim->lost[cpu]) {
		struct cs_event loss = {
			.type = CS_EVENT_LOST,
			.ts = sim->now,
			.cpu = cpu,
			.lost = {.count = sim->lost[cpu]},
		};

		assert_int_equal(cs_tracker_event(&sim->tracker, &loss), 0);
		sim->lost_sum += sim->lost[cpu];
		sim->lost[cpu] = 0;
	}
	assert_int_equal(cs_tracker_event(&sim->tracker, ev), 0);
}

static struct sim_task *add_task(struct sim *sim, int32_t pid, enum life life, int cpu)
{
	static const int32_t prios[] = {-1, 5, 50, 98, 100, 120, 120, 120, 139};
	struct sim_task *task = &sim->tasks[sim->count++];

	memset(task, 0, sizeof(*task));
	task->pid = pid;
	task->base = task->prio = prios[random_below(&sim->random, COUNT(prios))];
	task->life = life;
	task->cpu = cpu;
	task->begin = sim->now;
	task->waits_for = task->boosted_by = -1;
	return task;
}

/* What runs everywhere, as a task whose wait begins now finds it. */
static void look_around(struct sim *sim, struct sim_task *task)
{
	for (int cpu = 0; cpu < CPUS; cpu++)
		task->found[cpu] = sim->running[cpu] == IDLE
					   ? IDLE_PRIO
					   : sim->tasks[sim->running[cpu]].prio;
	task->since = sim->now;
	task->repriced = false;
}

/* A random task in a state, on a CPU or on any (-1); NULL when there is none. */
static struct sim_task *pick(struct sim *sim, enum life life, int cpu)
{
	int start = (int)random_below(&sim->random, (uint64_t)sim->count);

	for (int i = 0; i < sim->count; i++) {
		struct sim_task *task = &sim->tasks[(start + i) % sim->count];

		if (task->life == life && (cpu < 0 || task->cpu == cpu))
			return task;
	}
	return NULL;
}

static struct sim_task *running_on(struct sim *sim, int cpu)
{
	return sim->running[cpu] == IDLE ? NULL : &sim->tasks[sim->running[cpu]];
}

/* Whoever makes a wakeup: the task that runs on @cpu, or an interrupt there. */
static void set_waker(struct sim *sim, int cpu, struct cs_event *ev, int32_t *waker)
{
	struct sim_task *task = running_on(sim, cpu);

	ev->pid = task ? task->pid : 0;
	ev->context = CS_CONTEXT_HARDIRQ;
	*waker = -1;
	if (task && random_chance(&sim->random, 50)) {
		ev->context = CS_CONTEXT_TASK;
		*waker = task->pid;
	}
}

static struct cs_event emit_wake(struct sim *sim, const struct sim_task *task, int cpu,
				 enum cs_event_type type, int32_t *waker)
{
	struct cs_event ev = {.type = type};

	set_waker(sim, cpu, &ev, waker);
	ev.wake.pid = task->pid;
	ev.wake.prio = task->prio;
	ev.wake.target_cpu = task->cpu;
	emit(sim, cpu, &ev);
	return ev;
}

static void sim_wake(struct sim *sim, struct sim_task *task)
{
	int cpu = (int)random_below(&sim->random, CPUS);
	int to = (int)random_below(&sim->random, CPUS);
	struct cs_event waking;
	int32_t nobody;

	pass(sim);
	waking = emit_wake(sim, task, cpu, CS_EVENT_WAKING, &task->waker);
	task->life = READY;
	task->woken = true;
	task->early = false;
	look_around(sim, task);
	if (to != task->cpu && random_chance(&sim->random, 40)) {
		struct cs_event ev = {
			.type = CS_EVENT_MIGRATE,
			.pid = waking.pid,
			.context = waking.context,
			.migrate = {.pid = task->pid, .from = task->cpu, .to = to},
		};

		pass(sim);
		emit(sim, cpu, &ev);
		task->cpu = to;
	}
	task->queue = task->cpu;
	task->wakeup_due = random_chance(&sim->random, 80);
	if (task->wakeup_due && random_chance(&sim->random, 60)) {
		pass(sim);
		emit_wake(sim, task, cpu, CS_EVENT_WAKEUP, &nobody);
		task->wakeup_due = false;
	}
}

/* The WAKEUP of a WAKING a while ago: in the wait, the run, or after both. */
static void sim_late_wakeup(struct sim *sim)
{
	int start = (int)random_below(&sim->random, (uint64_t)sim->count);
	int32_t nobody;

	for (int i = 0; i < sim->count; i++) {
		struct sim_task *task = &sim->tasks[(start + i) % sim->count];

		if (!task->wakeup_due)
			continue;
		pass(sim);
		emit_wake(sim, task, (int)random_below(&sim->random, CPUS),
			  CS_EVENT_WAKEUP, &nobody);
		task->wakeup_due = false;
		return;
	}
}

static uint8_t found_by(const struct sim_task *task)
{
	int32_t found = task->found[task->early ? task->cpu : task->queue];

	if (task->repriced)
		return CS_FOUNDS;
	if (found == IDLE_PRIO)
		return CS_FOUND_IDLE;
	return found > task->prio ? CS_FOUND_LOWER : CS_FOUND_SAME_OR_HIGHER;
}

static void emit_switch(struct sim *sim, int cpu, const struct cs_event *ev)
{
	struct cs_event copy = *ev;

	if (sim->teller != MODULE)
		emit(sim, cpu, &copy);
	if (sim->teller == KERNEL)
		return;
	copy.type = CS_EVENT_PHASES;
	copy.pid = ev->sw.next_pid;
	copy.sw.prev_tgid = copy.sw.next_tgid = CS_PID_UNKNOWN;
	copy.sw.kind = CS_KIND_UNKNOWN;
	emit(sim, cpu, &copy);
}

/* One switch on @cpu to @next or to idle; the task that runs there leaves with @state. */
static void sim_change(struct sim *sim, int cpu, struct sim_task *next, cs_state state)
{
	struct sim_task *prev = running_on(sim, cpu);
	struct cs_event ev = {.type = CS_EVENT_SWITCH};

	pass(sim);
	ev.sw.prev_pid = prev ? prev->pid : 0;
	ev.sw.prev_prio = prev ? prev->prio : 120;
	ev.sw.prev_state = prev ? state : CS_STATE_RUNNABLE;
	ev.sw.next_pid = next ? next->pid : 0;
	ev.sw.next_prio = next ? next->prio : 120;
	ev.pid = ev.sw.prev_pid;
	emit_switch(sim, cpu, &ev);
	if (!prev)
		sim->classes[CS_SWITCH_FROM_IDLE]++;
	else if (state & CS_STATE_PREEMPTED)
		sim->classes[CS_SWITCH_PREEMPTED]++;
	else
		sim->classes[state ? CS_SWITCH_VOLUNTARY : CS_SWITCH_RUNNABLE]++;
	if (next) {
		struct wait wait = {
			.pid = next->pid,
			.peer = next->woken ? next->waker : next->robber,
			.cpu = cpu,
			.begin = next->since,
			.end = sim->now,
			.cause = next->woken ? CS_WAIT_WOKEN : CS_WAIT_PREEMPTED,
			.found = next->woken ? found_by(next) : CS_FOUND_UNKNOWN,
		};

		note(&sim->truth, &wait);
		next->life = RUNNING;
		next->early = false;
	}
	sim->running[cpu] = next ? (int)(next - sim->tasks) : IDLE;
	if (prev) {
		struct wait run = {
			.pid = prev->pid,
			.cpu = cpu,
			.begin = sim->came[cpu],
			.end = sim->now,
		};

		note(&sim->runs_truth, &run);
	}
	sim->came[cpu] = sim->now;
	if (!prev)
		return;
	if (!state || state & CS_STATE_PREEMPTED) {
		prev->life = READY;
		prev->woken = prev->early = false;
		prev->since = sim->now;
		prev->robber = next->pid;
	} else {
		prev->life = state & (cs_state_of('X') | cs_state_of('Z')) ? GONE
									   : ASLEEP;
		prev->end = sim->now;
	}
}

/* @task sleeps, but it is woken when it is still on its CPU. */
static void sim_sleep_early(struct sim *sim, struct sim_task *task)
{
	int cpu = task->cpu, from = (int)random_below(&sim->random, CPUS);
	int32_t waker;

	pass(sim);
	emit_wake(sim, task, from, CS_EVENT_WAKING, &waker);
	if (random_chance(&sim->random, 20)) {
		/* the last of two counts */
		pass(sim);
		emit_wake(sim, task, from, CS_EVENT_WAKING, &waker);
	}
	sim_change(sim, cpu, pick(sim, READY, cpu), cs_state_of('S'));
	task->life = READY;
	task->woken = task->early = true;
	task->waker = waker;
	task->wakeup_due = random_chance(&sim->random, 80);
	look_around(sim, task);
}

static int alive(const struct sim *sim)
{
	int count = 0;

	for (int i = 0; i < sim->count; i++)
		count += sim->tasks[i].life != GONE;
	return count;
}

static bool is_free(const struct sim *sim, int32_t pid)
{
	for (int i = 0; i < sim->count; i++)
		if (sim->tasks[i].pid == pid && sim->tasks[i].life != GONE)
			return false;
	return true;
}

static void sim_fork(struct sim *sim, int cpu)
{
	struct sim_task *parent = running_on(sim, cpu), *child;
	struct cs_event ev = {.type = CS_EVENT_FORK, .context = CS_CONTEXT_TASK};
	int32_t pid = sim->next_pid;

	if (random_chance(&sim->random, 40)) {
		const struct sim_task *dead = pick(sim, GONE, -1);

		if (dead && is_free(sim, dead->pid))
			pid = dead->pid;
	}
	if (pid == sim->next_pid)
		sim->next_pid++;
	for (int i = 0; i < sim->count; i++)
		if (sim->tasks[i].pid == pid)
			sim->tasks[i].wakeup_due = false; /* of another task */
	pass(sim);
	child = add_task(sim, pid, FRESH, (int)random_below(&sim->random, CPUS));
	ev.pid = parent->pid;
	ev.task.pid = pid;
	ev.task.parent = parent->pid;
	emit(sim, cpu, &ev);
	pass(sim);
	ev = (struct cs_event){.type = CS_EVENT_WAKEUP_NEW, .context = CS_CONTEXT_TASK};
	ev.pid = parent->pid;
	ev.wake.pid = pid;
	ev.wake.prio = child->prio;
	ev.wake.target_cpu = child->cpu;
	emit(sim, cpu, &ev);
	child->life = READY;
	child->woken = true;
	child->queue = child->cpu;
	child->waker = parent->pid;
	look_around(sim, child);
}

static void set_prio(struct sim *sim, int cpu, struct sim_task *task, int32_t prio,
		     int32_t by)
{
	struct cs_event ev = {.type = CS_EVENT_PRIO,
			      .context = CS_CONTEXT_TASK,
			      .pid = by};

	ev.prio.pid = task->pid;
	ev.prio.old_prio = task->prio;
	ev.prio.new_prio = prio;
	ev.prio.base_prio = CS_PRIO_UNKNOWN;
	ev.prio.donor = CS_PID_UNKNOWN;
	if (sim->teller != MODULE)
		emit(sim, cpu, &ev);
	ev.prio.base_prio = task->base;
	ev.prio.donor = prio < task->base ? by : 0;
	if (sim->teller != KERNEL)
		emit(sim, cpu, &ev);
	task->prio = prio;
	task->repriced = true;
}

/* The task on @cpu needs a lock that another one holds: it boosts it and sleeps. */
static void sim_block_on_lock(struct sim *sim, int cpu)
{
	struct sim_task *waiter = running_on(sim, cpu);
	struct sim_task *holder =
		&sim->tasks[random_below(&sim->random, (uint64_t)sim->count)];

	if (holder == waiter || waiter->boosted_by >= 0 || holder->boosted_by >= 0 ||
	    holder->waits_for >= 0 || holder->life == GONE ||
	    holder->base <= waiter->prio)
		return;
	pass(sim);
	set_prio(sim, cpu, holder, waiter->prio, waiter->pid);
	holder->boosted_by = (int)(waiter - sim->tasks);
	waiter->waits_for = (int)(holder - sim->tasks);
	sim_change(sim, cpu, pick(sim, READY, cpu), cs_state_of('D'));
}

static void sim_unlock(struct sim *sim, int cpu)
{
	struct sim_task *holder = running_on(sim, cpu);
	struct sim_task *waiter = &sim->tasks[holder->boosted_by];

	pass(sim);
	set_prio(sim, cpu, holder, holder->base, holder->pid);
	holder->boosted_by = waiter->waits_for = -1;
	sim_wake(sim, waiter);
}

static void sim_exit(struct sim *sim, int cpu)
{
	struct sim_task *task = running_on(sim, cpu);
	struct cs_event ev = {.type = CS_EVENT_EXIT, .context = CS_CONTEXT_TASK};

	ev.pid = ev.task.pid = task->pid;
	ev.task.parent = CS_PID_UNKNOWN;
	pass(sim);
	emit(sim, cpu, &ev);
	sim_change(sim, cpu, pick(sim, READY, cpu),
		   cs_state_of(random_chance(&sim->random, 50) ? 'X' : 'Z'));
}

static void sim_migrate(struct sim *sim, struct sim_task *task)
{
	int to = (int)random_below(&sim->random, CPUS);
	struct cs_event ev = {
		.type = CS_EVENT_MIGRATE,
		.pid = PULLER,
		.context = CS_CONTEXT_SOFTIRQ,
		.migrate = {.pid = task->pid, .from = task->cpu, .to = to},
	};

	if (to == task->cpu)
		return;
	pass(sim);
	emit(sim, (int)random_below(&sim->random, CPUS), &ev);
	task->cpu = to;
}

static void sim_other(struct sim *sim, int cpu)
{
	struct cs_event ev = {.type = CS_EVENT_OTHER, .context = CS_CONTEXT_HARDIRQ};

	ev.pid = running_on(sim, cpu) ? running_on(sim, cpu)->pid : 0;
	pass(sim);
	if (random_chance(&sim->random, 50)) {
		ev.type = CS_EVENT_IRQ;
		ev.irq.nr = 7;
		ev.irq.enter = random_chance(&sim->random, 50);
	}
	emit(sim, cpu, &ev);
}

/* Something that the task running on @cpu does, or that is done to it. */
static void step_running(struct sim *sim, int cpu)
{
	struct sim_task *task = running_on(sim, cpu);
	struct sim_task *other = pick(sim, READY, cpu);
	int32_t nobody;

	if (task->boosted_by >= 0 && random_chance(&sim->random, 30)) {
		sim_unlock(sim, cpu);
		return;
	}
	switch (random_below(&sim->random, 10)) {
	case 0:
	case 1:
		sim_change(sim, cpu, other,
			   cs_state_of(random_chance(&sim->random, 70) ? 'S' : 'D'));
		break;
	case 2:
		sim_sleep_early(sim, task);
		break;
	case 3:
	case 4:
		if (other)
			sim_change(sim, cpu, other, CS_STATE_PREEMPTED);
		break;
	case 5:
		if (other)
			sim_change(sim, cpu, other, CS_STATE_RUNNABLE);
		break;
	case 6:
		if (sim->count < TASKS)
			sim_fork(sim, cpu);
		break;
	case 7:
		if (task->boosted_by < 0 && sim->count < TASKS && alive(sim) > 2 * CPUS)
			sim_exit(sim, cpu);
		break;
	case 8:
		sim_block_on_lock(sim, cpu);
		break;
	default:
		/* woken for nothing, and it runs on */
		pass(sim);
		emit_wake(sim, task, (int)random_below(&sim->random, CPUS),
			  CS_EVENT_WAKING, &nobody);
	}
}

static void step(struct sim *sim)
{
	int cpu = (int)random_below(&sim->random, CPUS);
	struct sim_task *task;
	int32_t nobody;

	switch (random_below(&sim->random, 10)) {
	case 0:
	case 1:
		task = pick(sim, ASLEEP, -1);
		if (task && task->waits_for < 0)
			sim_wake(sim, task);
		break;
	case 2:
		task = pick(sim, random_chance(&sim->random, 50) ? READY : ASLEEP, -1);
		if (task)
			sim_migrate(sim, task);
		break;
	case 3:
		/* a second WAKING of one that waits */
		task = pick(sim, READY, -1);
		if (task && !task->early) {
			pass(sim);
			emit_wake(sim, task, cpu, CS_EVENT_WAKING, &nobody);
		}
		break;
	case 4:
		sim_other(sim, cpu);
		break;
	case 5:
		sim_late_wakeup(sim);
		break;
	default:
		if (running_on(sim, cpu))
			step_running(sim, cpu);
		else if (pick(sim, READY, cpu))
			sim_change(sim, cpu, pick(sim, READY, cpu), CS_STATE_RUNNABLE);
	}
}

/* The first record of each CPU: a task goes to sleep there, and idle comes. */
static void sim_begin(struct sim *sim, int cpu)
{
	struct cs_event ev = {.type = CS_EVENT_SWITCH};
	struct sim_task *task;

	pass(sim);
	task = add_task(sim, sim->next_pid++, ASLEEP, cpu);
	ev.sw.prev_pid = task->pid;
	ev.sw.prev_prio = task->prio;
	ev.sw.prev_state = cs_state_of('S');
	ev.sw.next_prio = 120;
	emit_switch(sim, cpu, &ev);
	sim->classes[CS_SWITCH_VOLUNTARY]++;
	sim->running[cpu] = IDLE;
	sim->begun[cpu] = true;
}

#define ASSERT_NS(what, seed, who, ours, truth)                                         \
	do {                                                                            \
		if ((ours) != (truth))                                                  \
			fail_msg("seed %" PRIu64 ": %s of %d is %" PRIu64               \
				 ", should be %" PRIu64,                                \
				 seed, what, who, (uint64_t)(ours), (uint64_t)(truth)); \
	} while (0)

static void compare_tasks(const struct sim *sim, uint64_t seed)
{
	const struct cs_task_table *table = &sim->tracker.tasks;
	int at = 0;

	for (uint32_t i = 0; i < table->count; i++) {
		const struct cs_task *task = table->tasks[i];
		const struct sim_task *truth = &sim->tasks[at];
		const uint64_t *ns = sim->check.tasks[i].ns;

		if (!task->pid)
			continue;
		if (at++ >= sim->count)
			fail_msg("seed %" PRIu64 ": a task too many, pid %d", seed,
				 task->pid);
		ASSERT_NS("pid", seed, (int)i, (uint64_t)task->pid, (uint64_t)truth->pid);
		ASSERT_NS("begin", seed, task->pid, task->begin, truth->begin);
		ASSERT_NS("run", seed, task->pid, ns[CS_SPAN_RUN], truth->ns[RUNNING]);
		ASSERT_NS("wait", seed, task->pid, ns[CS_SPAN_WAIT], truth->ns[READY]);
		ASSERT_NS("block", seed, task->pid, ns[CS_SPAN_BLOCK], truth->ns[ASLEEP]);
		ASSERT_NS("unknown", seed, task->pid, ns[CS_SPAN_UNKNOWN],
			  truth->ns[FRESH]);
		ASSERT_NS("dead", seed, task->pid, task->state == CS_TASK_DEAD,
			  truth->life == GONE);
		if (truth->life == GONE)
			ASSERT_NS("end", seed, task->pid, task->end, truth->end);
		assert_int_equal(task->base_prio, truth->base);
		assert_int_equal(task->prio, truth->prio);
	}
	assert_int_equal(at, sim->count);
}

static void compare_waits(const struct sim *sim, uint64_t seed)
{
	ASSERT_NS("waits", seed, 0, sim->ours.count, sim->truth.count);
	for (size_t i = 0; i < sim->truth.count; i++) {
		const struct wait *ours = &sim->ours.all[i], *truth = &sim->truth.all[i];

		ASSERT_NS("pid of wait", seed, (int)i, (uint64_t)ours->pid,
			  (uint64_t)truth->pid);
		ASSERT_NS("begin of wait", seed, truth->pid, ours->begin, truth->begin);
		ASSERT_NS("end of wait", seed, truth->pid, ours->end, truth->end);
		ASSERT_NS("CPU of wait", seed, truth->pid, ours->cpu, truth->cpu);
		ASSERT_NS("cause of wait", seed, truth->pid, ours->cause, truth->cause);
		ASSERT_NS("peer of wait", seed, truth->pid, (uint64_t)ours->peer,
			  (uint64_t)truth->peer);
		if (truth->found != CS_FOUNDS)
			ASSERT_NS("found of wait", seed, truth->pid, ours->found,
				  truth->found);
	}
}

static void compare_health(const struct sim *sim, uint64_t seed)
{
	const struct cs_health *health = &sim->tracker.health;

	ASSERT_NS("lost", seed, 0, health->lost, 0);
	ASSERT_NS("late", seed, 0, health->late, 0);
	ASSERT_NS("unexpected", seed, 0, health->unexpected, 0);
	ASSERT_NS("negative", seed, 0, health->negative, 0);
	ASSERT_NS("raced", seed, 0, health->raced, 0);
	ASSERT_NS("dropped", seed, 0, health->dropped_spans, 0);
	for (unsigned int class = 0; class < CS_SWITCH_CLASSES; class ++)
		ASSERT_NS("class", seed, (int)class, sim->check.switches[class],
			  sim->classes[class]);
	for (int cpu = 0; cpu < CPUS; cpu++) {
		ASSERT_NS("busy", seed, cpu, sim->check.cpus[cpu].busy_ns,
			  sim->busy[cpu]);
		ASSERT_NS("idle", seed, cpu, sim->check.cpus[cpu].idle_ns,
			  sim->idle[cpu]);
		ASSERT_NS("unknown", seed, cpu, sim->check.cpus[cpu].unknown_ns, 0);
	}
}

static void run_legal(uint64_t seed, int steps)
{
	struct sim *sim = calloc(1, sizeof(*sim));
	struct cs_sink sink = {.on_span = sim_span, .on_switch = sim_switch, .ctx = sim};
	struct cs_event last = {.type = CS_EVENT_OTHER};
	const char *error;

	assert_non_null(sim);
	sim->random.state = seed;
	sim->teller = seed % TELLERS;
	sim->next_pid = 10;
	assert_int_equal(cs_tracker_init(&sim->tracker, &sink), 0);
	span_check_init(&sim->check, &sim->tracker, true);
	for (int cpu = 0; cpu < CPUS; cpu++)
		sim_begin(sim, cpu);
	for (int i = 0; i < steps; i++)
		step(sim);
	/* that a waking was early shows when the task runs again */
	for (int i = 0; i < sim->count; i++)
		if (sim->tasks[i].life == READY && sim->tasks[i].early)
			sim_change(sim, sim->tasks[i].cpu, &sim->tasks[i],
				   CS_STATE_PREEMPTED);
	pass(sim);
	emit(sim, 0, &last);
	cs_tracker_finish(&sim->tracker);
	error = span_check_finish(&sim->check);
	if (error)
		fail_msg("seed %" PRIu64 ": %s", seed, error);
	compare_waits(sim, seed);
	compare_tasks(sim, seed);
	compare_health(sim, seed);
	span_check_fini(&sim->check);
	cs_tracker_fini(&sim->tracker);
	free(sim->ours.all);
	free(sim->truth.all);
	free(sim->runs_ours.all);
	free(sim->runs_truth.all);
	free(sim);
}

/* Whatever is lost, a run that is reported has been one. */
static void check_runs(const struct sim *sim, uint64_t seed)
{
	size_t at = 0;

	/* both in the order of their ends */
	for (size_t i = 0; i < sim->runs_ours.count; i++) {
		const struct wait *ours = &sim->runs_ours.all[i], *truth;

		do {
			if (at == sim->runs_truth.count)
				fail_msg("seed %" PRIu64
					 ": pid %d never ran from %" PRIu64
					 " to %" PRIu64,
					 seed, ours->pid, ours->begin, ours->end);
			truth = &sim->runs_truth.all[at++];
		} while (truth->pid != ours->pid || truth->cpu != ours->cpu ||
			 truth->begin != ours->begin || truth->end != ours->end);
	}
}

static void run_lossy(uint64_t seed, int steps)
{
	struct sim *sim = calloc(1, sizeof(*sim));
	struct cs_sink sink = {.on_span = sim_span, .on_switch = sim_switch, .ctx = sim};
	struct cs_event last = {.type = CS_EVENT_OTHER};
	const char *error;

	assert_non_null(sim);
	sim->random.state = seed;
	sim->teller = seed % TELLERS;
	sim->next_pid = 10;
	assert_int_equal(cs_tracker_init(&sim->tracker, &sink), 0);
	span_check_init(&sim->check, &sim->tracker, true);
	for (int cpu = 0; cpu < CPUS; cpu++)
		sim_begin(sim, cpu);
	sim->lossy = true;
	for (int i = 0; i < steps; i++)
		step(sim);
	sim->lossy = false;
	for (int cpu = 0; cpu < CPUS; cpu++) {
		sim->losing[cpu] = false;
		pass(sim);
		emit(sim, cpu, &last);
	}
	cs_tracker_finish(&sim->tracker);
	error = span_check_finish(&sim->check);
	if (error)
		fail_msg("seed %" PRIu64 ": %s", seed, error);
	check_runs(sim, seed);
	ASSERT_NS("lost", seed, 0, sim->tracker.health.lost, sim->lost_sum);
	ASSERT_NS("late", seed, 0, sim->tracker.health.late, 0);
	/* no CPU is credited with more than it did */
	for (int cpu = 0; cpu < CPUS; cpu++) {
		const struct span_check_cpu *ours = &sim->check.cpus[cpu];

		if (ours->busy_ns > sim->busy[cpu] || ours->idle_ns > sim->idle[cpu])
			fail_msg("seed %" PRIu64 ": CPU %d did not do that much", seed,
				 cpu);
	}
	span_check_fini(&sim->check);
	cs_tracker_fini(&sim->tracker);
	free(sim->ours.all);
	free(sim->truth.all);
	free(sim->runs_ours.all);
	free(sim->runs_truth.all);
	free(sim);
}

static void lossy_schedules(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3000; seed++)
		run_lossy(seed, 20 + (int)(seed % 400));
}

static void legal_schedules(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4000; seed++)
		run_legal(seed, 20 + (int)(seed % 400));
}

static void long_schedules(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++)
		run_legal(seed << 32, 20000);
}

/* -------------------------------------------------------------------- corners */

static void nothing_happened(void **state)
{
	struct cs_sink sink = {0};
	struct cs_tracker tracker;

	(void)state;
	assert_int_equal(cs_tracker_init(&tracker, &sink), 0);
	assert_int_equal(tracker.begin, UINT64_MAX);
	cs_tracker_finish(&tracker);
	assert_int_equal(tracker.health.events, 0);
	assert_int_equal(tracker.health.open_spans, 0);
	cs_tracker_fini(&tracker);
	cs_tracker_fini(&tracker);
}

/* A CPU number that cannot be is counted and says nothing of any other CPU. */
static void impossible_cpus(void **state)
{
	static const int32_t numbers[] = {-1, INT32_MIN, CS_CPUS_MAX, INT32_MAX};
	struct cs_sink sink = {0};
	struct cs_tracker tracker;

	(void)state;
	assert_int_equal(cs_tracker_init(&tracker, &sink), 0);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		struct cs_event ev = {.type = CS_EVENT_SWITCH, .cpu = numbers[i]};

		assert_int_equal(cs_tracker_event(&tracker, &ev), 0);
	}
	assert_int_equal(tracker.health.unexpected, COUNT(numbers));
	assert_int_equal(tracker.cpus_count, 0);
	cs_tracker_fini(&tracker);
}

/* Interrupts deeper than any machine nests them, and ends without a begin. */
static void deep_interrupts(void **state)
{
	struct cs_sink sink = {0};
	struct cs_tracker tracker;
	struct cs_event ev = {.type = CS_EVENT_IRQ, .cpu = 0};

	(void)state;
	assert_int_equal(cs_tracker_init(&tracker, &sink), 0);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 100; i++) {
			ev.ts++;
			ev.irq.nr = i;
			ev.irq.enter = round != 1;
			ev.irq.name = i & 1 ? "odd" : NULL;
			assert_int_equal(cs_tracker_event(&tracker, &ev), 0);
		}
	}
	assert_true(tracker.cpus[0]->open_irqs_count <= CS_IRQ_DEPTH);
	/* whatever was closed ends when it was said to, after it began */
	for (uint64_t i = 0; i < tracker.cpus[0]->irqs_count; i++)
		assert_int_equal(tracker.cpus[0]->irqs[i].end -
					 tracker.cpus[0]->irqs[i].begin,
				 100);
	cs_tracker_fini(&tracker);
}

/* More runs than a CPU remembers: the old ones are forgotten, nothing else. */
static void long_memory(void **state)
{
	struct cs_sink sink = {0};
	struct cs_tracker tracker;
	const struct cs_cpu *cpu;
	uint64_t number;

	(void)state;
	assert_int_equal(cs_tracker_init(&tracker, &sink), 0);
	for (uint64_t i = 0; i < 5 * CS_CPU_RUNS; i++) {
		struct cs_event ev = {.type = CS_EVENT_SWITCH, .ts = 10 * i};

		ev.sw.prev_pid = 1 + (int32_t)(i % 7);
		ev.sw.next_pid = 1 + (int32_t)((i + 1) % 7);
		ev.sw.prev_state = CS_STATE_PREEMPTED;
		assert_int_equal(cs_tracker_event(&tracker, &ev), 0);
	}
	cpu = tracker.cpus[0];
	assert_null(cs_cpu_run_at(cpu, 0, NULL));
	for (uint64_t i = 0; i < CS_CPU_RUNS; i++) {
		uint64_t at = 5 * CS_CPU_RUNS - 1 - i;
		const struct cs_run *run = cs_cpu_run_at(cpu, 10 * at + i % 10, &number);

		assert_non_null(run);
		assert_int_equal(run->begin, 10 * at);
		assert_int_equal(run->task->pid, 1 + (at + 1) % 7);
		assert_ptr_equal(run, &cpu->runs[number % CS_CPU_RUNS]);
	}
	assert_null(cs_cpu_run_at(cpu, 10 * (4 * CS_CPU_RUNS) - 1, NULL));
	cs_tracker_fini(&tracker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_happened), cmocka_unit_test(impossible_cpus),
		cmocka_unit_test(deep_interrupts),  cmocka_unit_test(long_memory),
		cmocka_unit_test(absurd_ordered),   cmocka_unit_test(absurd_clocks),
		cmocka_unit_test(legal_schedules),  cmocka_unit_test(lossy_schedules),
		cmocka_unit_test(long_schedules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Sleeping locks: who waits for which, and who owns it at that moment.
 */
#include <linux/hash.h>
#include <linux/module.h>
#include <trace/events/lock.h>
#include <trace/events/sched.h>

#include "compat.h"
#include "ctxsw.h"
#include "emit.h"


/*
 * Waits that have begun, so that their end knows the kind and the ends of spinning locks are
 * told apart: contention_end carries neither. A slot is written by the task that waits, for
 * itself; when two tasks meet in one, the older wait loses its lock_acquired, and is counted
 * as forgotten.
 */
#define WAITS_BITS 12
#define WAITS_TRIES 4

static struct wait {
	const struct task_struct *task;
	const void *lock;
	u8 kind;
} waits[(1 << WAITS_BITS) + WAITS_TRIES];

static struct wait *waits_of(const struct task_struct *task)
{
	return &waits[hash_ptr(task, WAITS_BITS)];
}

static struct wait *wait_find(const struct task_struct *task, const void *lock)
{
	struct wait *w = waits_of(task);
	unsigned int i;

	for (i = 0; i < WAITS_TRIES; i++, w++) {
		if (READ_ONCE(w->task) == task && READ_ONCE(w->lock) == lock)
			return w;
	}
	return NULL;
}

static void wait_begin(const struct ctxsw_lock *l)
{
	struct wait *w = wait_find(l->waiter, l->lock);
	unsigned int i;

	if (!w) {
		w = waits_of(l->waiter);
		for (i = 0; i < WAITS_TRIES - 1 && READ_ONCE(w->task); i++)
			w++;
		if (READ_ONCE(w->task))
			ctxsw_count_inc(CTXSW_N_LOCK_FORGOTTEN);
	}
	WRITE_ONCE(w->task, l->waiter);
	WRITE_ONCE(w->lock, l->lock);
	WRITE_ONCE(w->kind, l->kind);
}

static struct task_struct *owner_of(unsigned long word)
{
	return (struct task_struct *)(word & ~CTXSW_OWNER_FLAGS);
}

/* Fills in kind, flags and owner; the lock's struct is known by the flags of the caller. */
static void inspect(struct ctxsw_lock *l, unsigned int flags)
{
	unsigned long word = 0;

	if (flags & LCB_F_PERCPU) {
		l->kind = CTXSW_LOCK_PERCPU;
	} else if (flags & LCB_F_MUTEX) {
		l->kind = CTXSW_LOCK_MUTEX;
		word = ctxsw_mutex_owner(l->lock);
	} else if ((flags & LCB_F_RT) && (flags & (LCB_F_READ | LCB_F_WRITE))) {
		l->kind = CTXSW_LOCK_RT_RW;
		word = ctxsw_rwbase_owner(l->lock);
	} else if (flags & LCB_F_RT) {
		/* rtlock_slowlock_locked(), kernel/locking/rtmutex.c, has set the state before. */
		l->kind = READ_ONCE(current->__state) == TASK_RTLOCK_WAIT ?
			CTXSW_LOCK_RTLOCK : CTXSW_LOCK_RT_MUTEX;
		word = ctxsw_rt_mutex_owner(l->lock);
	} else if (flags & (LCB_F_READ | LCB_F_WRITE)) {
		l->kind = CTXSW_LOCK_RWSEM;
		word = ctxsw_rwsem_owner(l->lock);
		/* Then the rest is one of the readers at most, and perhaps long gone. */
		if (word & CTXSW_RWSEM_READERS) {
			l->flags |= CTXSW_L_READERS;
			word = 0;
		}
	}
	l->owner = owner_of(word);
	/* A writer has the rt_mutex inside already: what it waits for is the readers to leave. */
	if (l->kind == CTXSW_LOCK_RT_RW && l->owner == l->waiter) {
		l->flags |= CTXSW_L_READERS;
		l->owner = NULL;
	}
	if (flags & LCB_F_SPIN)
		l->flags |= CTXSW_L_SPIN;
	if (flags & LCB_F_READ)
		l->flags |= CTXSW_L_READ;
	if (flags & LCB_F_WRITE)
		l->flags |= CTXSW_L_WRITE;
}

/*
 * The lock's slow path calls this: a mutex's twice, first while it spins for the owner (with
 * LCB_F_SPIN), then before it sleeps. A task found as owner stays valid while preemption is
 * off, as it is in a probe: it is freed a grace period after its exit.
 */
static void on_contention_begin(void *data, void *lock, unsigned int flags)
{
	struct ctxsw_lock l = { .lock = lock, .waiter = current };

	/* Spinlocks and rwlocks that spin: not ours. */
	if ((flags & LCB_F_SPIN) && !(flags & LCB_F_MUTEX))
		return;
	inspect(&l, flags);
	wait_begin(&l);
	ctxsw_count_inc(CTXSW_N_LOCK_BLOCKS);
	ctxsw_lock_block_emit(&l);
}

static void on_contention_end(void *data, void *lock, int ret)
{
	struct ctxsw_lock l = { .lock = lock, .waiter = current };
	struct wait *w = wait_find(current, lock);

	if (!w)
		return;
	l.kind = READ_ONCE(w->kind);
	WRITE_ONCE(w->task, NULL);
	ctxsw_count_inc(CTXSW_N_LOCK_ACQUIRES);
	ctxsw_lock_acquired_emit(&l, ret);
}

/*
 * FUTEX_LOCK_PI waits in rt_mutex_wait_proxy_lock(), kernel/locking/rtmutex_api.c, which has no
 * tracepoint. But a task that leaves the CPU to wait for an rt_mutex says so in pi_blocked_on.
 */
static void on_switch(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	struct ctxsw_lock l = { .waiter = prev, .kind = CTXSW_LOCK_PI_FUTEX };

	if (likely(!prev->pi_blocked_on) || preempt || !prev_state)
		return;
	l.lock = ctxsw_rt_waiter_lock(prev);
	/* With an entry contention_begin has said it already. */
	if (!l.lock || wait_find(prev, l.lock))
		return;
	l.owner = owner_of(ctxsw_rt_mutex_owner(l.lock));
	ctxsw_count_inc(CTXSW_N_LOCK_BLOCKS);
	ctxsw_lock_block_emit(&l);
}

static struct ctxsw_tracepoint tracepoints[] = {
	{ .name = "contention_begin", .probe = on_contention_begin },
	{ .name = "contention_end", .probe = on_contention_end },
	{ .name = "sched_switch", .probe = on_switch },
};

static int attach(void)
{
	memset(waits, 0, sizeof(waits));
	return ctxsw_tracepoints_hook(tracepoints, ARRAY_SIZE(tracepoints));
}

static void detach(void)
{
	ctxsw_tracepoints_unhook(tracepoints, ARRAY_SIZE(tracepoints));
}

struct ctxsw_group ctxsw_locks_group = {
	.name = "locks",
	.attach = attach,
	.detach = detach,
	.allowed = true,
};

/**
 * ctxsw_locks_init() - finds what the group needs
 *
 * Return: 0, or -ENOENT after a message.
 */
int ctxsw_locks_init(void)
{
	check_trace_callback_type_contention_begin(on_contention_begin);
	check_trace_callback_type_contention_end(on_contention_end);
	check_trace_callback_type_sched_switch(on_switch);
	return ctxsw_tracepoints_find(tracepoints, ARRAY_SIZE(tracepoints));
}

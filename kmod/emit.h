/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the probes hand to the trace events. Apart from trace.h, because a kernel with
 * CONFIG_LOCK_STAT has an event of its own called lock_acquired, in <trace/events/lock.h>.
 */
#ifndef CTXSW_EMIT_H
#define CTXSW_EMIT_H

#include <linux/sched.h>

#include <ctxsw/abi.h>

/**
 * struct ctxsw_switch - one context switch
 *
 * Field for field the trace event switch_phases; all but the last two are taken when the
 * switch begins.
 */
struct ctxsw_switch {
	char	prev_comm[TASK_COMM_LEN];
	char	next_comm[TASK_COMM_LEN];
	pid_t	prev_pid;
	pid_t	next_pid;
	pid_t	prev_tgid;
	pid_t	next_tgid;
	s16	prev_prio;
	s16	next_prio;
	u16	prev_state;
	u8	kind;
	u8	flags;
	u32	phase_ns[CTXSW_PHASES];
};

/**
 * struct ctxsw_lock - a task that waits for a lock
 * @lock:	the lock's address
 * @waiter:	the task that waits
 * @owner:	the task that holds it, or NULL; valid while preemption is off
 * @kind:	CTXSW_LOCK_*
 * @flags:	CTXSW_L_*
 */
struct ctxsw_lock {
	const void		*lock;
	struct task_struct	*waiter;
	struct task_struct	*owner;
	u8			kind;
	u8			flags;
};

/* trace.c */
void ctxsw_lock_block_emit(const struct ctxsw_lock *l);
void ctxsw_lock_acquired_emit(const struct ctxsw_lock *l, int ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's trace events. Fields are named as in the scheduler's own events where they
 * mean the same; doc/module.md says for each where it is taken.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ctxsw

#if !defined(CTXSW_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CTXSW_TRACE_H

#include <linux/sched.h>
#include <linux/tracepoint.h>

#include "emit.h"

/*
 * At the end of every context switch, in the context of the task that was switched in; the
 * switch began so many ns before as the four durations add up to.
 */
TRACE_EVENT(switch_phases,

	TP_PROTO(const struct ctxsw_switch *s),

	TP_ARGS(s),

	TP_STRUCT__entry(
		__array(	char,	prev_comm,	TASK_COMM_LEN	)
		__array(	char,	next_comm,	TASK_COMM_LEN	)
		__field(	pid_t,	prev_pid			)
		__field(	pid_t,	next_pid			)
		__field(	pid_t,	prev_tgid			)
		__field(	pid_t,	next_tgid			)
		__field(	s16,	prev_prio			)
		__field(	s16,	next_prio			)
		__field(	u16,	prev_state			)
		__field(	u8,	kind				)
		__field(	u8,	flags				)
		__field(	u32,	prepare_ns			)
		__field(	u32,	mm_ns				)
		__field(	u32,	switch_to_ns			)
		__field(	u32,	finish_ns			)
	),

	TP_fast_assign(
		memcpy(__entry->prev_comm, s->prev_comm, TASK_COMM_LEN);
		memcpy(__entry->next_comm, s->next_comm, TASK_COMM_LEN);
		__entry->prev_pid	= s->prev_pid;
		__entry->next_pid	= s->next_pid;
		__entry->prev_tgid	= s->prev_tgid;
		__entry->next_tgid	= s->next_tgid;
		__entry->prev_prio	= s->prev_prio;
		__entry->next_prio	= s->next_prio;
		__entry->prev_state	= s->prev_state;
		__entry->kind		= s->kind;
		__entry->flags		= s->flags;
		__entry->prepare_ns	= s->phase_ns[CTXSW_PHASE_PREPARE];
		__entry->mm_ns		= s->phase_ns[CTXSW_PHASE_MM];
		__entry->switch_to_ns	= s->phase_ns[CTXSW_PHASE_SWITCH_TO];
		__entry->finish_ns	= s->phase_ns[CTXSW_PHASE_FINISH];
	),

	TP_printk("prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d kind=%s prepare=%u mm=%u switch_to=%u finish=%u flags=%s",
		__entry->prev_comm, __entry->prev_pid, __entry->prev_prio,

		(__entry->prev_state & (TASK_REPORT_MAX - 1)) ?
		  __print_flags(__entry->prev_state & (TASK_REPORT_MAX - 1), "|",
				{ TASK_INTERRUPTIBLE, "S" },
				{ TASK_UNINTERRUPTIBLE, "D" },
				{ __TASK_STOPPED, "T" },
				{ __TASK_TRACED, "t" },
				{ EXIT_DEAD, "X" },
				{ EXIT_ZOMBIE, "Z" },
				{ TASK_PARKED, "P" },
				{ TASK_REPORT_IDLE, "I" }) :
		  "R",

		__entry->prev_state & TASK_REPORT_MAX ? "+" : "",
		__entry->next_comm, __entry->next_pid, __entry->next_prio,
		__print_symbolic(__entry->kind,
				 { CTXSW_KIND_THREAD, "thread" },
				 { CTXSW_KIND_PROCESS, "process" },
				 { CTXSW_KIND_KERNEL, "kernel" },
				 { CTXSW_KIND_IDLE, "idle" }),
		__entry->prepare_ns, __entry->mm_ns, __entry->switch_to_ns, __entry->finish_ns,
		__print_flags(__entry->flags, "|",
			      { CTXSW_F_PREPARE, "prepare" },
			      { CTXSW_F_MM, "mm" },
			      { CTXSW_F_SWITCH_TO, "switch_to" },
			      { CTXSW_F_FINISH, "finish" },
			      { CTXSW_F_DISTURBED, "disturbed" }))
);

/* Just before the task's priority changes because of who waits for it, or no longer does. */
TRACE_EVENT(pi_boost,

	TP_PROTO(struct task_struct *task, struct task_struct *donor),

	TP_ARGS(task, donor),

	TP_STRUCT__entry(
		__array(	char,	comm,		TASK_COMM_LEN	)
		__array(	char,	donor_comm,	TASK_COMM_LEN	)
		__field(	pid_t,	pid				)
		__field(	pid_t,	tgid				)
		__field(	pid_t,	donor_pid			)
		__field(	s16,	donor_prio			)
		__field(	s16,	base_prio			)
		__field(	s16,	old_prio			)
		__field(	s16,	new_prio			)
		__field(	u8,	type				)
	),

	TP_fast_assign(
		int base = task->normal_prio;
		int new = donor ? min(base, donor->prio) : base;

		memcpy(__entry->comm, task->comm, TASK_COMM_LEN);
		if (donor)
			memcpy(__entry->donor_comm, donor->comm, TASK_COMM_LEN);
		else
			memset(__entry->donor_comm, 0, TASK_COMM_LEN);
		__entry->pid		= task->pid;
		__entry->tgid		= task->tgid;
		__entry->donor_pid	= donor ? donor->pid : 0;
		__entry->donor_prio	= donor ? donor->prio : 0;
		__entry->base_prio	= base;
		__entry->old_prio	= task->prio;
		__entry->new_prio	= new;
		__entry->type		= new < base ? CTXSW_BOOST_BEGIN : CTXSW_BOOST_END;
	),

	TP_printk("comm=%s pid=%d base_prio=%d old_prio=%d new_prio=%d type=%s donor_comm=%s donor_pid=%d donor_prio=%d",
		__entry->comm, __entry->pid, __entry->base_prio, __entry->old_prio,
		__entry->new_prio,
		__print_symbolic(__entry->type,
				 { CTXSW_BOOST_END, "end" },
				 { CTXSW_BOOST_BEGIN, "boost" }),
		__entry->donor_comm, __entry->donor_pid, __entry->donor_prio)
);

#define ctxsw_show_lock_kind(kind)				\
	__print_symbolic(kind,					\
			 { CTXSW_LOCK_OTHER, "other" },		\
			 { CTXSW_LOCK_MUTEX, "mutex" },		\
			 { CTXSW_LOCK_RWSEM, "rwsem" },		\
			 { CTXSW_LOCK_PERCPU, "percpu_rwsem" },	\
			 { CTXSW_LOCK_RT_MUTEX, "rt_mutex" },	\
			 { CTXSW_LOCK_RTLOCK, "rtlock" },	\
			 { CTXSW_LOCK_RT_RW, "rt_rw" },		\
			 { CTXSW_LOCK_PI_FUTEX, "pi_futex" })

/* A task begins to wait for a lock; who owns it now, 0 when that is not known. */
TRACE_EVENT(lock_block,

	TP_PROTO(const struct ctxsw_lock *l),

	TP_ARGS(l),

	TP_STRUCT__entry(
		__array(	char,		owner_comm,	TASK_COMM_LEN	)
		__field(	const void *,	lock				)
		__field(	pid_t,		pid				)
		__field(	pid_t,		tgid				)
		__field(	pid_t,		owner_pid			)
		__field(	pid_t,		owner_tgid			)
		__field(	s16,		prio				)
		__field(	s16,		owner_prio			)
		__field(	s16,		owner_base_prio			)
		__field(	u8,		kind				)
		__field(	u8,		flags				)
	),

	TP_fast_assign(
		if (l->owner)
			memcpy(__entry->owner_comm, l->owner->comm, TASK_COMM_LEN);
		else
			memset(__entry->owner_comm, 0, TASK_COMM_LEN);
		__entry->lock		 = l->lock;
		__entry->pid		 = l->waiter->pid;
		__entry->tgid		 = l->waiter->tgid;
		__entry->owner_pid	 = l->owner ? l->owner->pid : 0;
		__entry->owner_tgid	 = l->owner ? l->owner->tgid : 0;
		__entry->prio		 = l->waiter->prio;
		__entry->owner_prio	 = l->owner ? l->owner->prio : 0;
		__entry->owner_base_prio = l->owner ? l->owner->normal_prio : 0;
		__entry->kind		 = l->kind;
		__entry->flags		 = l->flags;
	),

	TP_printk("pid=%d prio=%d lock=%p kind=%s flags=%s owner_comm=%s owner_pid=%d owner_prio=%d owner_base_prio=%d",
		__entry->pid, __entry->prio, __entry->lock,
		ctxsw_show_lock_kind(__entry->kind),
		__print_flags(__entry->flags, "|",
			      { CTXSW_L_SPIN, "spin" },
			      { CTXSW_L_READ, "read" },
			      { CTXSW_L_WRITE, "write" },
			      { CTXSW_L_READERS, "readers" }),
		__entry->owner_comm, __entry->owner_pid, __entry->owner_prio,
		__entry->owner_base_prio)
);

/* The wait that lock_block began is over: ret is 0, or why the task gave up. */
TRACE_EVENT(lock_acquired,

	TP_PROTO(const struct ctxsw_lock *l, int ret),

	TP_ARGS(l, ret),

	TP_STRUCT__entry(
		__field(	const void *,	lock	)
		__field(	pid_t,		pid	)
		__field(	pid_t,		tgid	)
		__field(	int,		ret	)
		__field(	s16,		prio	)
		__field(	u8,		kind	)
	),

	TP_fast_assign(
		__entry->lock	= l->lock;
		__entry->pid	= l->waiter->pid;
		__entry->tgid	= l->waiter->tgid;
		__entry->ret	= ret;
		__entry->prio	= l->waiter->prio;
		__entry->kind	= l->kind;
	),

	TP_printk("pid=%d prio=%d lock=%p kind=%s ret=%d",
		__entry->pid, __entry->prio, __entry->lock,
		ctxsw_show_lock_kind(__entry->kind), __entry->ret)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>

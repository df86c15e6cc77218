/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks and their identity: a pid and a life time. A pid that exits and comes
 * back is another task; each CPU's idle is a task of its own with pid 0.
 */
#ifndef CS_ANALYSIS_TASK_H
#define CS_ANALYSIS_TASK_H

#include "analysis/event.h"

/* How many earlier comms of a task are kept; the oldest are kept. */
#define CS_TASK_COMMS 4

#define CS_CACHE_LINE 64

enum cs_task_state {
	CS_TASK_UNKNOWN, /* not seen yet, or lost sight of */
	CS_TASK_RUNNING,
	CS_TASK_PREEMPTED, /* runnable, lost the CPU */
	CS_TASK_WOKEN,	   /* runnable, since a wakeup */
	CS_TASK_BLOCKED,
	CS_TASK_DEAD,
};

enum cs_yes_no { CS_NO, CS_YES, CS_UNKNOWN };

/**
 * struct cs_task - one task, from its first sight to its end
 * @index: dense number, 0 upwards in order of first sight; for tables by task
 * @pid: its pid (the kernel's, of the root namespace); 0 for idle
 * @tgid: its process, or CS_PID_UNKNOWN
 * @kernel: whether it is a kernel thread
 * @comm: last comm, NUL-terminated
 * @comms: earlier comms, oldest first; @comms_count of them
 * @prio: effective priority last seen, or CS_PRIO_UNKNOWN
 * @base_prio: priority without inheritance, or CS_PRIO_UNKNOWN
 * @prio_highest: most urgent effective priority seen
 * @prio_changes: how often the effective priority was seen to change
 * @begin: first sight, ns
 * @end: when it died, ns; valid when @state is CS_TASK_DEAD
 *
 * The rest is the tracker's own. With many tasks most of them are in no cache:
 * the order of the members is that of their use.
 */
struct cs_task {
	/* each event touches this line ... */
	struct cs_task *next_by_pid; /* hash chain */
	uint32_t index;
	int32_t pid;
	int32_t tgid;
	int32_t prio;
	uint64_t since; /* when @state began */
	int32_t base_prio;
	int32_t cpu; /* last seen on */
	char comm[CS_COMM_LEN + 1];
	uint8_t kernel;	       /* enum cs_yes_no */
	uint8_t state;	       /* enum cs_task_state */
	uint8_t flags;	       /* tracker.c */
	uint8_t waker_context; /* enum cs_context of the last wakeup */
	uint8_t woken_idle;    /* what ran there then: enum cs_yes_no, idle */
	/* ... many this one ... */
	cs_state left_state;	     /* how it left the CPU */
	uint64_t losses;	     /* losses of the trace up to @since */
	const struct cs_task *peer;  /* who took the CPU */
	const struct cs_task *waker; /* of the last wakeup that counts */
	int32_t woken_cpu;	     /* where it was queued when it was woken */
	int32_t woken_prio;	     /* what ran there then: its priority */
	int32_t waking_cpu;	     /* where the WAKING was written; or none */
	int32_t waking_pid;	     /* in which task's context */
	uint64_t moved;		     /* when it was first moved since; or 0 */
	uint64_t moved_last;	     /* when it was last */
	struct cs_task *here_next;   /* tasks last seen on the same CPU */
	struct cs_task **here_link;  /* what points to this one; NULL: on no list */
	/* ... and few the rest */
	int32_t prio_highest;
	uint32_t prio_changes;
	uint64_t begin;
	uint64_t end;
	uint8_t comms_count;
	char comms[CS_TASK_COMMS][CS_COMM_LEN + 1];
} __attribute__((aligned(CS_CACHE_LINE)));

/**
 * struct cs_task_table - all tasks of a trace
 * @tasks: by index, in order of first sight
 * @count: number of tasks
 */
struct cs_task_table {
	struct cs_task **tasks;
	uint32_t count;
	uint32_t room;
	struct cs_task **buckets;
	struct cs_task *last; /* found last: often asked for again */
	uint32_t mask;
};

/** cs_task_table_init - an empty table. Return: 0 or -ENOMEM. */
int cs_task_table_init(struct cs_task_table *table);

/** cs_task_table_fini - free all tasks and the table's memory. */
void cs_task_table_fini(struct cs_task_table *table);

/**
 * cs_task_find - the youngest task with a pid
 * @table: the table
 * @pid: a pid other than 0 (idle is the CPU's own)
 *
 * Return: the task, NULL when the pid has not been seen.
 */
struct cs_task *cs_task_find(struct cs_task_table *table, int32_t pid);

/**
 * cs_task_add - a new task; it hides an older one with the same pid
 * @table: the table
 * @pid: its pid; 0 adds a task that cs_task_find() never returns
 * @ts: its first sight, ns
 *
 * Return: the task with all else unknown, NULL without memory.
 */
struct cs_task *cs_task_add(struct cs_task_table *table, int32_t pid, uint64_t ts);

/**
 * cs_task_set_comm - note a task's comm; an earlier, other one is kept too
 * @task: the task
 * @comm: CS_COMM_LEN bytes, need not end with NUL
 */
void cs_task_set_comm(struct cs_task *task, const char *comm);

/** cs_prio_is_rt - whether a kernel priority is real-time (0 to 99). */
static inline bool cs_prio_is_rt(int32_t prio)
{
	return prio >= 0 && prio <= 99;
}

#endif

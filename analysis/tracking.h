/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the tracker share. For them alone: an analysis sees spans.
 */
#ifndef CS_ANALYSIS_TRACKING_H
#define CS_ANALYSIS_TRACKING_H

#include <string.h>

#include "analysis/tracker.h"

/* Flags of a task. */
#define CS_WOKEN_RUNNING 0x01 /* a WAKING came while it was on a CPU */
#define CS_RAN_UNWOKEN	 0x02 /* it slept, and ran with no WAKING before it */
#define CS_BOOSTED	 0x04 /* it runs on an inherited priority */
#define CS_BOOSTED_OTHER 0x08 /* it has boosted a task since it came to run */
#define CS_LIVED	 0x10 /* it was seen in some state: it is no new task */
#define CS_WAKEUP_DUE	 0x20 /* the WAKEUP of its last WAKING has not come yet */
#define CS_BOOST_DOUBTED 0x40 /* boosted, but the end of it may have been lost */

/** cs_task_is_idle - whether it is the idle task of some CPU. */
static inline bool cs_task_is_idle(const struct cs_task *task)
{
	return !task->pid;
}

/*
 * emit.c: spans that end at @ts. What is of no length and unknown is not sent; a
 * wait that would end before it began is counted instead.
 */

/** cs_emit_unknown - what @task did since it was last understood is not known. */
void cs_emit_unknown(const struct cs_tracker *tracker, const struct cs_task *task,
		     uint64_t ts);

/** cs_emit_cpu_unknown - what @cpu did since then is not known. */
void cs_emit_cpu_unknown(const struct cs_tracker *tracker, const struct cs_cpu *cpu,
			 uint64_t ts);

/** cs_emit_run - the current task of @cpu ran; @next takes over, it left as @state. */
void cs_emit_run(const struct cs_tracker *tracker, const struct cs_cpu *cpu, uint64_t ts,
		 const struct cs_task *next, cs_state state, unsigned int flags);

/** cs_emit_block - @task slept until @waker, in @context, woke it. */
void cs_emit_block(const struct cs_tracker *tracker, const struct cs_task *task,
		   uint64_t ts, const struct cs_task *waker, unsigned int context,
		   unsigned int flags);

/** cs_emit_wait - @task was runnable until it came to run on @cpu; NULL: it still is. */
void cs_emit_wait(struct cs_tracker *tracker, const struct cs_task *task,
		  const struct cs_cpu *cpu, uint64_t ts, unsigned int flags);

/* identity.c */

/** cs_task_see - the living task with @pid, which an event has just proved to
 * exist. Return: the task, NULL without memory. */
struct cs_task *cs_task_see(struct cs_tracker *tracker, int32_t pid, uint64_t ts);

/** cs_waker_see - the task in charge when @ev was written; it may be dead by then.
 * Return: NULL in an interrupt, when it is not told, or without memory. */
const struct cs_task *cs_waker_see(struct cs_tracker *tracker, const struct cs_event *ev);

/** cs_life_begin - the task that begins its life with @pid now; one that was seen a
 * moment ago will do. Return: the task, NULL without memory. */
struct cs_task *cs_life_begin(struct cs_tracker *tracker, int32_t pid, uint64_t ts);

/** cs_prio_change - the effective priority of @task is another one now. */
void cs_prio_change(struct cs_task *task, int32_t prio);

/** cs_prio_see - an event tells the effective priority of @task, or unknown. */
static inline void cs_prio_see(struct cs_task *task, int32_t prio)
{
	if (prio != task->prio && prio != CS_PRIO_UNKNOWN)
		cs_prio_change(task, prio);
}

/** cs_comm_see - an event tells the comm of @task, or NULL. */
static inline void cs_comm_see(struct cs_task *task, const char *comm)
{
	if (comm && memcmp(task->comm, comm, CS_COMM_LEN))
		cs_task_set_comm(task, comm);
}

/*
 * sight.c. Losing sight of a CPU takes its list of tasks apart, so that many losses
 * cost no more than the sightings between them.
 */

/** cs_task_move - put @task on the list of CPU @nr, and on no other. */
void cs_task_move(struct cs_tracker *tracker, struct cs_task *task, int32_t nr);

/** cs_task_place - @task was last seen on CPU @nr, which may be none. */
static inline void cs_task_place(struct cs_tracker *tracker, struct cs_task *task,
				 int32_t nr)
{
	if (!task->here_link || task->cpu != nr)
		cs_task_move(tracker, task, nr);
}

/** cs_task_unplace - @task is on no CPU's list any more. */
void cs_task_unplace(struct cs_task *task);

/** cs_task_lose - what @task does until it is seen again is not known. */
void cs_task_lose(struct cs_tracker *tracker, struct cs_task *task);

/** cs_cpu_is_watched - whether CPU @nr has had an event; one that is not known
 * counts as watched. */
static inline bool cs_cpu_is_watched(const struct cs_tracker *tracker, int32_t nr)
{
	if (nr < 0)
		return true;
	return (uint32_t)nr < tracker->cpus_count && tracker->cpus[nr] &&
	       tracker->cpus[nr]->seen;
}

/** cs_current_lose - what runs on @cpu is not known any more, from the begin of the
 * run that it was in. */
void cs_current_lose(struct cs_tracker *tracker, struct cs_cpu *cpu);

/** cs_cpu_lose - lose sight of @cpu and of each task last seen there. */
void cs_cpu_lose(struct cs_tracker *tracker, struct cs_cpu *cpu);

/* The rules, one for each event. Return: 0 or -ENOMEM. */

/* switching.c */
int cs_track_switch(struct cs_tracker *tracker, struct cs_cpu *cpu,
		    const struct cs_event *ev);

int cs_track_phases(struct cs_tracker *tracker, struct cs_cpu *cpu,
		    const struct cs_event *ev);

/* waking.c */
int cs_track_waking(struct cs_tracker *tracker, const struct cs_event *ev);
void cs_track_migrate(struct cs_tracker *tracker, const struct cs_event *ev);
int cs_track_wakeup_new(struct cs_tracker *tracker, const struct cs_event *ev);

/* identity.c */
int cs_track_fork(struct cs_tracker *tracker, const struct cs_event *ev);
int cs_track_task(struct cs_tracker *tracker, const struct cs_event *ev);
int cs_track_marker(struct cs_tracker *tracker, const struct cs_event *ev);

/* inheritance.c */
int cs_track_prio(struct cs_tracker *tracker, struct cs_cpu *cpu,
		  const struct cs_event *ev);

/* interrupts.c; without memory an interrupt has no name */
void cs_track_irq(struct cs_tracker *tracker, struct cs_cpu *cpu,
		  const struct cs_event *ev);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tracker gives the analyses: spans (a closed interval that a task
 * spent in one state) and switches. See doc/definitions.md.
 */
#ifndef CS_ANALYSIS_SPAN_H
#define CS_ANALYSIS_SPAN_H

#include "analysis/task.h"

enum cs_span_kind {
	CS_SPAN_RUN,	 /* switched in to switched out, on one CPU */
	CS_SPAN_WAIT,	 /* runnable and not running */
	CS_SPAN_BLOCK,	 /* switched out to sleep, until woken */
	CS_SPAN_UNKNOWN, /* of a task, or with task NULL of a CPU: not known */
	CS_SPAN_KINDS,
};

enum cs_wait_cause {
	CS_WAIT_WOKEN,	   /* since WAKING */
	CS_WAIT_PREEMPTED, /* since a switch out with R or R+ */
};

/* What a woken task found on the CPU where it then ran. */
enum cs_found {
	CS_FOUND_IDLE,
	CS_FOUND_LOWER,		 /* it had to preempt */
	CS_FOUND_SAME_OR_HIGHER, /* it queued */
	CS_FOUND_UNKNOWN,
	CS_FOUNDS,
};

/* The trace ended inside: begin is real, end is the end of the trace. */
#define CS_SPAN_OPEN 0x1
/* Cut by the time filter: an end of the span is not the real one. */
#define CS_SPAN_CLIPPED 0x2
/* A woken task's sleep or wait whose wakeup came before it left the CPU. */
#define CS_SPAN_WOKEN_EARLY 0x4
/* Left as R for idle, then woken: the kernel traced a sleeper as runnable. */
#define CS_SPAN_RACED 0x8

/* Neither open nor clipped: its length is a measurement. */
#define CS_SPAN_PARTIAL (CS_SPAN_OPEN | CS_SPAN_CLIPPED)

struct cs_cpu;

/**
 * struct cs_span - a closed interval in one state
 * @task: whose; NULL only for the unknown time of a CPU
 * @peer: RUN: who came next (NULL when open). WAIT woken and BLOCK: who woke
 *	  it (NULL: unknown, or an interrupt: see @waker_context). WAIT
 *	  preempted: who took the CPU
 * @where: RUN, UNKNOWN of a CPU and WAIT that is not open: that CPU's record
 *	   of what ran there; else NULL
 * @queued: WAIT woken: where it was queued first, when it was moved to another
 *	    CPU later; else NULL
 * @moved: with @queued: when it was first moved, ns
 * @moved_last: and when last: between the two it was somewhere else still
 * @begin: ns, as the trace clock counts
 * @end: ns, never before @begin
 * @cpu: RUN and WAIT: where it ran then; BLOCK and open WAIT: where it was
 *	 last seen; or CS_CPU_UNKNOWN
 * @prio: effective priority in it, or CS_PRIO_UNKNOWN
 * @state: BLOCK: how it left the CPU; RUN: how it ended
 * @kind: enum cs_span_kind
 * @cause: WAIT: enum cs_wait_cause
 * @found: WAIT woken: enum cs_found
 * @waker_context: WAIT woken and BLOCK: enum cs_context of the waker
 * @flags: CS_SPAN_*
 */
struct cs_span {
	const struct cs_task *task;
	const struct cs_task *peer;
	const struct cs_cpu *where;
	const struct cs_cpu *queued;
	uint64_t moved;
	uint64_t moved_last;
	uint64_t begin;
	uint64_t end;
	cs_state state;
	int32_t cpu;
	int32_t prio;
	uint8_t kind;
	uint8_t cause;
	uint8_t found;
	uint8_t waker_context;
	uint8_t flags;
};

/** cs_span_ns - length of a span in ns. */
static inline uint64_t cs_span_ns(const struct cs_span *span)
{
	return span->end - span->begin;
}

/* The class of a switch, by its prev: each switch is in exactly one. */
enum cs_switch_class {
	CS_SWITCH_FROM_IDLE,
	CS_SWITCH_PREEMPTED, /* R+ */
	CS_SWITCH_RUNNABLE,  /* R: rescheduled on return to user, or yielded */
	CS_SWITCH_VOLUNTARY,
	CS_SWITCH_CLASSES,
};

/**
 * struct cs_switch - one context switch
 * @prev: who left
 * @next: who came
 * @ts: ns
 * @cpu: where
 * @class: enum cs_switch_class
 * @kind: enum cs_switch_kind
 */
struct cs_switch {
	const struct cs_task *prev;
	const struct cs_task *next;
	uint64_t ts;
	int32_t cpu;
	uint8_t class;
	uint8_t kind;
};

/**
 * struct cs_phases - what one switch took
 * @prev: who left
 * @next: who came
 * @ts: its end, ns
 * @ns: each phase; they add up to the switch
 * @cpu: where
 * @measured: 1 << enum cs_phase: those with an @ns of their own
 * @kind: enum cs_switch_kind
 * @disturbed: an interrupt came inside
 */
struct cs_phases {
	const struct cs_task *prev;
	const struct cs_task *next;
	uint64_t ts;
	const uint32_t *ns;
	int32_t cpu;
	uint8_t measured;
	uint8_t kind;
	bool disturbed;
};

/**
 * struct cs_prio_change - a priority was inherited, or given back
 * @task: whose
 * @donor: who lends it, or NULL: nobody, or not known
 * @ts: ns
 * @old_prio: its priority before
 * @new_prio: its priority now
 * @base_prio: its priority without inheritance
 * @again: the same change was told already, with less
 */
struct cs_prio_change {
	const struct cs_task *task;
	const struct cs_task *donor;
	uint64_t ts;
	int32_t old_prio;
	int32_t new_prio;
	int32_t base_prio;
	bool again;
};

/**
 * struct cs_sink - where the tracker sends what it finds
 * @on_span: a span ended
 * @on_switch: a switch happened; comes before the spans that it ends
 * @on_phases: what a switch took; comes after the switch
 * @on_prio: a priority was inherited, or given back
 * @ctx: passed to all
 *
 * Any of them may be NULL.
 */
struct cs_sink {
	void (*on_span)(void *ctx, const struct cs_span *span);
	void (*on_switch)(void *ctx, const struct cs_switch *sw);
	void (*on_phases)(void *ctx, const struct cs_phases *phases);
	void (*on_prio)(void *ctx, const struct cs_prio_change *change);
	void *ctx;
};

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The story of an interval on a CPU: what ran and which interrupts came.
 */
#ifndef CS_ANALYSIS_STORY_H
#define CS_ANALYSIS_STORY_H

#include "analysis/cpu.h"
#include "analysis/result.h"
#include "analysis/span.h"

/* Tasks and interrupts told by name; the rest is summed up. */
#define CS_STORY_TASKS 12
#define CS_STORY_IRQS  8

/**
 * struct cs_story - what ran, in order of first appearance
 * @ran: tasks (NULL: not known), how long and at which last priority
 * @ran_count: of them
 * @others: runs of tasks beyond, @others_ns together
 * @forgotten_ns: the part at the begin that the CPU does not remember
 * @irqs: interrupts that ended inside; @irqs_count kinds of them
 *
 * The times of @ran, @others_ns and @forgotten_ns add up to the interval.
 */
struct cs_story {
	struct cs_story_run {
		const struct cs_task *task;
		uint64_t ns;
		int32_t prio;
	} ran[CS_STORY_TASKS];
	struct cs_story_irq {
		const char *name;
		uint64_t ns;
		uint32_t count;
		int32_t nr;
		uint8_t kind;
	} irqs[CS_STORY_IRQS];
	uint64_t others_ns;
	uint64_t forgotten_ns;
	uint32_t others;
	uint32_t ran_count;
	uint32_t irqs_count;
};

/**
 * cs_story_tell - look up an interval in a CPU's short memory
 * @story: filled
 * @cpu: where
 * @begin: ns
 * @end: ns, not later than the tracker's last event there
 */
void cs_story_tell(struct cs_story *story, const struct cs_cpu *cpu, uint64_t begin,
		   uint64_t end);

/**
 * cs_story_tell_wait - the story of a wait, on each CPU where it was spent
 * @story: filled
 * @wait: a WAIT that ended
 */
void cs_story_tell_wait(struct cs_story *story, const struct cs_span *wait);

/** cs_story_ran - the tasks as a table: pid, comm, prio, ns. */
struct cs_node *cs_story_ran(struct cs_result *result, const struct cs_story *story);

/** cs_story_irqs - the interrupts as a table: kind, nr, name, count, ns. */
struct cs_node *cs_story_irqs(struct cs_result *result, const struct cs_story *story);

#endif

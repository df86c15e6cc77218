/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sink for the tracker that checks what must be true of all spans together:
 * they tile the observed time of each CPU and the life of each task.
 */
#ifndef CS_TESTS_SUPPORT_SPAN_CHECK_H
#define CS_TESTS_SUPPORT_SPAN_CHECK_H

#include "analysis/tracker.h"

struct span_check_task {
	bool seen;
	uint64_t end;
	uint64_t ns[CS_SPAN_KINDS];
};

struct span_check_cpu {
	bool seen;
	uint64_t end;
	uint64_t busy_ns;
	uint64_t idle_ns;
	uint64_t unknown_ns;
};

/**
 * struct span_check - what has been seen so far
 * @tracker: whose spans they are
 * @ordered: time stamps never go backwards, not even from CPU to CPU: the spans
 *	     of a task follow on each other without a gap
 * @tasks: by index
 * @cpus: by number
 * @switches: by class
 * @partial: spans that are open
 * @error: what was wrong first; "" when nothing was
 */
struct span_check {
	const struct cs_tracker *tracker;
	bool ordered;
	struct span_check_task *tasks;
	uint32_t tasks_room;
	struct span_check_cpu *cpus;
	uint32_t cpus_room;
	uint64_t switches[CS_SWITCH_CLASSES];
	uint64_t open;
	char error[256];
};

/** span_check_init - begin; @check must live as long as @tracker. */
void span_check_init(struct span_check *check, const struct cs_tracker *tracker,
		     bool ordered);

/** span_check_span - take one span. */
void span_check_span(struct span_check *check, const struct cs_span *span);

/** span_check_switch - take one switch. */
void span_check_switch(struct span_check *check, const struct cs_switch *sw);

/** span_check_finish - the tracker has finished. Return: what was wrong first,
 * or NULL. */
const char *span_check_finish(struct span_check *check);

/** span_check_fini - free what it holds. */
void span_check_fini(struct span_check *check);

#endif

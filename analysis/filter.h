/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a user wants to see. Applied after the tracker, so that its state is
 * never blind; a span across the border of the time range is clipped to it.
 */
#ifndef CS_ANALYSIS_FILTER_H
#define CS_ANALYSIS_FILTER_H

#include "analysis/span.h"

struct cs_range {
	int64_t first;
	int64_t last;
};

/**
 * struct cs_ranges - a set of numbers, as ranges that include both ends
 * @ranges: in any order
 * @count: 0 stands for all numbers
 */
struct cs_ranges {
	struct cs_range *ranges;
	uint32_t count;
};

/**
 * struct cs_filter - zeroed memory lets everything pass
 * @cpus: CPUs
 * @pids: tasks by pid
 * @prios: effective kernel priorities
 * @comms: globs of fnmatch(3), any of which the task's comm, as known by then, matches
 * @comms_count: 0: all
 * @begin: ns; spans and switches before are cut
 * @end: ns; UINT64_MAX or 0: no limit
 *
 * A task passes when pid and comm do. A switch passes by its prev. The
 * unknown time of a CPU has no task: it passes when no task is asked for.
 */
struct cs_filter {
	struct cs_ranges cpus;
	struct cs_ranges pids;
	struct cs_ranges prios;
	char **comms;
	uint32_t comms_count;
	uint64_t begin;
	uint64_t end;
};

/** cs_filter_active - whether anything is filtered at all. */
bool cs_filter_active(const struct cs_filter *filter);

/** cs_ranges_contain - whether @value is in the set. */
bool cs_ranges_contain(const struct cs_ranges *ranges, int64_t value);

/** cs_filter_task - whether a task passes, by its pid and comm. */
bool cs_filter_task(const struct cs_filter *filter, const struct cs_task *task);

/**
 * cs_filter_span - clip a span
 * @filter: the filter
 * @span: changed where the time range cuts it
 *
 * Return: whether anything of it passes.
 */
bool cs_filter_span(const struct cs_filter *filter, struct cs_span *span);

/** cs_filter_switch - whether a switch passes. */
bool cs_filter_switch(const struct cs_filter *filter, const struct cs_switch *sw);

#endif

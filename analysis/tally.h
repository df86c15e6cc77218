/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts by pair of tasks: who switched to whom, who preempted whom.
 */
#ifndef CS_ANALYSIS_TALLY_H
#define CS_ANALYSIS_TALLY_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct cs_pair - a pair and its count
 * @from: index of a task
 * @to: index of a task
 * @count: how often; 0 marks an empty slot
 * @total_ns: sum of the durations
 */
struct cs_pair {
	uint32_t from;
	uint32_t to;
	uint64_t count;
	uint64_t total_ns;
};

/**
 * struct cs_tally - pairs by hash; zeroed memory is an empty one
 * @pairs: slots, @mask + 1 of them
 * @count: pairs
 * @failed: memory ran out: counts are missing
 */
struct cs_tally {
	struct cs_pair *pairs;
	uint32_t mask;
	uint32_t count;
	bool failed;
};

/** cs_tally_add - count a pair once, with a duration of @ns. */
void cs_tally_add(struct cs_tally *tally, uint32_t from, uint32_t to, uint64_t ns);

/**
 * cs_tally_sorted - the pairs, largest total first, then largest count
 * @tally: the tally
 *
 * Return: @count pointers, to be freed by the caller; NULL without memory or
 * without pairs.
 */
const struct cs_pair **cs_tally_sorted(const struct cs_tally *tally);

/** cs_tally_fini - free it and make it empty. */
void cs_tally_fini(struct cs_tally *tally);

#endif

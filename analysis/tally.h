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
 * @count: how often
 * @total_ns: sum of the durations
 */
struct cs_pair {
	uint32_t from;
	uint32_t to;
	uint64_t count;
	uint64_t total_ns;
};

/* How many additions wait for their slot to come into the cache. */
#define CS_TALLY_PENDING 16

struct cs_tally_slot {
	uint32_t from;
	uint32_t to;
	uint64_t count; /* 0: empty */
};

/**
 * struct cs_tally - pairs by hash; zeroed memory is an empty one
 * @slots: @mask + 1 of them, four in a cache line
 * @totals: the durations of the slots; NULL while there are none
 * @pending: additions not yet made, each a pair with a count of 1; a ring
 * @added: additions so far; the last CS_TALLY_PENDING of them are pending
 * @count: pairs in @slots
 * @failed: memory ran out: counts are missing
 *
 * With many tasks the table is larger than a cache, and each addition would
 * wait for memory. So it is asked for first, and used some additions later.
 */
struct cs_tally {
	struct cs_tally_slot *slots;
	uint64_t *totals;
	struct cs_pair pending[CS_TALLY_PENDING];
	uint64_t added;
	uint32_t mask;
	uint32_t count;
	bool failed;
};

/** cs_tally_add - count a pair once, with a duration of @ns. */
void cs_tally_add(struct cs_tally *tally, uint32_t from, uint32_t to, uint64_t ns);

/**
 * cs_tally_top - the heaviest pairs: largest total first, then largest count
 * @tally: the tally
 * @limit: how many are wanted
 * @pairs: set to an array that the caller frees; NULL when there are none
 * @count: set to its length
 * @left: set to the number of pairs that are not in it
 *
 * Return: 0 or -ENOMEM.
 */
int cs_tally_top(const struct cs_tally *tally, uint32_t limit, struct cs_pair **pairs,
		 uint32_t *count, uint32_t *left);

/** cs_tally_fini - free it and make it empty. */
void cs_tally_fini(struct cs_tally *tally);

#endif

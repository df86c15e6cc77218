/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All CPUs' records in the order of time. Equal times: the lower CPU first. Within a
 * CPU the order is never changed.
 */
#ifndef CS_USER_INPUT_MERGE_H
#define CS_USER_INPUT_MERGE_H

#include "user/input/lane.h"

/**
 * struct cs_merge - a heap of lanes, the next one on top
 * @heap: @count lanes that have an item at hand
 * @blocked: @blocked_count lanes that have none now
 * @room: of both arrays
 *
 * The rest is its own.
 */
struct cs_merge {
	struct cs_lane **heap;
	struct cs_lane **blocked;
	uint32_t count;
	uint32_t blocked_count;
	uint32_t room;
	bool taken;	/* the item on top was delivered */
	bool moved;	/* the top went on, its place is to be found */
	uint64_t limit; /* while the top is before this, it is the next one */
	uint64_t until; /* the earliest time that a blocked lane can still bring */
};

/** cs_merge_init - room for @room lanes. Return: 0 or -ENOMEM. */
int cs_merge_init(struct cs_merge *merge, uint32_t room);

/** cs_merge_fini - free what cs_merge_init() allocated; the lanes are the caller's. */
void cs_merge_fini(struct cs_merge *merge);

/**
 * cs_merge_add - add a lane and read its first item
 * @merge: the merge; at most @room lanes
 * @lane: stays the caller's, where it is
 *
 * Return: 0 or -errno of the lane's source.
 */
int cs_merge_add(struct cs_merge *merge, struct cs_lane *lane);

/**
 * cs_merge_poll - ask the blocked lanes again
 * @merge: the merge
 * @until: what comes from lanes that are still blocked is not older than this, ns
 *
 * Return: 0 or -errno of a lane's source.
 */
int cs_merge_poll(struct cs_merge *merge, uint64_t until);

/** cs_merge_next_slow - cs_merge_next() when the order of lanes may change. */
int cs_merge_next_slow(struct cs_merge *merge, struct cs_lane **lane);

/**
 * cs_merge_next - the next item
 * @merge: the merge
 * @lane: the lane that has it; valid until the next call
 *
 * Return: 1; 0 when all lanes have ended; -EAGAIN when a blocked lane could still
 * bring something older; other -errno of a lane's source.
 */
static inline int cs_merge_next(struct cs_merge *merge, struct cs_lane **lane)
{
	/* The next record of the page at hand, while it comes before all others. */
	if (__builtin_expect(merge->taken, 1)) {
		struct cs_lane *top = merge->heap[0];

		if (top->state == CS_LANE_RECORD &&
		    cs_page_next(&top->page, &top->record) == 1) {
			top->ts = top->page.ts;
			if (top->ts < merge->limit) {
				*lane = top;
				return 1;
			}
			merge->taken = false;
			merge->moved = true;
		}
	}
	return cs_merge_next_slow(merge, lane);
}

#endif

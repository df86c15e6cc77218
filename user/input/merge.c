/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A binary heap by time and CPU. Runs of records from one CPU are long, so the top is
 * compared with the runner-up alone until it has passed it.
 */
#include "user/input/merge.h"

#include <stdlib.h>

static bool before(const struct cs_lane *lane, const struct cs_lane *other)
{
	return lane->ts < other->ts || (lane->ts == other->ts && lane->cpu < other->cpu);
}

int cs_merge_init(struct cs_merge *merge, uint32_t room)
{
	memset(merge, 0, sizeof(*merge));
	merge->room = room;
	merge->heap = calloc(room ? room : 1, sizeof(*merge->heap));
	merge->blocked = calloc(room ? room : 1, sizeof(*merge->blocked));
	if (merge->heap && merge->blocked)
		return 0;
	cs_merge_fini(merge);
	return -ENOMEM;
}

void cs_merge_fini(struct cs_merge *merge)
{
	free(merge->heap);
	free(merge->blocked);
	memset(merge, 0, sizeof(*merge));
}

static void find_limit(struct cs_merge *merge)
{
	merge->limit = UINT64_MAX;
	for (uint32_t i = 1; i < 3 && i < merge->count; i++)
		if (merge->heap[i]->ts < merge->limit)
			merge->limit = merge->heap[i]->ts;
	if (merge->blocked_count && merge->until < merge->limit)
		merge->limit = merge->until;
}

static void sift_down(struct cs_merge *merge)
{
	struct cs_lane *lane = merge->heap[0];
	uint32_t place = 0;

	for (;;) {
		uint32_t child = 2 * place + 1;

		if (child >= merge->count)
			break;
		if (child + 1 < merge->count &&
		    before(merge->heap[child + 1], merge->heap[child]))
			child++;
		if (!before(merge->heap[child], lane))
			break;
		merge->heap[place] = merge->heap[child];
		place = child;
	}
	merge->heap[place] = lane;
}

static void push(struct cs_merge *merge, struct cs_lane *lane)
{
	uint32_t place = merge->count++;

	while (place) {
		uint32_t parent = (place - 1) / 2;

		if (!before(lane, merge->heap[parent]))
			break;
		merge->heap[place] = merge->heap[parent];
		place = parent;
	}
	merge->heap[place] = lane;
}

static void drop_top(struct cs_merge *merge)
{
	merge->heap[0] = merge->heap[--merge->count];
	if (merge->count)
		sift_down(merge);
}

static void block(struct cs_merge *merge, struct cs_lane *lane)
{
	if (!merge->blocked_count || lane->until < merge->until)
		merge->until = lane->until;
	merge->blocked[merge->blocked_count++] = lane;
}

int cs_merge_add(struct cs_merge *merge, struct cs_lane *lane)
{
	int r = cs_lane_next(lane);

	if (r < 0)
		return r;
	if (lane->state == CS_LANE_BLOCKED)
		block(merge, lane);
	else if (lane->state != CS_LANE_ENDED)
		push(merge, lane);
	return 0;
}

/* Go on with the top, whose item was delivered. */
static int advance(struct cs_merge *merge)
{
	struct cs_lane *top = merge->heap[0];
	int r = cs_lane_next(top);

	if (r < 0)
		return r;
	merge->taken = false;
	if (top->state == CS_LANE_RECORD || top->state == CS_LANE_LOST) {
		sift_down(merge);
	} else {
		drop_top(merge);
		if (top->state == CS_LANE_BLOCKED)
			block(merge, top);
	}
	return 0;
}

int cs_merge_poll(struct cs_merge *merge, uint64_t until)
{
	uint32_t count;
	int r;

	/* The heap must not be touched while its top is out. */
	if (merge->taken) {
		r = advance(merge);
		if (r < 0)
			return r;
	}
	count = merge->blocked_count;
	merge->blocked_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct cs_lane *lane = merge->blocked[i];

		lane->until = until;
		r = cs_merge_add(merge, lane);
		if (r < 0)
			return r;
	}
	return 0;
}

int cs_merge_next_slow(struct cs_merge *merge, struct cs_lane **lane)
{
	int r;

	if (merge->taken) {
		r = advance(merge);
		if (r < 0)
			return r;
	} else if (merge->moved) {
		merge->moved = false;
		sift_down(merge);
	}
	if (!merge->count)
		return merge->blocked_count ? -EAGAIN : 0;
	find_limit(merge);
	*lane = merge->heap[0];
	if (merge->blocked_count && (*lane)->ts > merge->until)
		return -EAGAIN;
	merge->taken = true;
	return 1;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table with open addressing, at most three quarters full.
 */
#include "analysis/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64

static uint32_t slot_of(uint32_t from, uint32_t to)
{
	uint64_t key = (uint64_t)from << 32 | to;

	/* Fibonacci hashing: the high bits of the product are well mixed */
	return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32);
}

static struct cs_pair *find(struct cs_pair *pairs, uint32_t mask, uint32_t from,
			    uint32_t to)
{
	uint32_t slot = slot_of(from, to) & mask;

	while (pairs[slot].count && (pairs[slot].from != from || pairs[slot].to != to))
		slot = (slot + 1) & mask;
	return &pairs[slot];
}

static bool grow(struct cs_tally *tally)
{
	uint32_t room = tally->pairs ? (tally->mask + 1) * 2 : FIRST_ROOM;
	struct cs_pair *pairs = calloc(room, sizeof(*pairs));

	if (!pairs)
		return false;
	for (uint32_t i = 0; tally->pairs && i <= tally->mask; i++)
		if (tally->pairs[i].count)
			*find(pairs, room - 1, tally->pairs[i].from,
			      tally->pairs[i].to) = tally->pairs[i];
	free(tally->pairs);
	tally->pairs = pairs;
	tally->mask = room - 1;
	return true;
}

static void apply(struct cs_tally *tally, const struct cs_pair *addition)
{
	struct cs_pair *pair;

	if (tally->count > tally->mask / 4 * 3 && !grow(tally)) {
		tally->failed = true;
		return;
	}
	pair = find(tally->pairs, tally->mask, addition->from, addition->to);
	if (!pair->count) {
		pair->from = addition->from;
		pair->to = addition->to;
		tally->count++;
	}
	pair->count += addition->count;
	pair->total_ns += addition->total_ns;
}

void cs_tally_add(struct cs_tally *tally, uint32_t from, uint32_t to, uint64_t ns)
{
	struct cs_pair *slot = &tally->pending[tally->added % CS_TALLY_PENDING];

	if (!tally->pairs && !grow(tally)) {
		tally->failed = true;
		return;
	}
	if (tally->added >= CS_TALLY_PENDING)
		apply(tally, slot);
	slot->from = from;
	slot->to = to;
	slot->count = 1;
	slot->total_ns = ns;
	tally->added++;
	__builtin_prefetch(&tally->pairs[slot_of(from, to) & tally->mask], 1);
}

static int by_weight(const void *a, const void *b)
{
	const struct cs_pair *left = a, *right = b;

	if (left->total_ns != right->total_ns)
		return left->total_ns < right->total_ns ? 1 : -1;
	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	if (left->from != right->from)
		return left->from > right->from ? 1 : -1;
	return (left->to > right->to) - (left->to < right->to);
}

/* Adds to @pair what is pending for it, from addition @from on. */
static void add_pending(const struct cs_tally *tally, uint64_t from, struct cs_pair *pair)
{
	for (uint64_t i = from; i < CS_TALLY_PENDING && i < tally->added; i++) {
		const struct cs_pair *addition = &tally->pending[i];

		if (addition->from == pair->from && addition->to == pair->to) {
			pair->count += addition->count;
			pair->total_ns += addition->total_ns;
		}
	}
}

/* The heaviest pairs so far, as a heap with the lightest of them on top. */
struct top {
	struct cs_pair *pairs;
	uint32_t count;
	uint32_t limit;
	uint32_t seen;
};

static void sift_down(struct top *top, uint32_t at)
{
	for (;;) {
		uint32_t child = 2 * at + 1;
		struct cs_pair swap = top->pairs[at];

		if (child >= top->count)
			return;
		if (child + 1 < top->count &&
		    by_weight(&top->pairs[child + 1], &top->pairs[child]) > 0)
			child++;
		if (by_weight(&swap, &top->pairs[child]) >= 0)
			return;
		top->pairs[at] = top->pairs[child];
		top->pairs[child] = swap;
		at = child;
	}
}

static void offer(struct top *top, const struct cs_pair *pair)
{
	top->seen++;
	if (top->count < top->limit) {
		top->pairs[top->count++] = *pair;
		if (top->count == top->limit)
			for (uint32_t at = top->count; at--;)
				sift_down(top, at);
	} else if (top->limit && by_weight(pair, &top->pairs[0]) < 0) {
		top->pairs[0] = *pair;
		sift_down(top, 0);
	}
}

static void offer_all(const struct cs_tally *tally, struct top *top)
{
	for (uint32_t i = 0; i <= tally->mask; i++) {
		struct cs_pair pair = tally->pairs[i];

		if (!pair.count)
			continue;
		add_pending(tally, 0, &pair);
		offer(top, &pair);
	}
	/* pairs that are new in what is pending, each at its first addition */
	for (uint64_t i = 0; i < CS_TALLY_PENDING && i < tally->added; i++) {
		struct cs_pair pair = tally->pending[i], before = {.from = pair.from};
		uint64_t first = 0;

		before.to = pair.to;
		while (tally->pending[first].from != pair.from ||
		       tally->pending[first].to != pair.to)
			first++;
		if (first != i ||
		    find(tally->pairs, tally->mask, pair.from, pair.to)->count)
			continue;
		add_pending(tally, i, &before);
		offer(top, &before);
	}
}

int cs_tally_top(const struct cs_tally *tally, uint32_t limit, struct cs_pair **pairs,
		 uint32_t *count, uint32_t *left)
{
	uint64_t most = (uint64_t)tally->count + CS_TALLY_PENDING;
	struct top top = {.limit = limit < most ? limit : (uint32_t)most};

	*pairs = NULL;
	*count = *left = 0;
	if (!tally->added)
		return 0;
	top.pairs = malloc((top.limit + (size_t)1) * sizeof(*top.pairs));
	if (!top.pairs)
		return -ENOMEM;
	offer_all(tally, &top);
	qsort(top.pairs, top.count, sizeof(*top.pairs), by_weight);
	*pairs = top.pairs;
	*count = top.count;
	*left = top.seen - top.count;
	return 0;
}

void cs_tally_fini(struct cs_tally *tally)
{
	free(tally->pairs);
	memset(tally, 0, sizeof(*tally));
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table with open addressing, at most three quarters full.
 */
#include "analysis/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64
#define CACHE_LINE 64

static uint32_t hash(uint32_t from, uint32_t to)
{
	/* Fibonacci hashing: the high bits of the product are well mixed */
	uint64_t product = ((uint64_t)from << 32 | to) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(product >> 32 ^ product >> 52);
}

static uint32_t find(const struct cs_tally_slot *slots, uint32_t mask, uint32_t from,
		     uint32_t to)
{
	uint32_t at = hash(from, to) & mask;

	while (slots[at].count && (slots[at].from != from || slots[at].to != to))
		at = (at + 1) & mask;
	return at;
}

static void move(const struct cs_tally *from, struct cs_tally *to)
{
	for (uint32_t i = 0; from->slots && i <= from->mask; i++) {
		const struct cs_tally_slot *slot = &from->slots[i];
		uint32_t at;

		if (!slot->count)
			continue;
		at = find(to->slots, to->mask, slot->from, slot->to);
		to->slots[at] = *slot;
		if (from->totals)
			to->totals[at] = from->totals[i];
	}
}

static bool grow(struct cs_tally *tally)
{
	uint32_t room = tally->slots ? (tally->mask + 1) * 2 : FIRST_ROOM;
	struct cs_tally grown = *tally;

	grown.mask = room - 1;
	grown.slots = aligned_alloc(CACHE_LINE, room * sizeof(*grown.slots));
	grown.totals = tally->totals ? calloc(room, sizeof(*grown.totals)) : NULL;
	if (!grown.slots || (tally->totals && !grown.totals)) {
		free(grown.slots);
		free(grown.totals);
		return false;
	}
	memset(grown.slots, 0, room * sizeof(*grown.slots));
	move(tally, &grown);
	free(tally->slots);
	free(tally->totals);
	*tally = grown;
	return true;
}

static bool has_room(struct cs_tally *tally, uint64_t ns)
{
	if ((!tally->slots || tally->count > tally->mask / 4 * 3) && !grow(tally))
		return false;
	if (ns && !tally->totals)
		tally->totals = calloc((size_t)tally->mask + 1, sizeof(*tally->totals));
	return !ns || tally->totals;
}

static void apply(struct cs_tally *tally, const struct cs_pair *addition)
{
	struct cs_tally_slot *slot;
	uint32_t at;

	if (!has_room(tally, addition->total_ns)) {
		tally->failed = true;
		return;
	}
	at = find(tally->slots, tally->mask, addition->from, addition->to);
	slot = &tally->slots[at];
	if (!slot->count++) {
		slot->from = addition->from;
		slot->to = addition->to;
		tally->count++;
	}
	if (addition->total_ns)
		tally->totals[at] += addition->total_ns;
}

void cs_tally_add(struct cs_tally *tally, uint32_t from, uint32_t to, uint64_t ns)
{
	struct cs_pair *pending = &tally->pending[tally->added % CS_TALLY_PENDING];

	if (!tally->slots && !grow(tally)) {
		tally->failed = true;
		return;
	}
	if (tally->added++ >= CS_TALLY_PENDING)
		apply(tally, pending);
	pending->from = from;
	pending->to = to;
	pending->count = 1;
	pending->total_ns = ns;
	__builtin_prefetch(&tally->slots[hash(from, to) & tally->mask], 1);
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

static bool has(const struct cs_tally *tally, const struct cs_pair *pair)
{
	return tally->slots[find(tally->slots, tally->mask, pair->from, pair->to)].count;
}

static void offer_all(const struct cs_tally *tally, struct top *top)
{
	for (uint32_t i = 0; i <= tally->mask; i++) {
		const struct cs_tally_slot *slot = &tally->slots[i];
		struct cs_pair pair = {slot->from, slot->to, slot->count, 0};

		if (!pair.count)
			continue;
		if (tally->totals)
			pair.total_ns = tally->totals[i];
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
		if (first != i || has(tally, &pair))
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
	free(tally->slots);
	free(tally->totals);
	memset(tally, 0, sizeof(*tally));
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table with open addressing, at most half full.
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

	if (tally->count > tally->mask / 2 && !grow(tally)) {
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

/* All pairs, those that are pending among them, in no order. */
static int collect(const struct cs_tally *tally, struct cs_pair **all, uint32_t *count)
{
	uint64_t pending = tally->added < CS_TALLY_PENDING ? tally->added
							   : CS_TALLY_PENDING;
	struct cs_tally copy = *tally;

	copy.pairs = calloc((size_t)tally->mask + 1, sizeof(*copy.pairs));
	if (!copy.pairs)
		return -ENOMEM;
	memcpy(copy.pairs, tally->pairs, ((size_t)tally->mask + 1) * sizeof(*copy.pairs));
	for (uint64_t i = 0; i < pending; i++)
		apply(&copy, &tally->pending[i]);
	*count = 0;
	for (uint32_t i = 0; i <= copy.mask; i++)
		if (copy.pairs[i].count)
			copy.pairs[(*count)++] = copy.pairs[i];
	*all = copy.pairs;
	return copy.failed ? -ENOMEM : 0;
}

/*
 * Hoare's partition of [low, high], both included. Return: the last place of
 * the lower part; nothing in it weighs less than anything behind it.
 */
static uint32_t partition(struct cs_pair *pairs, uint32_t low, uint32_t high)
{
	struct cs_pair pivot = pairs[low + (high - low) / 2], swap;

	for (;; low++, high--) {
		while (by_weight(&pairs[low], &pivot) < 0)
			low++;
		while (by_weight(&pairs[high], &pivot) > 0)
			high--;
		if (low >= high)
			return high;
		swap = pairs[low];
		pairs[low] = pairs[high];
		pairs[high] = swap;
	}
}

/* Moves the @limit heaviest of @count pairs to the front (quickselect). */
static void select_top(struct cs_pair *pairs, uint32_t count, uint32_t limit)
{
	uint32_t low = 0, high = count - 1;

	while (low < high) {
		uint32_t last = partition(pairs, low, high);

		if (limit <= last)
			high = last;
		else
			low = last + 1;
	}
}

int cs_tally_top(const struct cs_tally *tally, uint32_t limit, struct cs_pair **top,
		 uint32_t *count, uint32_t *left)
{
	int err;

	*top = NULL;
	*count = *left = 0;
	if (!tally->added)
		return 0;
	err = collect(tally, top, count);
	if (err) {
		free(*top);
		*top = NULL;
		*count = 0;
		return err;
	}
	if (limit < *count) {
		select_top(*top, *count, limit);
		*left = *count - limit;
		*count = limit;
	}
	qsort(*top, *count, sizeof(**top), by_weight);
	return 0;
}

void cs_tally_fini(struct cs_tally *tally)
{
	free(tally->pairs);
	memset(tally, 0, sizeof(*tally));
}

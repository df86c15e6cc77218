/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table with open addressing, at most half full.
 */
#include "analysis/tally.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64

static uint32_t slot_of(uint32_t from, uint32_t to)
{
	uint64_t key = (uint64_t)from << 32 | to;

	/* Fibonacci hashing: the high bits of the product are well mixed */
	return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32);
}

static struct cs_pair *find(struct cs_pair *pairs, uint32_t mask, uint32_t from, uint32_t to)
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
			*find(pairs, room - 1, tally->pairs[i].from, tally->pairs[i].to) =
				tally->pairs[i];
	free(tally->pairs);
	tally->pairs = pairs;
	tally->mask = room - 1;
	return true;
}

void cs_tally_add(struct cs_tally *tally, uint32_t from, uint32_t to, uint64_t ns)
{
	struct cs_pair *pair;

	if ((!tally->pairs || tally->count > tally->mask / 2) && !grow(tally)) {
		tally->failed = true;
		return;
	}
	pair = find(tally->pairs, tally->mask, from, to);
	if (!pair->count) {
		pair->from = from;
		pair->to = to;
		tally->count++;
	}
	pair->count++;
	pair->total_ns += ns;
}

static int by_weight(const void *a, const void *b)
{
	const struct cs_pair *left = *(const struct cs_pair *const *)a;
	const struct cs_pair *right = *(const struct cs_pair *const *)b;

	if (left->total_ns != right->total_ns)
		return left->total_ns < right->total_ns ? 1 : -1;
	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	if (left->from != right->from)
		return left->from > right->from ? 1 : -1;
	return (left->to > right->to) - (left->to < right->to);
}

const struct cs_pair **cs_tally_sorted(const struct cs_tally *tally)
{
	const struct cs_pair **sorted;
	uint32_t count = 0;

	if (!tally->count)
		return NULL;
	sorted = malloc(tally->count * sizeof(*sorted));
	if (!sorted)
		return NULL;
	for (uint32_t i = 0; i <= tally->mask; i++)
		if (tally->pairs[i].count)
			sorted[count++] = &tally->pairs[i];
	qsort(sorted, count, sizeof(*sorted), by_weight);
	return sorted;
}

void cs_tally_fini(struct cs_tally *tally)
{
	free(tally->pairs);
	memset(tally, 0, sizeof(*tally));
}

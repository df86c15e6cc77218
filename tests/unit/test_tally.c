/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts by pair against a plain matrix: every addition counts once, whenever one
 * looks, and the heaviest come first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/tally.h"
#include "tests/support/random.h"

#define SIDE 60

struct matrix {
	uint64_t count[SIDE][SIDE];
	uint64_t total[SIDE][SIDE];
	uint32_t pairs;
};

static void add_both(struct cs_tally *tally, struct matrix *matrix, uint32_t from,
		     uint32_t to, uint64_t ns)
{
	cs_tally_add(tally, from, to, ns);
	matrix->pairs += !matrix->count[from][to]++;
	matrix->total[from][to] += ns;
}

static int heavier(const struct cs_pair *left, const struct cs_pair *right)
{
	if (left->total_ns != right->total_ns)
		return left->total_ns > right->total_ns;
	return left->count >= right->count;
}

static void check(const struct cs_tally *tally, const struct matrix *matrix,
		  uint32_t limit)
{
	struct cs_pair *pairs;
	uint32_t count, left, heavier_ones = 0;

	assert_int_equal(cs_tally_top(tally, limit, &pairs, &count, &left), 0);
	assert_int_equal(count, limit < matrix->pairs ? limit : matrix->pairs);
	assert_int_equal(count + left, matrix->pairs);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(pairs[i].count,
				 matrix->count[pairs[i].from][pairs[i].to]);
		assert_int_equal(pairs[i].total_ns,
				 matrix->total[pairs[i].from][pairs[i].to]);
		if (i)
			assert_true(heavier(&pairs[i - 1], &pairs[i]));
	}
	/* none of those left out is heavier than the last one in */
	for (uint32_t from = 0; count && from < SIDE; from++) {
		for (uint32_t to = 0; to < SIDE; to++) {
			struct cs_pair pair = {
				.from = from,
				.to = to,
				.count = matrix->count[from][to],
				.total_ns = matrix->total[from][to],
			};

			if (pair.count && !heavier(&pairs[count - 1], &pair))
				heavier_ones++;
		}
	}
	assert_true(heavier_ones < count || !count);
	for (uint32_t i = 1; i < count; i++)
		assert_true(pairs[i - 1].from != pairs[i].from ||
			    pairs[i - 1].to != pairs[i].to);
	free(pairs);
}

static void empty(void **state)
{
	struct cs_tally tally = {0};
	struct cs_pair *pairs = (struct cs_pair *)1;
	uint32_t count = 1, left = 1;

	(void)state;
	assert_int_equal(cs_tally_top(&tally, 10, &pairs, &count, &left), 0);
	assert_null(pairs);
	assert_int_equal(count, 0);
	assert_int_equal(left, 0);
	cs_tally_fini(&tally);
	cs_tally_fini(&tally);
}

static void every_addition_counts(void **state)
{
	static const uint32_t limits[] = {UINT32_MAX, 0, 1, 7, 20};

	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		static struct matrix matrix;
		struct cs_tally tally = {0};
		struct random random = {seed};
		uint32_t side = 1 + (uint32_t)random_below(&random, SIDE);

		memset(&matrix, 0, sizeof(matrix));
		for (int i = 0; i < 3000; i++) {
			/* with durations, without any, and of equal weight */
			uint64_t ns = seed % 3 ? random_below(&random, seed * 10) : 0;

			add_both(&tally, &matrix, (uint32_t)random_below(&random, side),
				 (uint32_t)random_below(&random, side), ns);
			/* looking in between changes nothing */
			if (i < 50 || i % 500 == 0)
				check(&tally, &matrix, limits[i % 5]);
		}
		for (size_t l = 0; l < 5; l++)
			check(&tally, &matrix, limits[l]);
		assert_false(tally.failed);
		cs_tally_fini(&tally);
	}
}

/* The same pair again and again, and pairs that are each other's mirror. */
static void few_pairs(void **state)
{
	struct cs_tally tally = {0};
	struct cs_pair *pairs;
	uint32_t count, left;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		cs_tally_add(&tally, 1, 2, 3);
		cs_tally_add(&tally, 2, 1, 1);
		cs_tally_add(&tally, UINT32_MAX, UINT32_MAX - 1, 2);
	}
	assert_int_equal(cs_tally_top(&tally, 5, &pairs, &count, &left), 0);
	assert_int_equal(count, 3);
	assert_int_equal(left, 0);
	assert_int_equal(pairs[0].from, 1);
	assert_int_equal(pairs[0].to, 2);
	assert_int_equal(pairs[0].count, 1000);
	assert_int_equal(pairs[0].total_ns, 3000);
	assert_int_equal(pairs[1].from, UINT32_MAX);
	assert_int_equal(pairs[1].total_ns, 2000);
	assert_int_equal(pairs[2].from, 2);
	assert_int_equal(pairs[2].total_ns, 1000);
	free(pairs);
	cs_tally_fini(&tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(every_addition_counts),
		cmocka_unit_test(few_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

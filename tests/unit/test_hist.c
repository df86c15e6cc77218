/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The histogram against sorted arrays: what is exact must be equal, percentiles
 * within 1 % of the nearest rank.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/hist.h"
#include "tests/support/random.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static const struct quantile {
	uint64_t num;
	uint64_t den;
} quantiles[] = {
	{0, 1},	   {1, 1000}, {1, 4},	 {1, 3},      {50, 100},     {2, 3},
	{90, 100}, {99, 100}, {95, 100}, {999, 1000}, {9999, 10000}, {1, 1},
};

/* The smallest value that at least num/den of the sorted values do not exceed. */
static uint64_t nearest_rank(const uint64_t *sorted, size_t count, struct quantile q)
{
	for (size_t i = 0; i < count; i++)
		if ((unsigned __int128)(i + 1) * q.den >=
		    (unsigned __int128)count * q.num)
			return sorted[i];
	return sorted[count - 1];
}

static void check_near(int64_t got, uint64_t truth, const char *what)
{
	long double off = fabsl((long double)got - (long double)truth);

	if (got < 0 || off > (long double)truth / 100)
		fail_msg("%s: %" PRId64 " is not within 1 %% of %" PRIu64, what, got,
			 truth);
}

/* Two passes in long double, as the textbook has it. */
static void check_moments(const struct cs_stat *stat, const uint64_t *values,
			  size_t count)
{
	long double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < count; i++)
		sum += (long double)values[i];
	mean = sum / (long double)count;
	for (size_t i = 0; i < count; i++) {
		long double off = (long double)values[i] - mean;

		squares += off * off;
	}
	if (fabsl((long double)stat->mean_ns - mean) > 0.5L + mean * 1e-15L)
		fail_msg("mean %" PRId64 ", not %Lf", stat->mean_ns, mean);
	squares = sqrtl(squares / (long double)count);
	if (fabsl((long double)stat->stddev_ns - squares) > 0.5L + squares * 1e-9L)
		fail_msg("stddev %" PRId64 ", not %Lf", stat->stddev_ns, squares);
}

static void check_all(const struct cs_hist *hist, uint64_t *values, size_t count)
{
	struct cs_stat stat;
	unsigned __int128 sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	cs_hist_stat(hist, &stat);
	check_moments(&stat, values, count);
	qsort(values, count, sizeof(*values), compare);
	assert_int_equal(stat.count, count);
	assert_true(stat.min_ns == (int64_t)values[0]);
	assert_true(stat.max_ns == (int64_t)values[count - 1]);
	assert_true(hist->sum == sum);
	for (size_t i = 0; i < COUNT(quantiles); i++)
		check_near(cs_hist_quantile(hist, quantiles[i].num, quantiles[i].den),
			   nearest_rank(values, count, quantiles[i]), "quantile");
	check_near(stat.p50_ns, nearest_rank(values, count, (struct quantile){1, 2}),
		   "p50");
	check_near(stat.p90_ns, nearest_rank(values, count, (struct quantile){9, 10}),
		   "p90");
	check_near(stat.p99_ns, nearest_rank(values, count, (struct quantile){99, 100}),
		   "p99");
	check_near(stat.p99_9_ns,
		   nearest_rank(values, count, (struct quantile){999, 1000}), "p99.9");
	check_near(stat.p99_99_ns,
		   nearest_rank(values, count, (struct quantile){9999, 10000}), "p99.99");
	assert_true(stat.p99_99_ns <= stat.max_ns && stat.p50_ns >= stat.min_ns);
}

static void check_values(uint64_t *values, size_t count)
{
	struct cs_hist hist = {0};

	for (size_t i = 0; i < count; i++)
		cs_hist_add(&hist, values[i]);
	check_all(&hist, values, count);
	cs_hist_fini(&hist);
}

/* ---------------------------------------------------------------------- cases */

static void empty(void **state)
{
	struct cs_hist hist = {0}, other = {0};
	struct cs_stat stat;

	(void)state;
	cs_hist_merge(&hist, &other);
	cs_hist_stat(&hist, &stat);
	assert_int_equal(stat.count, 0);
	assert_true(stat.min_ns == CS_STAT_NONE && stat.mean_ns == CS_STAT_NONE);
	assert_true(stat.max_ns == CS_STAT_NONE && stat.stddev_ns == CS_STAT_NONE);
	assert_true(stat.p50_ns == CS_STAT_NONE && stat.p99_99_ns == CS_STAT_NONE);
	assert_true(cs_hist_quantile(&hist, 1, 2) == CS_STAT_NONE);
	cs_hist_fini(&hist);
}

static void few(void **state)
{
	static const uint64_t sets[][6] = {
		{0},
		{1},
		{63},
		{64},
		{65},
		{UINT64_C(1) << 48},
		{0, 0},
		{7, 7, 7, 7},
		{0, 1, 2, 3, 4, 5},
		{62, 63, 64, 65, 127, 128},
		{5, 4, 3, 2, 1, 0},
		{0, UINT64_C(1) << 62},
		{UINT64_C(1) << 62, 1, UINT64_C(1) << 61},
		{1000000007, 1000000009, 1000000007, 3},
	};
	static const size_t counts[COUNT(sets)] = {1, 1, 1, 1, 1, 1, 2,
						   4, 6, 6, 6, 2, 3, 4};

	(void)state;
	for (size_t i = 0; i < COUNT(sets); i++) {
		uint64_t values[6];

		memcpy(values, sets[i], sizeof(values));
		check_values(values, counts[i]);
	}
}

/* Below 64 every value has a bucket of its own: percentiles are exact. */
static void small_are_exact(void **state)
{
	struct random random = {42};

	(void)state;
	for (size_t count = 1; count <= 300; count++) {
		uint64_t values[300];
		struct cs_hist hist = {0};

		for (size_t i = 0; i < count; i++) {
			values[i] = random_below(&random, 64);
			cs_hist_add(&hist, values[i]);
		}
		qsort(values, count, sizeof(*values), compare);
		for (size_t i = 0; i < COUNT(quantiles); i++)
			assert_int_equal(cs_hist_quantile(&hist, quantiles[i].num,
							  quantiles[i].den),
					 nearest_rank(values, count, quantiles[i]));
		cs_hist_fini(&hist);
	}
}

enum shape { FLAT, STEEP, TWO_HILLS, SAME, HUGE_VALUES, RISING, FALLING, SHAPES };

static uint64_t draw(struct random *random, enum shape shape, size_t i)
{
	switch (shape) {
	case FLAT:
		return random_below(random, 1000000);
	case STEEP:
		return random_next(random) >> (16 + random_below(random, 48));
	case TWO_HILLS:
		return random_chance(random, 90) ? 1000 + random_below(random, 100)
						 : 5000000 + random_below(random, 100000);
	case SAME:
		return 123456789;
	case HUGE_VALUES:
		return (UINT64_C(1) << 48) + random_below(random, 1000);
	case RISING:
		return i * i;
	default:
		return UINT64_C(1) << (50 - i % 51);
	}
}

static void shapes(void **state)
{
	static const size_t counts[] = {1, 2, 3, 4, 10, 99, 100, 101, 1000, 10001, 50000};
	static uint64_t values[50000];

	(void)state;
	for (unsigned int shape = 0; shape < SHAPES; shape++) {
		for (size_t c = 0; c < COUNT(counts); c++) {
			struct random random = {shape * 1000 + c};

			for (size_t i = 0; i < counts[c]; i++)
				values[i] = draw(&random, shape, i);
			check_values(values, counts[c]);
		}
	}
}

/* Large values that hardly differ: nothing is lost by cancellation. */
static void no_cancellation(void **state)
{
	struct cs_hist hist = {0};
	struct cs_stat stat;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		cs_hist_add(&hist, (UINT64_C(1) << 55) + (i & 1) * 6);
	cs_hist_stat(&hist, &stat);
	assert_int_equal(stat.stddev_ns, 3);
	assert_true(stat.mean_ns == (INT64_C(1) << 55) + 3);
	cs_hist_fini(&hist);
}

/* Reading does not change: what was asked before does not matter. */
static void reading_is_const(void **state)
{
	struct random random = {7};
	struct cs_hist read = {0}, unread = {0};
	struct cs_stat one, two;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		uint64_t ns = random_next(&random) >> (20 + random_below(&random, 40));

		cs_hist_add(&read, ns);
		cs_hist_add(&unread, ns);
		cs_hist_stat(&read, &one);
		cs_hist_stat(&read, &two);
		assert_memory_equal(&one, &two, sizeof(one));
	}
	cs_hist_stat(&unread, &two);
	assert_memory_equal(&one, &two, sizeof(one));
	cs_hist_fini(&read);
	cs_hist_fini(&unread);
}

/* Merging is the same as adding all, whatever was in either, in either order. */
static void merging(void **state)
{
	static const size_t counts[] = {0, 1, 2, 3, 4, 17, 1000};

	(void)state;
	for (size_t a = 0; a < COUNT(counts); a++) {
		for (size_t b = 0; b < COUNT(counts); b++) {
			struct cs_hist left = {0}, right = {0}, all = {0}, copy = {0};
			struct random random = {a * 100 + b};
			struct cs_stat merged, added;

			for (size_t i = 0; i < counts[a] + counts[b]; i++) {
				uint64_t ns = random_next(&random) >>
					      (8 + random_below(&random, 56));

				cs_hist_add(i < counts[a] ? &left : &right, ns);
				cs_hist_add(&all, ns);
			}
			cs_hist_merge(&copy, &right);
			cs_hist_merge(&left, &right);
			/* and go on */
			cs_hist_add(&left, 77);
			cs_hist_add(&all, 77);
			cs_hist_stat(&left, &merged);
			cs_hist_stat(&all, &added);
			assert_memory_equal(&merged, &added, sizeof(merged));
			for (uint64_t q = 0; q <= 1000; q++)
				assert_true(cs_hist_quantile(&left, q, 1000) ==
					    cs_hist_quantile(&all, q, 1000));
			cs_hist_stat(&copy, &merged);
			cs_hist_stat(&right, &added);
			assert_memory_equal(&merged, &added, sizeof(merged));
			cs_hist_fini(&left);
			cs_hist_fini(&right);
			cs_hist_fini(&all);
			cs_hist_fini(&copy);
		}
	}
}

/* Values beyond what a statistic can say: the largest it can, and nothing negative. */
static void beyond_int64(void **state)
{
	static const uint64_t values[] = {UINT64_MAX, UINT64_C(1) << 63, UINT64_MAX - 1,
					  INT64_MAX};

	(void)state;
	for (size_t count = 1; count <= COUNT(values); count++) {
		struct cs_hist hist = {0};
		struct cs_stat stat;

		for (size_t i = 0; i < count; i++)
			cs_hist_add(&hist, values[i]);
		assert_true(hist.max == UINT64_MAX);
		cs_hist_stat(&hist, &stat);
		assert_true(stat.max_ns == INT64_MAX);
		assert_true(stat.mean_ns > 0 && stat.p50_ns > 0 && stat.p99_99_ns > 0);
		assert_true(stat.min_ns == INT64_MAX);
		assert_true(stat.stddev_ns >= 0 || stat.stddev_ns == CS_STAT_NONE);
		cs_hist_fini(&hist);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),	   cmocka_unit_test(few),
		cmocka_unit_test(small_are_exact), cmocka_unit_test(shapes),
		cmocka_unit_test(no_cancellation), cmocka_unit_test(reading_is_const),
		cmocka_unit_test(merging),	   cmocka_unit_test(beyond_int64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A histogram of durations: log-linear, 64 buckets an octave, so that a
 * percentile is within 1 % of the true one; count, min, max, sum are exact.
 */
#ifndef CS_ANALYSIS_HIST_H
#define CS_ANALYSIS_HIST_H

#include <stdint.h>

/* How many samples are counted into their buckets at once. */
#define CS_HIST_PENDING 28

/**
 * struct cs_hist - durations in ns; zeroed memory is an empty one
 * @count: samples
 * @min: smallest, valid with a sample
 * @max: largest
 *
 * Sums are exact integers (128 bits), so that the standard deviation does not
 * suffer from cancellation. The last samples wait beside them: with a histogram
 * for each of many tasks most buckets are in no cache, and one wait for memory
 * serves many samples; and a task with few samples needs no buckets.
 */
struct cs_hist {
	uint64_t count;
	uint64_t min;
	uint64_t max;
	unsigned __int128 sum;
	unsigned __int128 squares;
	uint32_t *buckets; /* from octave @lowest on, 64 each */
	uint8_t lowest;
	uint8_t octaves;
	uint8_t overflow;   /* @squares wrapped: no standard deviation */
	uint8_t incomplete; /* no memory, or a bucket full: no percentiles */
	uint8_t pending_count;
	uint16_t pending[CS_HIST_PENDING]; /* buckets of samples not yet in them */
};

/**
 * struct cs_stat - the statistic object of a report
 * @count: samples; with 0 nothing else is valid
 *
 * All durations in ns, rounded to the nearest. A member that cannot be told
 * is CS_STAT_NONE.
 */
struct cs_stat {
	uint64_t count;
	int64_t min_ns;
	int64_t mean_ns;
	int64_t max_ns;
	int64_t stddev_ns; /* of the population */
	int64_t p50_ns;	   /* percentiles: nearest rank */
	int64_t p90_ns;
	int64_t p99_ns;
	int64_t p99_9_ns;
	int64_t p99_99_ns;
};

#define CS_STAT_NONE INT64_MIN

/** cs_hist_add - count one duration of @ns. Never fails: without memory, or with
 * 2^32 samples in one bucket, the percentiles become unknown, all else stays
 * exact. */
void cs_hist_add(struct cs_hist *hist, uint64_t ns);

/** cs_hist_merge - add all samples of @from to @hist. */
void cs_hist_merge(struct cs_hist *hist, const struct cs_hist *from);

/**
 * cs_hist_less - the samples of a histogram, each of them less by @ns, but not below 0
 * @hist: an empty histogram
 * @from: the samples
 * @ns: what is taken off
 *
 * Percentiles stay within 1 % of the samples of @from; so do mean and standard
 * deviation where a sample is less than @ns, all else is exact.
 */
void cs_hist_less(struct cs_hist *hist, const struct cs_hist *from, uint64_t ns);

/**
 * cs_hist_quantile - value at a rank
 * @hist: the histogram
 * @num: numerator of the quantile
 * @den: denominator
 *
 * Nearest rank: the smallest value that at least @num/@den of the samples do
 * not exceed; within 1 %, and never outside min and max.
 *
 * Return: ns, or CS_STAT_NONE for an empty histogram.
 */
int64_t cs_hist_quantile(const struct cs_hist *hist, uint64_t num, uint64_t den);

/** cs_hist_stat - the statistic object of a histogram. */
void cs_hist_stat(const struct cs_hist *hist, struct cs_stat *stat);

/** cs_hist_fini - free the buckets and make it empty. */
void cs_hist_fini(struct cs_hist *hist);

#endif

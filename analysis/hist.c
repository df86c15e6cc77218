/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The histogram: values below 64 have a bucket each, then 64 buckets for each
 * octave. The middle of a bucket is within 1/128 of every value in it.
 */
#include "analysis/hist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUB_BITS 6
#define SUB	 (1u << SUB_BITS)

/* Octave 0 holds 0 to 63; octave k holds [2^(k+5), 2^(k+6)). */
static unsigned int octave_of(uint64_t ns)
{
	return ns < SUB ? 0 : 64 - SUB_BITS - (unsigned int)__builtin_clzll(ns);
}

static unsigned int slot_of(uint64_t ns, unsigned int octave)
{
	return (octave ? ns >> (octave - 1) : ns) & (SUB - 1);
}

static uint64_t middle_of(unsigned int octave, unsigned int slot)
{
	if (!octave)
		return slot;
	return ((uint64_t)(slot | SUB) << (octave - 1)) +
	       ((uint64_t)1 << (octave - 1)) / 2;
}

static unsigned int bucket_of(uint64_t ns)
{
	unsigned int octave = octave_of(ns);

	return octave * SUB + slot_of(ns, octave);
}

static uint64_t less(uint64_t sample, uint64_t ns)
{
	return sample > ns ? sample - ns : 0;
}

/* The bucket of what is in @bucket, less by @ns. */
static unsigned int less_by(unsigned int bucket, uint64_t ns)
{
	return ns ? bucket_of(less(middle_of(bucket / SUB, bucket % SUB), ns)) : bucket;
}

/* Octave k >= 1 has its top bit at k + 5, so the slot is the 6 bits below it. */

static int make_room(struct cs_hist *hist, unsigned int octave)
{
	unsigned int first = octave, last = octave;
	uint32_t *buckets;

	if (hist->octaves) {
		unsigned int end = hist->lowest + hist->octaves - 1u;

		if (octave >= hist->lowest && octave <= end)
			return 0;
		first = octave < hist->lowest ? octave : hist->lowest;
		last = octave > end ? octave : end;
	}
	buckets = calloc((size_t)(last - first + 1) * SUB, sizeof(*buckets));
	if (!buckets)
		return -1;
	if (hist->octaves)
		memcpy(buckets + (size_t)(hist->lowest - first) * SUB, hist->buckets,
		       (size_t)hist->octaves * SUB * sizeof(*buckets));
	free(hist->buckets);
	hist->buckets = buckets;
	hist->lowest = first;
	hist->octaves = last - first + 1;
	return 0;
}

static void count_in(struct cs_hist *hist, size_t bucket, uint32_t count)
{
	if (__builtin_add_overflow(hist->buckets[bucket], count, &hist->buckets[bucket]))
		hist->incomplete = 1;
}

static void fill(struct cs_hist *hist, unsigned int bucket, uint32_t count)
{
	if (make_room(hist, bucket / SUB))
		hist->incomplete = 1;
	else
		count_in(hist, bucket - hist->lowest * SUB, count);
}

static void settle(struct cs_hist *hist)
{
	for (unsigned int i = 0; i < hist->pending_count; i++)
		fill(hist, hist->pending[i], 1);
	hist->pending_count = 0;
}

void cs_hist_add(struct cs_hist *hist, uint64_t ns)
{
	if (__builtin_add_overflow(hist->squares, (unsigned __int128)ns * ns,
				   &hist->squares))
		hist->overflow = 1;
	hist->sum += ns;
	if (!hist->count || ns < hist->min)
		hist->min = ns;
	if (!hist->count || ns > hist->max)
		hist->max = ns;
	hist->count++;
	if (hist->pending_count == CS_HIST_PENDING)
		settle(hist);
	hist->pending[hist->pending_count++] = bucket_of(ns);
}

/* The samples of @from, each less by @ns but not below 0, into the buckets of @hist. */
static void fill_from(struct cs_hist *hist, const struct cs_hist *from, uint64_t ns)
{
	for (unsigned int i = 0; i < from->octaves * SUB; i++)
		if (from->buckets[i])
			fill(hist, less_by(from->lowest * SUB + i, ns), from->buckets[i]);
	for (unsigned int i = 0; i < from->pending_count; i++)
		fill(hist, less_by(from->pending[i], ns), 1);
	hist->overflow |= from->overflow;
	hist->incomplete |= from->incomplete;
}

void cs_hist_merge(struct cs_hist *hist, const struct cs_hist *from)
{
	if (!from->count)
		return;
	fill_from(hist, from, 0);
	if (!hist->count || from->min < hist->min)
		hist->min = from->min;
	if (!hist->count || from->max > hist->max)
		hist->max = from->max;
	hist->count += from->count;
	hist->sum += from->sum;
	if (__builtin_add_overflow(hist->squares, from->squares, &hist->squares))
		hist->overflow = 1;
}

/* Sums of the samples as the buckets know them, where the exact ones are no help. */
static void sum_buckets(struct cs_hist *hist)
{
	hist->sum = hist->squares = 0;
	for (unsigned int i = 0; i < hist->octaves * SUB; i++) {
		unsigned __int128 ns = middle_of(hist->lowest + i / SUB, i % SUB);

		hist->sum += ns * hist->buckets[i];
		hist->squares += ns * ns * hist->buckets[i];
	}
}

void cs_hist_less(struct cs_hist *hist, const struct cs_hist *from, uint64_t ns)
{
	unsigned __int128 n = from->count;

	if (!from->count)
		return;
	fill_from(hist, from, ns);
	hist->count = from->count;
	hist->min = less(from->min, ns);
	hist->max = less(from->max, ns);
	if (from->min < ns) {
		sum_buckets(hist);
		return;
	}
	/* wraps modulo 2^128 in between, but the result is in range */
	hist->sum = from->sum - n * ns;
	hist->squares = from->squares - 2 * from->sum * ns + n * ns * ns;
}

/* A statistic is signed; a duration beyond 292 years is a fault of the trace. */
static int64_t clamp(uint64_t ns)
{
	return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

/* The buckets of the samples that are pending, in order. */
static void sort_pending(const struct cs_hist *hist, uint16_t *sorted)
{
	for (unsigned int i = 0; i < hist->pending_count; i++) {
		unsigned int at = i;

		for (; at && sorted[at - 1] > hist->pending[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = hist->pending[i];
	}
}

/* The bucket with the sample of @rank, in the order of all samples. */
static unsigned int bucket_at(const struct cs_hist *hist, uint64_t rank)
{
	unsigned int bucket = hist->lowest * SUB, end = bucket + hist->octaves * SUB;
	uint16_t pending[CS_HIST_PENDING];
	unsigned int next = 0;
	uint64_t below = 0;

	sort_pending(hist, pending);
	for (;;) {
		if (next < hist->pending_count &&
		    (bucket == end || pending[next] <= bucket)) {
			if (++below >= rank)
				return pending[next];
			next++;
		} else if (bucket < end) {
			below += hist->buckets[bucket - hist->lowest * SUB];
			if (below >= rank)
				return bucket;
			bucket++;
		} else {
			return bucket_of(hist->max);
		}
	}
}

int64_t cs_hist_quantile(const struct cs_hist *hist, uint64_t num, uint64_t den)
{
	unsigned __int128 product = (unsigned __int128)hist->count * num;
	uint64_t rank = (uint64_t)((product + den - 1) / den);
	unsigned int bucket;
	uint64_t ns;

	if (!hist->count || hist->incomplete)
		return CS_STAT_NONE;
	if (rank <= 1)
		return clamp(hist->min);
	if (rank >= hist->count)
		return clamp(hist->max);
	bucket = bucket_at(hist, rank);
	ns = middle_of(bucket / SUB, bucket % SUB);
	if (ns < hist->min)
		ns = hist->min;
	return clamp(ns > hist->max ? hist->max : ns);
}

/*
 * The population's standard deviation. With q = floor(sum / n) and r the rest,
 * the sum of (x - q)^2 is squares - 2 q sum + n q^2, exact in integers; the
 * mean is q + r/n, so the variance is that sum / n - (r/n)^2.
 */
static int64_t stddev_of(const struct cs_hist *hist)
{
	unsigned __int128 n = hist->count, q = hist->sum / n, r = hist->sum % n;
	unsigned __int128 deviations;
	long double rest, variance;

	if (hist->overflow)
		return CS_STAT_NONE;
	/* wraps modulo 2^128 in between, but the result is in range */
	deviations = hist->squares - 2 * q * hist->sum + n * q * q;
	rest = (long double)r / (long double)n;
	variance = (long double)deviations / (long double)n - rest * rest;
	return variance > 0 ? llroundl(sqrtl(variance)) : 0;
}

void cs_hist_stat(const struct cs_hist *hist, struct cs_stat *stat)
{
	memset(stat, 0, sizeof(*stat));
	stat->count = hist->count;
	if (!hist->count) {
		stat->min_ns = stat->mean_ns = stat->max_ns = stat->stddev_ns =
			CS_STAT_NONE;
	} else {
		stat->min_ns = clamp(hist->min);
		stat->max_ns = clamp(hist->max);
		stat->mean_ns =
			clamp((uint64_t)((hist->sum + hist->count / 2) / hist->count));
		stat->stddev_ns = stddev_of(hist);
	}
	stat->p50_ns = cs_hist_quantile(hist, 50, 100);
	stat->p90_ns = cs_hist_quantile(hist, 90, 100);
	stat->p99_ns = cs_hist_quantile(hist, 99, 100);
	stat->p99_9_ns = cs_hist_quantile(hist, 999, 1000);
	stat->p99_99_ns = cs_hist_quantile(hist, 9999, 10000);
}

void cs_hist_fini(struct cs_hist *hist)
{
	free(hist->buckets);
	memset(hist, 0, sizeof(*hist));
}

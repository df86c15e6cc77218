/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers for tests: the same for the same seed, on every machine.
 */
#ifndef CS_TESTS_SUPPORT_RANDOM_H
#define CS_TESTS_SUPPORT_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

/** random_next - 64 random bits (splitmix64). */
static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/** random_below - a number from 0 to @limit - 1; @limit is not 0. */
static inline uint64_t random_below(struct random *random, uint64_t limit)
{
	return random_next(random) % limit;
}

/** random_chance - true @percent times of a hundred. */
static inline bool random_chance(struct random *random, unsigned int percent)
{
	return random_below(random, 100) < percent;
}

#endif

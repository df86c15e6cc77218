/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads of unaligned numbers in either byte order, and stores for the same.
 */
#ifndef CS_USER_INPUT_BYTES_H
#define CS_USER_INPUT_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Whether a big-endian source needs its bytes swapped here. */
#define CS_HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/** cs_load16 - two bytes at @bytes, swapped when @swap. */
static inline uint16_t cs_load16(const uint8_t *bytes, bool swap)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return swap ? __builtin_bswap16(value) : value;
}

/** cs_load32 - four bytes at @bytes, swapped when @swap. */
static inline uint32_t cs_load32(const uint8_t *bytes, bool swap)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return swap ? __builtin_bswap32(value) : value;
}

/** cs_load64 - eight bytes at @bytes, swapped when @swap. */
static inline uint64_t cs_load64(const uint8_t *bytes, bool swap)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return swap ? __builtin_bswap64(value) : value;
}

#endif

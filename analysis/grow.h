/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays that grow with an index, new elements zeroed.
 */
#ifndef CS_ANALYSIS_GROW_H
#define CS_ANALYSIS_GROW_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/**
 * cs_grow - make an array at least @count elements long
 * @array: pointer to the array's pointer
 * @room: its elements; changed
 * @count: how many are needed
 * @size: bytes of an element
 *
 * Return: 0, or -ENOMEM with the array as it was.
 */
static inline int cs_grow(void *array, uint32_t *room, uint32_t count, size_t size)
{
	uint64_t wanted = *room ? *room : 16;
	void *old, *grown;

	memcpy(&old, array, sizeof(old));
	while (wanted < count)
		wanted *= 2;
	if (wanted > UINT32_MAX)
		return -ENOMEM;
	grown = realloc(old, wanted * size);
	if (!grown)
		return -ENOMEM;
	memset((char *)grown + *room * size, 0, (wanted - *room) * size);
	memcpy(array, &grown, sizeof(grown));
	*room = (uint32_t)wanted;
	return 0;
}

#endif

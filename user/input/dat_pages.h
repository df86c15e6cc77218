/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pages of one CPU of a trace.dat, plain or compressed, through a buffer of
 * bounded size. The file is read, never mapped: it may shrink while we read.
 */
#ifndef CS_USER_INPUT_DAT_PAGES_H
#define CS_USER_INPUT_DAT_PAGES_H

#include "user/input/dat.h"
#include "user/input/lane.h"

/**
 * struct cs_dat_pages - a source of pages
 * @pages: its interface
 * @torn: the data ended in the middle of a page, or before the file told
 *
 * The rest is its own.
 */
struct cs_dat_pages {
	struct cs_pages pages;
	bool torn;
	bool compressed;
	int fd;	     /* of what is read now */
	int rest_fd; /* of the range's rest, or -1 */
	uint32_t page_size;
	struct cs_dat *dat;
	uint8_t *buffer;
	size_t room;
	size_t filled;
	size_t next;   /* in the buffer */
	uint64_t at;   /* in the file: behind what was read */
	uint64_t left; /* bytes of the range from there on, in this file */
	uint64_t rest_at;
	uint64_t rest_left; /* 0 as soon as it is what is read */
	uint64_t origin;    /* in the file: what the buffer holds begins there */
	uint32_t chunks;    /* still to come */
	bool begun;
};

/**
 * cs_dat_pages_init - pages of one CPU
 * @pages: the source; cs_dat_pages_fini() it, also after an error
 * @dat: the file; must stay
 * @buffer: the buffer instance
 * @range: the CPU's range
 * @room: bytes that may be read ahead; at least one page is
 *
 * Return: 0 or -errno.
 */
int cs_dat_pages_init(struct cs_dat_pages *pages, struct cs_dat *dat,
		      const struct cs_dat_buffer *buffer,
		      const struct cs_dat_range *range, size_t room);

/** cs_dat_pages_fini - free all. */
void cs_dat_pages_fini(struct cs_dat_pages *pages);

#endif

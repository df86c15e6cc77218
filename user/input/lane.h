/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CPU's records in their order, out of pages that come from anywhere: a file, a
 * compressed chunk, a running kernel. Losses and corrupt pages become items of their
 * own, so that nothing is silently skipped.
 */
#ifndef CS_USER_INPUT_LANE_H
#define CS_USER_INPUT_LANE_H

#include "user/input/notes.h"
#include "user/input/page.h"

/**
 * struct cs_pages - where a lane's pages come from
 * @next: 1 and the next page; 0 at the end; -EAGAIN: none yet; -EBADMSG: there is one
 *	  but it cannot be read, go on; other -errno: the source failed.
 *	  A page lives until the next call. @size may be less than a page at the end
 * @where: describes the last page for a person ("page at offset 4096")
 * @cut: at the end: there should have been more
 */
struct cs_pages {
	int (*next)(struct cs_pages *pages, const uint8_t **bytes, size_t *size);
	void (*where)(const struct cs_pages *pages, char *text, size_t size);
	bool cut;
};

enum cs_lane_state {
	CS_LANE_RECORD,	 /* @record at @ts */
	CS_LANE_LOST,	 /* @lost events were lost before @ts */
	CS_LANE_BLOCKED, /* nothing now */
	CS_LANE_ENDED,
};

/**
 * struct cs_lane - one CPU
 * @ts: time of the item at hand, ns
 * @cpu: its number
 * @state: enum cs_lane_state: what is at hand
 * @record: for RECORD
 * @lost: for LOST; 0: an unknown number
 * @until: BLOCKED: whatever comes is not older than this, ns
 * @ends_lost: the caller knows that events are missing at the end, after the last one
 * @ends_count: how many; 0: an unknown number
 * @good: pages read
 * @bad: pages that could not be read, or only in part
 *
 * The rest is the lane's own.
 */
struct cs_lane {
	uint64_t ts;
	int32_t cpu;
	uint8_t state;
	bool ends_lost;
	bool held;    /* @record waits behind a LOST */
	bool pending; /* a loss is to be told before the next record */
	bool any;     /* there was a record */
	struct cs_record record;
	uint64_t lost;
	uint64_t pending_count;
	uint64_t until;
	uint64_t ends_count;
	struct cs_page page;
	const struct cs_page_layout *layout;
	struct cs_pages *pages;
	struct cs_notes *notes;
	uint64_t good;
	uint64_t bad;
};

/**
 * cs_lane_init - a lane before its first item
 * @lane: the lane
 * @cpu: its number
 * @layout: of its pages
 * @pages: its pages
 * @notes: gets a sentence for a corrupt page
 *
 * The lane is BLOCKED until cs_lane_next() is called.
 */
void cs_lane_init(struct cs_lane *lane, int32_t cpu, const struct cs_page_layout *layout,
		  struct cs_pages *pages, struct cs_notes *notes);

/** cs_lane_next_slow - cs_lane_next() at the end of a page. */
int cs_lane_next_slow(struct cs_lane *lane);

/**
 * cs_lane_next - go on to the next item
 * @lane: the lane; the state and all else change
 *
 * A time that goes backwards is delivered as it is.
 *
 * Return: 0, or -errno when the source failed.
 */
static inline int cs_lane_next(struct cs_lane *lane)
{
	if (lane->state == CS_LANE_RECORD &&
	    cs_page_next(&lane->page, &lane->record) == 1) {
		lane->ts = lane->page.ts;
		return 0;
	}
	return cs_lane_next_slow(lane);
}

#endif

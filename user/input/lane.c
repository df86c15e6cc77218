/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From page to page on one CPU.
 */
#include "user/input/lane.h"

void cs_lane_init(struct cs_lane *lane, int32_t cpu, const struct cs_page_layout *layout,
		  struct cs_pages *pages, struct cs_notes *notes)
{
	memset(lane, 0, sizeof(*lane));
	lane->cpu = cpu;
	lane->layout = layout;
	lane->pages = pages;
	lane->notes = notes;
	lane->state = CS_LANE_BLOCKED;
}

static void lose(struct cs_lane *lane, uint64_t count)
{
	/* Two losses before one record are one, of a known number if both are. */
	if (lane->pending)
		count = count && lane->pending_count ? count + lane->pending_count : 0;
	lane->pending = true;
	lane->pending_count = count;
}

static void corrupt(struct cs_lane *lane)
{
	char where[64] = "page";

	lane->bad++;
	if (lane->pages->where)
		lane->pages->where(lane->pages, where, sizeof(where));
	cs_notes_add(lane->notes, "CPU %d: corrupt %s; its events are lost", lane->cpu,
		     where);
	lose(lane, 0);
}

static void finish(struct cs_lane *lane)
{
	if (lane->ends_lost || lane->pages->cut) {
		lose(lane, lane->pages->cut ? 0 : lane->ends_count);
		lane->ends_lost = lane->pages->cut = false;
	}
	/* Without a record on this CPU a loss has no time, and nothing to spoil. */
	if (lane->pending && lane->any) {
		lane->pending = false;
		lane->lost = lane->pending_count;
		lane->state = CS_LANE_LOST;
		return;
	}
	lane->state = CS_LANE_ENDED;
}

static void deliver(struct cs_lane *lane)
{
	lane->any = true;
	lane->ts = lane->page.ts;
	lane->state = CS_LANE_RECORD;
	if (lane->pending) {
		lane->pending = false;
		lane->lost = lane->pending_count;
		lane->state = CS_LANE_LOST;
		lane->held = true;
	}
}

int cs_lane_next_slow(struct cs_lane *lane)
{
	const uint8_t *bytes;
	size_t size;
	int r;

	if (lane->state == CS_LANE_ENDED)
		return 0;
	if (lane->held) {
		lane->held = false;
		lane->state = CS_LANE_RECORD;
		return 0;
	}
	for (;;) {
		/* After an error the walk is where it failed: skip the page's rest. */
		if (lane->page.next != lane->page.end) {
			r = cs_page_next(&lane->page, &lane->record);
			if (r == 1) {
				deliver(lane);
				return 0;
			}
			lane->page.next = lane->page.end;
			if (r < 0)
				corrupt(lane);
		}

		r = lane->pages->next(lane->pages, &bytes, &size);
		if (r == 0) {
			finish(lane);
			return 0;
		}
		if (r == -EAGAIN) {
			lane->state = CS_LANE_BLOCKED;
			return 0;
		}
		if (r == -EBADMSG) {
			corrupt(lane);
			continue;
		}
		if (r < 0)
			return r;

		r = cs_page_begin(&lane->page, lane->layout, bytes, size);
		if (r < 0) {
			lane->page.next = lane->page.end;
			corrupt(lane);
			continue;
		}
		lane->good++;
		if (lane->page.lost >= 0)
			lose(lane, lane->page.lost);
	}
}

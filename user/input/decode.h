/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the bytes of a record to the canonical event.
 */
#ifndef CS_USER_INPUT_DECODE_H
#define CS_USER_INPUT_DECODE_H

#include "user/input/formats.h"

/**
 * struct cs_decoder - a trace's formats and the room that some events need
 * @format: the formats
 * @comms: copies of comms that are short or lie elsewhere in the record
 * @name: copy of a name without NUL
 * @broken: records that are shorter than their format says
 */
struct cs_decoder {
	const struct cs_format *format;
	char comms[2][CS_COMM_LEN];
	char name[64];
	uint64_t broken;
};

/**
 * cs_decode - decode one record
 * @decoder: the decoder
 * @record: the record; the event points into it and into @decoder
 * @ev: result; @ev->ts and @ev->cpu are left to the caller
 *
 * Never fails: what is not wanted, or is too short for its format, is
 * CS_EVENT_OTHER. An old sched_wakeup whose field success is 0 woke nobody
 * (kernel/sched_fair.c before 2.6.39, try_to_wake_up()) and is OTHER too.
 */
void cs_decode(struct cs_decoder *decoder, const struct cs_record *record,
	       struct cs_event *ev);

#endif

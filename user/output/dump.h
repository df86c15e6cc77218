/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events as text, so that a trace can be read, cut down and sent with a bug
 * report. The format is doc/text-events.md; reader_text.c reads it back.
 */
#ifndef CS_USER_OUTPUT_DUMP_H
#define CS_USER_OUTPUT_DUMP_H

#include <stdio.h>

#include "analysis/event.h"
#include "analysis/report.h"

/**
 * struct cs_dump - a dump under way
 * @out: where it goes
 * @notes: how many notes of the source have been written
 */
struct cs_dump {
	FILE *out;
	uint32_t notes;
};

/**
 * cs_dump_begin - write the head
 * @dump: filled
 * @out: the stream; ferror(3) tells the caller of write errors
 * @source: where the events come from
 */
void cs_dump_begin(struct cs_dump *dump, FILE *out, const struct cs_source *source);

/** cs_dump_event - write one event, losing nothing of it. */
void cs_dump_event(struct cs_dump *dump, const struct cs_event *ev);

/** cs_dump_end - write the notes that came up since cs_dump_begin(). */
void cs_dump_end(struct cs_dump *dump, const struct cs_source *source);

#endif

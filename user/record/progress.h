/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a person sees while a recording runs: one line, rewritten every
 * second, on a terminal only.
 */
#ifndef CS_USER_RECORD_PROGRESS_H
#define CS_USER_RECORD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct cs_progress - the line
 * @fd: the terminal; -1: show nothing
 * @shown: the line is there
 * @events: at the last update
 * @time_ns: of the last update
 */
struct cs_progress {
	int fd;
	bool shown;
	uint64_t events;
	uint64_t time_ns;
};

/**
 * cs_progress_init - begin
 * @progress: filled
 * @fd: where; nothing is shown when it is no terminal
 * @quiet: show nothing
 */
void cs_progress_init(struct cs_progress *progress, int fd, bool quiet);

/**
 * cs_progress_update - rewrite the line
 * @progress: the line
 * @time_ns: since the beginning
 * @events: recorded by now
 * @bytes: on the disk by now
 * @lost: events lost by now
 */
void cs_progress_update(struct cs_progress *progress, uint64_t time_ns, uint64_t events,
			uint64_t bytes, uint64_t lost);

/** cs_progress_clear - wipe the line, for other text or the end. */
void cs_progress_clear(struct cs_progress *progress);

#endif

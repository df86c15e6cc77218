/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The line that shows a running recording.
 */
#include "user/record/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "user/record/io.h"

/* ECMA-48: to the first column, erase to the end of the line. */
#define WIPE "\r\033[K"

void cs_progress_init(struct cs_progress *progress, int fd, bool quiet)
{
	*progress = (struct cs_progress){.fd = !quiet && isatty(fd) ? fd : -1};
}

void cs_progress_update(struct cs_progress *progress, uint64_t time_ns, uint64_t events,
			uint64_t bytes, uint64_t lost)
{
	char rate[CS_IO_TEXT];
	char size[CS_IO_TEXT];
	char loss[CS_IO_TEXT];
	char line[256];
	double seconds = (double)(time_ns - progress->time_ns) / 1e9;
	double rate_now = seconds > 0 ? (double)(events - progress->events) / seconds : 0;
	int length;

	if (progress->fd < 0)
		return;
	length = snprintf(line, sizeof(line),
			  WIPE "recording %.0f s, %s events/s, %s, %s lost",
			  (double)time_ns / 1e9,
			  cs_io_count_text((uint64_t)rate_now, rate),
			  cs_io_size_text(bytes, size), cs_io_count_text(lost, loss));
	(void)!write(progress->fd, line, (size_t)length);
	progress->shown = true;
	progress->events = events;
	progress->time_ns = time_ns;
}

void cs_progress_clear(struct cs_progress *progress)
{
	if (progress->shown)
		(void)!write(progress->fd, WIPE, strlen(WIPE));
	progress->shown = false;
}

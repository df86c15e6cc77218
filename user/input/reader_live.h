/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reader of a running kernel: the ring buffers of a tracefs instance that
 * somebody else has set up.
 */
#ifndef CS_USER_INPUT_READER_LIVE_H
#define CS_USER_INPUT_READER_LIVE_H

#include "user/input/reader.h"

/**
 * cs_reader_live_open - read the events of an instance as they come
 * @dir: the instance's directory, as /sys/kernel/tracing/instances/NAME
 * @error: on failure: one line that names what is wrong and what to do
 *
 * Formats come from @dir/events, records from @dir/per_cpu/cpuN/trace_pipe_raw without
 * waiting. Reading consumes: two readers of one instance take the events from each
 * other. Events are delivered in the order of time, some 10 ms after they happened, so
 * that the other CPUs' earlier ones can be in.
 *
 * cs_reader_next() returns -EAGAIN when there is nothing yet; ask again after 20 ms or
 * more. It asks the kernel no oftener than that.
 *
 * Return: the reader, NULL on failure.
 */
struct cs_reader *cs_reader_live_open(const char *dir, struct cs_error *error);

/**
 * cs_reader_live_stop - nothing more will come
 * @reader: of cs_reader_live_open(), after tracing was switched off
 *
 * What is in the buffers is still delivered, then cs_reader_next() returns 0.
 */
void cs_reader_live_stop(struct cs_reader *reader);

#endif

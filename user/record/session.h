/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An instance of the kernel's tracing that is ours alone: made, set up,
 * switched on and off, removed. Nothing outside of it is changed.
 */
#ifndef CS_USER_RECORD_SESSION_H
#define CS_USER_RECORD_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/error.h"
#include "user/parse.h"
#include "user/record/events.h"

struct tracefs_instance;

/**
 * struct cs_session - our instance
 * @instance: NULL: none
 * @cpus: the CPUs that are recorded, ascending
 * @cpu_count: how many
 * @page_size: bytes of one page of the ring buffer
 * @clock: the clock in use
 * @clocks: all of them, ours in brackets
 * @all_cpus: no list of CPUs was given
 * @tracing_fd: tracing_on, or -1
 */
struct cs_session {
	struct tracefs_instance *instance;
	uint32_t *cpus;
	size_t cpu_count;
	uint32_t page_size;
	char *clock;
	char *clocks;
	bool all_cpus;
	int tracing_fd;
};

/**
 * struct cs_session_options - how to set it up
 * @buffer_kb: size of the buffer of each CPU, KB
 * @clock: name of a trace clock; NULL: mono where there is one, else local
 * @cpus: CPUs to record; empty: all that are online
 */
struct cs_session_options {
	uint32_t buffer_kb;
	const char *clock;
	struct cs_ranges cpus;
};

/**
 * struct cs_session_stats - what the kernel counted
 * @events: written
 * @lost: overwritten or dropped before we read them
 */
struct cs_session_stats {
	uint64_t events;
	uint64_t lost;
};

/**
 * cs_session_find - find tracefs, and whether we may use it
 * @error: on failure: what to do about it
 *
 * To be called before anything else here; mounts nothing.
 *
 * Return: 0, -ENODEV (not mounted), -EACCES or -errno.
 */
int cs_session_find(struct cs_error *error);

/** cs_session_forget - free what cs_session_find() keeps. */
void cs_session_forget(void);

/**
 * cs_session_sweep - remove the instances of recorders that live no more
 *
 * Return: how many.
 */
int cs_session_sweep(void);

/**
 * cs_session_open - make the instance, switched off, and set it up
 * @session: filled; close with cs_session_close() also on failure
 * @options: how
 * @events: what to record
 * @error: on failure
 *
 * Return: 0 or -errno.
 */
int cs_session_open(struct cs_session *session, const struct cs_session_options *options,
		    const struct cs_events *events, struct cs_error *error);

/**
 * cs_session_file - open a file of the instance
 * @session: the session
 * @name: as "per_cpu/cpu0/trace_pipe_raw"
 * @flags: of open(2)
 *
 * Return: a descriptor or -errno.
 */
int cs_session_file(const struct cs_session *session, const char *name, int flags);

/**
 * cs_session_switch - switch tracing on or off
 * @session: the session
 * @on: which
 *
 * Return: 0 or -errno.
 */
int cs_session_switch(struct cs_session *session, bool on);

/**
 * cs_session_stats - count of all its CPUs
 * @session: the session
 * @stats: result
 */
void cs_session_stats(const struct cs_session *session, struct cs_session_stats *stats);

/**
 * cs_session_cpu_stats - the kernel's own text on one CPU's buffer
 * @session: the session
 * @cpu: the CPU
 * @stats: added to; NULL is taken
 *
 * Return: "CPU: 0\nentries: ...", to be freed with free(); NULL on failure.
 */
char *cs_session_cpu_stats(const struct cs_session *session, uint32_t cpu,
			   struct cs_session_stats *stats);

/** cs_session_saved_cmdlines - names the kernel kept; free(); NULL: none. */
char *cs_session_saved_cmdlines(void);

/**
 * cs_session_new_cpu - a CPU that came online and is not recorded
 * @session: the session
 *
 * Return: its number, -1 when there is none.
 */
int cs_session_new_cpu(const struct cs_session *session);

/**
 * cs_session_close - remove the instance and free all
 * @session: every descriptor from cs_session_file() is closed before
 * @error: on failure
 *
 * Return: 0 or -errno.
 */
int cs_session_close(struct cs_session *session, struct cs_error *error);

#endif

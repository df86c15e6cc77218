/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording from its beginning to the finished file.
 */
#ifndef CS_USER_RECORD_RECORD_H
#define CS_USER_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/error.h"
#include "user/record/kmod.h"
#include "user/record/session.h"

/**
 * struct cs_record_options - what the user asks for
 * @path: FILE
 * @duration_ns: end after this; 0: no limit
 * @session: buffers, clock, CPUs
 * @events: names of events
 * @event_count: how many
 * @analyses: known analyses whose events are wanted
 * @analysis_count: how many
 * @module: whether to use the kernel module
 * @force: replace a FILE that is not ours
 * @quiet: say nothing but errors and losses
 * @command: command and arguments, ended by NULL; NULL: none
 */
struct cs_record_options {
	const char *path;
	uint64_t duration_ns;
	struct cs_session_options session;
	char **events;
	size_t event_count;
	char **analyses;
	size_t analysis_count;
	enum cs_kmod_mode module;
	bool force;
	bool quiet;
	char **command;
};

/**
 * cs_record_run - record until the command ends, the time is over or a signal
 * @options: what
 * @error: on failure: what is wrong and what was kept
 *
 * Whatever happens, the kernel's tracing is as before when this returns.
 *
 * Return: 0 or -errno.
 */
int cs_record_run(const struct cs_record_options *options, struct cs_error *error);

#endif

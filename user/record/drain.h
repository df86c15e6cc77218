/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moves the ring buffer of each CPU into a file, one thread for each, without
 * the pages passing through user space.
 */
#ifndef CS_USER_RECORD_DRAIN_H
#define CS_USER_RECORD_DRAIN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/error.h"
#include "user/record/session.h"

/**
 * struct cs_drain - one CPU
 * @set: the set it belongs to
 * @thread: its thread
 * @cpu: the CPU
 * @path: FILE.cpuN once it is made, or NULL
 * @source: trace_pipe_raw, or -1
 * @file: FILE.cpuN, or -1
 * @pipe: what splice(2) needs between them
 * @pipe_size: bytes that fit into it
 * @page: one page, for the part of a page at the end
 * @bytes: written to @file; read by others while it runs
 * @code: why it stopped early: -errno
 * @at_source: @code came from reading
 * @by_hand: the file system takes no splice
 * @running: @thread is to be joined
 */
struct cs_drain {
	struct cs_drains *set;
	pthread_t thread;
	uint32_t cpu;
	char *path;
	int source;
	int file;
	int pipe[2];
	size_t pipe_size;
	char *page;
	_Atomic uint64_t bytes;
	int code;
	bool at_source;
	bool by_hand;
	bool running;
};

/**
 * struct cs_drains - all CPUs
 * @drains: one each
 * @count: how many
 * @page_size: bytes of a page of the ring buffer
 * @stop: eventfd(2): finish
 * @fault: eventfd(2): one of them failed; poll it
 */
struct cs_drains {
	struct cs_drain *drains;
	size_t count;
	uint32_t page_size;
	int stop;
	int fault;
};

/**
 * cs_drains_start - open the files and start the threads
 * @drains: filled; end with cs_drains_stop() and cs_drains_close(), also on failure
 * @session: its CPUs, switched off
 * @part: the pages of CPU N go to @part.cpuN, which must not exist
 * @error: on failure
 *
 * Return: 0 or -errno.
 */
int cs_drains_start(struct cs_drains *drains, const struct cs_session *session,
		    const char *part, struct cs_error *error);

/** cs_drains_bytes - written by now. */
uint64_t cs_drains_bytes(const struct cs_drains *drains);

/**
 * cs_drains_stop - drain what is left, tracing being off, and end the threads
 * @drains: started
 * @error: on failure: why the first of them had to stop early
 *
 * Return: 0 or -errno.
 */
int cs_drains_stop(struct cs_drains *drains, struct cs_error *error);

/**
 * cs_drains_close - close the files; the instance can be removed then
 * @drains: stopped
 * @keep: else the files it made are removed
 */
void cs_drains_close(struct cs_drains *drains, bool keep);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel module ctxsw, as a recording sees it: whether it is loaded and fits, what
 * it measures, and what stands in its way.
 */
#ifndef CS_USER_RECORD_KMOD_H
#define CS_USER_RECORD_KMOD_H

#include <stdbool.h>
#include <stddef.h>

#include "user/error.h"

/* Longest marker that tells of the module, with its newline. */
#define CS_KMOD_MARKER 512

enum cs_kmod_mode {
	CS_KMOD_AUTO,	 /* when it is loaded and fits */
	CS_KMOD_REQUIRE, /* else nothing is recorded */
	CS_KMOD_OFF,
};

/**
 * struct cs_kmod - what the module says of itself
 * @abi: its ABI version
 * @phases: the phases that it measures, "prepare, mm, switch_to, finish"; or ""
 * @costs: what its hooks add to each phase, "prepare:30,mm:60,..."; or ""
 * @cost_ns: to a switch in all
 */
struct cs_kmod {
	long abi;
	char phases[96];
	char costs[160];
	unsigned long cost_ns;
};

/**
 * cs_kmod_read - ask the module
 * @kmod: filled
 * @root: where /sys and /proc are: "", or another place in tests
 * @error: on failure: why it is of no use, and what to do
 *
 * Return: 0; -ENOENT not loaded; -EPROTO another ABI; -EPERM its hooks are off.
 */
int cs_kmod_read(struct cs_kmod *kmod, const char *root, struct cs_error *error);

/**
 * cs_kmod_marker - the line that carries this into a trace
 * @kmod: of cs_kmod_read()
 * @line: room for CS_KMOD_MARKER bytes
 *
 * "ctxsw:module abi=1 phases=prepare,mm cost_ns=prepare:30,mm:60".
 *
 * Return: its length, with the newline.
 */
size_t cs_kmod_marker(const struct cs_kmod *kmod, char *line);

/** struct cs_kmod_obstacle - why the module is not loaded, and what helps. */
struct cs_kmod_obstacle {
	const char *found;
	const char *mend;
};

/** cs_kmod_obstacle - what stands in the way of loading it on this kernel. */
struct cs_kmod_obstacle cs_kmod_obstacle(void);

#endif

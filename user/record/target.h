/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a recording goes: FILE, which appears only when it is whole, and
 * FILE.part beside it, locked by the recorder that fills it.
 */
#ifndef CS_USER_RECORD_TARGET_H
#define CS_USER_RECORD_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "user/error.h"

/**
 * struct cs_target - the output files
 * @path: FILE
 * @part: FILE.part
 * @old: FILE.old
 * @fd: FILE.part, locked
 * @force: replace a FILE that is not ours
 * @recovered: bytes of an earlier, killed recording that FILE now holds
 * @leftover: a killed recording was found
 * @renamed: cs_target_commit() found a FILE of ours, now FILE.old
 */
struct cs_target {
	char *path;
	char *part;
	char *old;
	int fd;
	bool force;
	bool leftover;
	bool renamed;
	uint64_t recovered;
};

/**
 * cs_target_open - check FILE, finish what a killed recorder left, lock FILE.part
 * @target: filled; close with cs_target_close() also on failure
 * @path: FILE
 * @force: replace a FILE or FILE.part that is not ours
 * @error: on failure
 *
 * Return: 0, -EEXIST (FILE is not ours), -EBUSY (a live recorder writes it)
 * or -errno.
 */
int cs_target_open(struct cs_target *target, const char *path, bool force,
		   struct cs_error *error);

/** cs_target_there - whether FILE.part, which we have open, still has that name. */
bool cs_target_there(const struct cs_target *target);

/**
 * cs_target_commit - the recording is whole: FILE.part becomes FILE
 * @target: open
 * @error: on failure; FILE.part stays
 *
 * A FILE of ours becomes FILE.old.
 *
 * Return: 0 or -errno.
 */
int cs_target_commit(struct cs_target *target, struct cs_error *error);

/** cs_target_discard - nothing was recorded: remove FILE.part. */
void cs_target_discard(struct cs_target *target);

/** cs_target_close - unlock and free. */
void cs_target_close(struct cs_target *target);

#endif

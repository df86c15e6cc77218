/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that appears whole or not at all: written beside its place, then moved
 * there. Standard output, pipes and devices are written directly.
 */
#ifndef CS_USER_OUTFILE_H
#define CS_USER_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "user/error.h"

/**
 * struct cs_outfile - an output under way
 * @stream: to write to
 * @path: where it will be; NULL for standard output
 * @temporary: its name until then; NULL while it has none
 * @direct: written in place
 */
struct cs_outfile {
	FILE *stream;
	char *path;
	char *temporary;
	bool direct;
};

/**
 * cs_outfile_open - begin to write
 * @file: filled
 * @path: the file; NULL or "-" for standard output
 * @input: a file that must not be overwritten, or NULL
 * @error: on failure
 *
 * What was at @path stays there until cs_outfile_commit(). A symbolic link is
 * followed; a file that was there gives its mode to the new one.
 *
 * Return: 0 or -errno.
 */
int cs_outfile_open(struct cs_outfile *file, const char *path, const char *input,
		    struct cs_error *error);

/**
 * cs_outfile_flush - write what is buffered, and tell of every error so far
 * @stream: the stream
 *
 * An error may have happened long ago, when nobody looked at errno: then one
 * more byte is tried, to learn why.
 *
 * Return: 0 or -errno.
 */
int cs_outfile_flush(FILE *stream);

/**
 * cs_outfile_commit - all is written: move it to its place
 * @file: the file; closed in any case
 * @error: on failure, then nothing is changed at its place; stays empty for
 *	   a reader of a pipe that has gone away, which is no news to anybody
 *
 * Return: 0 or -errno.
 */
int cs_outfile_commit(struct cs_outfile *file, struct cs_error *error);

/** cs_outfile_abandon - close and forget what was written; takes a committed one. */
void cs_outfile_abandon(struct cs_outfile *file);

#endif

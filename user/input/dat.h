/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file trace.dat, versions 6 and 7: what is in it and where each CPU's pages are.
 * The formats are those of trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5).
 */
#ifndef CS_USER_INPUT_DAT_H
#define CS_USER_INPUT_DAT_H

#include <sys/types.h>

#include "user/error.h"
#include "user/input/compress.h"
#include "user/input/formats.h"

/* The first ten bytes of every trace.dat. */
#define CS_DAT_MAGIC	  "\x17\x08\x44tracing"
#define CS_DAT_MAGIC_SIZE 10

/**
 * struct cs_dat_range - pages of one CPU
 * @cpu: its number
 * @truncated: the file ends before the range does
 * @offset: where they begin in the file
 * @size: bytes that are there
 * @rest: a file with the pages that follow, when the recording was not finished;
 *	  else NULL
 * @rest_offset: where these begin in it
 * @rest_size: their bytes
 * @dropped: events that the kernel had no room for, beyond what the pages tell
 */
struct cs_dat_range {
	int32_t cpu;
	bool truncated;
	uint64_t offset;
	uint64_t size;
	char *rest;
	uint64_t rest_offset;
	uint64_t rest_size;
	uint64_t dropped;
};

/**
 * struct cs_dat_buffer - one buffer instance
 * @name: "" for the main one
 * @clock: its trace clock, or NULL
 * @page_size: bytes of its sub-buffers
 * @compressed: its pages are in compressed chunks
 * @ranges: @count of them; one for each CPU with or without data
 */
struct cs_dat_buffer {
	char *name;
	char *clock;
	uint32_t page_size;
	bool compressed;
	struct cs_dat_range *ranges;
	uint32_t count;
};

/**
 * struct cs_dat - an open trace.dat
 * @path: as given
 * @fd: the file
 * @size: its bytes
 * @version: 6 or 7
 * @format: formats of its events; the layout is complete but for @layout.size
 * @compress: decompressor; NULL when nothing is compressed
 * @buffers: @buffers_count of them, the main one first if there is one
 * @clock: current trace clock, or NULL
 * @kernel: release of the traced kernel, or NULL
 * @arch: its machine, or NULL
 * @cpus: CPUs that the traced machine had; 0: unknown
 * @tsc_mult: for the clock x86-tsc: ns = ticks * @tsc_mult >> @tsc_shift; 0: none
 * @tsc_shift: see there
 * @unfinished: there are files beside it with pages that are not moved in yet
 */
struct cs_dat {
	char *path;
	int fd;
	uint64_t size;
	unsigned int version;
	uint32_t page_size;
	struct cs_format *format;
	struct cs_compress *compress;
	struct cs_dat_buffer *buffers;
	uint32_t buffers_count;
	char *clock;
	char *kernel;
	char *arch;
	uint32_t cpus;
	uint32_t tsc_mult;
	uint32_t tsc_shift;
	bool unfinished;
	void *packed; /* room for a compressed chunk, for all CPUs */
	size_t packed_room;
};

/**
 * cs_dat_open - read everything but the events
 * @dat: result; cs_dat_close() it, also after an error
 * @path: the file
 * @notes: gets what a person must know
 * @error: on failure: "FILE: what is wrong"
 *
 * Return: 0; -EBADMSG when the file is damaged, truncated or of an unknown kind;
 * -ENODATA when no sched events can be in it; other -errno of the system.
 */
int cs_dat_open(struct cs_dat *dat, const char *path, struct cs_notes *notes,
		struct cs_error *error);

/** cs_dat_close - close and free all. */
void cs_dat_close(struct cs_dat *dat);

/** cs_dat_read - bytes at @offset. Return: how many, less only at the end; or -errno. */
ssize_t cs_dat_read(int fd, void *to, size_t size, uint64_t offset);

/** cs_dat_ns - the time of a record in ns. */
static inline uint64_t cs_dat_ns(const struct cs_dat *dat, uint64_t ts)
{
	if (!dat->tsc_mult)
		return ts;
	return (unsigned __int128)ts * dat->tsc_mult >> dat->tsc_shift;
}

#endif

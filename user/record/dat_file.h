/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace.dat of version 6 as we write it: the metadata is complete from the
 * start, the pages of each CPU wait in FILE.cpuN until they are moved in.
 */
#ifndef CS_USER_RECORD_DAT_FILE_H
#define CS_USER_RECORD_DAT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/error.h"

/**
 * struct cs_dat_head - what never changes: the formats
 * @name: the file's, for messages
 * @systems: event systems whose formats go into the file
 * @count: how many
 * @page_size: bytes of one page of the ring buffer
 * @symbols: put the kernel's symbols in (an event prints one)
 */
struct cs_dat_head {
	const char *name;
	char *const *systems;
	size_t count;
	uint32_t page_size;
	bool symbols;
};

/**
 * struct cs_dat_tail - what is written at the start and again at the end
 * @name: the file's, for messages
 * @cmdlines: lines "PID COMM"
 * @cmdlines_size: their bytes
 * @clocks: the clocks of the kernel with ours in brackets: "local [mono]"
 * @clock: ours
 * @stats: text of each CPU's statistics, by CPU number; NULL for none
 * @cpus: CPUs of the machine, recorded or not; above the highest recorded number
 */
struct cs_dat_tail {
	const char *name;
	const char *cmdlines;
	size_t cmdlines_size;
	const char *clocks;
	const char *clock;
	char *const *stats;
	uint32_t cpus;
};

/**
 * struct cs_dat_info - what cs_dat_probe() found
 * @version: text of the VERSION option; "" for none
 * @ours: written by ctxsw
 * @page_size: bytes of one page of the ring buffer
 * @cpus: entries in the table of CPUs
 * @table: offset of that table: {offset, size} of each CPU, 64 bit each
 * @end: offset of the first byte behind all metadata
 */
struct cs_dat_info {
	char version[64];
	bool ours;
	uint32_t page_size;
	uint32_t cpus;
	uint64_t table;
	uint64_t end;
};

/**
 * cs_dat_head_write - begin a file: formats from the kernel's tracefs
 * @fd: empty file, open for reading and writing
 * @head: what to write
 * @tail: offset where cs_dat_tail_write() goes on
 * @error: on failure
 *
 * Return: 0 or -errno.
 */
int cs_dat_head_write(int fd, const struct cs_dat_head *head, uint64_t *tail,
		      struct cs_error *error);

/**
 * cs_dat_tail_write - complete the metadata, with no data yet
 * @fd: the file
 * @offset: from cs_dat_head_write(); what follows is replaced
 * @tail: what to write
 * @error: on failure
 *
 * Return: 0 or -errno.
 */
int cs_dat_tail_write(int fd, uint64_t offset, const struct cs_dat_tail *tail,
		      struct cs_error *error);

/**
 * cs_dat_reserve - keep room on the disk so that data can be moved on a full one
 * @fd: the file with its metadata; cs_dat_tail_write() calls it
 *
 * Where the file system cannot, a full disk leaves the file and its pages apart.
 */
void cs_dat_reserve(int fd);

/**
 * cs_dat_probe - find out what a file is
 * @fd: the file
 * @info: result
 *
 * Return: 0, -EILSEQ (not a trace.dat of version 6 and of this machine's byte
 * order, or cut within its metadata) or -errno.
 */
int cs_dat_probe(int fd, struct cs_dat_info *info);

/**
 * cs_dat_cpu_path - name of the file with one CPU's pages
 * @path: the file with the metadata
 * @cpu: the CPU
 *
 * Return: the name, to be freed with free(); NULL: no memory.
 */
char *cs_dat_cpu_path(const char *path, uint32_t cpu);

/**
 * cs_dat_finish - move the pages of PATH.cpu0, PATH.cpu1 ... into PATH
 * @path: the file with the metadata
 * @fd: it, open for reading and writing
 * @bytes: data in the file now
 * @error: on failure
 *
 * Disk space is given back while it goes on, and after each piece the file
 * and what is left of PATH.cpuN are the whole recording: the pages of a CPU
 * are those that the table says, then PATH.cpuN from that size on. So it can
 * be called again after it was killed or the disk was full.
 *
 * Return: 0, -EILSEQ (PATH is not such a file) or -errno.
 */
int cs_dat_finish(const char *path, int fd, uint64_t *bytes, struct cs_error *error);

/**
 * cs_dat_remove - remove PATH and its PATH.cpuN, silently
 * @path: the file with the metadata
 */
void cs_dat_remove(const char *path);

#endif

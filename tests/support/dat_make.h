/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests: pages of a ring buffer and trace.dat files of both versions, made in memory
 * from the documented formats, in either byte order.
 */
#ifndef CS_TESTS_SUPPORT_DAT_MAKE_H
#define CS_TESTS_SUPPORT_DAT_MAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- formats ---------------------------------------------------------------------- */

struct make_format {
	char *system; /* "sched"; NULL for header_page */
	char *name;   /* "sched_switch" */
	char *text;
};

struct make_formats {
	struct make_format *list;
	unsigned int count;
};

/* Reads tests/data/formats/KERNEL; the test ends when it is not there. */
void make_formats_load(struct make_formats *formats, const char *kernel);
void make_formats_free(struct make_formats *formats);
/* "sched_switch" or "header_page"; NULL when there is none. */
struct make_format *make_formats_find(const struct make_formats *formats,
				      const char *name);

/* ---- pages ------------------------------------------------------------------------ */

struct make_page {
	uint8_t *bytes;
	uint32_t size;
	uint32_t used;
	uint32_t header;
	unsigned int commit_size;
	bool big;
	uint64_t ts;
};

/* An empty page; its first record's delta counts from @ts. */
void make_page_begin(struct make_page *page, uint32_t size, unsigned int commit_size,
		     bool big, uint64_t ts);
/* A record at @ts, with a TIME_EXTEND before it where the delta needs one. */
void make_page_record(struct make_page *page, uint64_t ts, const void *data,
		      uint32_t length);
/* A four-byte word of the records: head or payload. */
void make_page_word(struct make_page *page, uint32_t word);
/* Head word of a record. */
void make_page_head(struct make_page *page, uint32_t type_len, uint32_t delta);
/* Writes the commit word: @flags are bits 30 and 31; @lost goes behind the records. */
void make_page_end(struct make_page *page, uint32_t flags, uint64_t lost);
void make_page_free(struct make_page *page);

void make_put16(void *to, uint16_t value, bool big);
void make_put32(void *to, uint32_t value, bool big);
void make_put64(void *to, uint64_t value, bool big);

/* Records by the offsets that tests/data/formats has for them; the return is the length. */
uint32_t make_switch(uint8_t *data, const char *kernel, bool big, int32_t prev,
		     uint64_t state, int32_t next);
uint32_t make_waking(uint8_t *data, const char *kernel, bool big, int32_t by, int32_t pid,
		     int32_t cpu);

/* ---- files ------------------------------------------------------------------------ */

struct make_cpu {
	uint32_t cpu;
	const uint8_t *pages;
	size_t size;
	uint64_t claim; /* bytes that the table claims; 0: @size */
};

struct make_buffer {
	const char *name; /* "" for the main one */
	const struct make_cpu *cpus;
	unsigned int count;
};

struct make_option {
	uint16_t id;
	const void *data;
	uint32_t size;
};

struct make_dat {
	const char *version; /* "6", "7" */
	bool big;
	uint8_t user_long; /* the long of user space; no one should believe it */
	uint32_t page_size;
	const char *method; /* "none", "zstd", "zlib"; version 7 */
	uint32_t chunk;	    /* bytes of a compressed chunk; 0: ten pages */
	const struct make_formats *formats;
	const struct make_buffer *buffers; /* the main one first */
	unsigned int buffers_count;
	const struct make_option *options;
	unsigned int options_count;
	const char *clock; /* NULL: no TRACECLOCK option */
	bool no_options;   /* version 6 without an options section */
};

/* The file in memory, to be freed; the test ends when it cannot be made. */
uint8_t *make_dat(const struct make_dat *dat, size_t *size);
/* Writes @bytes to a new file; its path is to be freed with make_unlink(). */
char *make_file(const void *bytes, size_t size);
void make_unlink(char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of one sub-buffer ("page") of the kernel's ring buffer, in the order
 * in which they were written. Knows neither events nor files.
 */
#ifndef CS_USER_INPUT_PAGE_H
#define CS_USER_INPUT_PAGE_H

#include <errno.h>
#include <stddef.h>

#include "user/input/bytes.h"

/*
 * Sub-buffers have 1 to 128 pages (kernel/trace/trace.c, buffer_subbuf_size_write()), a
 * page of the machine at most 64 KiB.
 */
#define CS_PAGE_SIZE_MIN 512
#define CS_PAGE_SIZE_MAX (128u * 65536)

/* RINGBUF_TYPE_* of include/linux/ring_buffer.h */
#define CS_RECORD_DATA_MAX    28
#define CS_RECORD_PADDING     29
#define CS_RECORD_TIME_EXTEND 30
#define CS_RECORD_TIME_STAMP  31

/**
 * struct cs_page_layout - what is the same for all pages of a trace
 * @size: bytes of a page with its header
 * @data: where the records begin
 * @commit: where the commit word is
 * @commit_size: its bytes: the kernel's long, 4 or 8
 * @big: the traced machine was big-endian
 * @swap: its numbers have to be swapped here
 */
struct cs_page_layout {
	uint32_t size;
	uint32_t data;
	uint32_t commit;
	uint8_t commit_size;
	bool big;
	bool swap;
};

/**
 * struct cs_page - a walk over one page
 * @next: first byte not read yet
 * @end: end of the committed records
 * @ts: time of the last record, ns of the trace clock; at first the page's
 * @lost: events lost just before this page: -1 none, 0 an unknown number
 * @big: see struct cs_page_layout
 * @swap: the same
 */
struct cs_page {
	const uint8_t *next;
	const uint8_t *end;
	uint64_t ts;
	int64_t lost;
	bool big;
	bool swap;
};

/**
 * struct cs_record - one record of a page
 * @data: its payload: an event beginning with common_type
 * @length: bytes of it; the kernel rounds up to four
 */
struct cs_record {
	const uint8_t *data;
	uint32_t length;
};

/**
 * cs_page_layout_parse - learn the layout from events/header_page
 * @layout: @data, @commit and @commit_size are set; @size too, to what this text
 *	    says of the main buffer; @big and @swap are left alone
 * @text: the file's text; need not end with NUL
 * @length: bytes of it
 *
 * The size of the field "commit" is the kernel's long; the long of a trace.dat's
 * first bytes is that of user space.
 *
 * Return: 0, or -EBADMSG when a field is missing or makes no sense.
 */
int cs_page_layout_parse(struct cs_page_layout *layout, const char *text, size_t length);

/**
 * cs_page_begin - begin to walk over a page
 * @page: the walk
 * @layout: the trace's layout
 * @bytes: the page; must stay until the walk is over
 * @size: how many of its bytes are there: @layout->size, less only for the last
 *
 * The flags in the commit word are RB_MISSED_EVENTS (bit 31) and
 * RB_MISSED_STORED (bit 30: the number stands behind the records) of
 * kernel/trace/ring_buffer.c, ring_buffer_read_page().
 *
 * Return: 1; 0 when nothing was ever written to it; -EBADMSG when it says that it
 * holds more than fits.
 */
int cs_page_begin(struct cs_page *page, const struct cs_page_layout *layout,
		  const uint8_t *bytes, size_t size);

/** cs_page_next_slow - cs_page_next() for everything but a little-endian short record. */
int cs_page_next_slow(struct cs_page *page, struct cs_record *record);

/**
 * cs_page_next - the next record
 * @page: the walk; @page->ts becomes the time of the record
 * @record: the record
 *
 * Return: 1; 0 at the end; -EBADMSG when the bytes make no sense: nothing after
 * them can be trusted.
 */
static inline int cs_page_next(struct cs_page *page, struct cs_record *record)
{
	const uint8_t *at = page->next;
	uint32_t head, type, length;

	/* The common case must stay free of everything rare, of other byte orders too. */
	if (__builtin_expect(!page->big && !CS_HOST_BIG && page->end - at >= 8, 1)) {
		head = cs_load32(at, false);
		type = head & 31;
		length = type * 4;
		if (__builtin_expect(type - 1 < CS_RECORD_DATA_MAX &&
					     page->end - at >= (ptrdiff_t)(4 + length),
				     1)) {
			page->ts += head >> 5;
			page->next = at + 4 + length;
			record->data = at + 4;
			record->length = length;
			return 1;
		}
	}
	return cs_page_next_slow(page, record);
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sub-buffers of the kernel's ring buffer: header, losses, time, padding.
 */
#include "user/input/page.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * RB_MISSED_EVENTS and RB_MISSED_STORED of kernel/trace/ring_buffer.c. The first is an
 * int there, and negative: added to a 64-bit commit word it fills the upper half.
 */
#define MISSED_EVENTS (UINT32_C(1) << 31)
#define MISSED_STORED (UINT32_C(1) << 30)

/* An absolute time stamp has 59 bits; these come from the page. */
#define TS_MSB (UINT64_C(0xf8) << 56)

/* The header is a few lines; anything this long is something else. */
#define HEADER_TEXT_MAX 4096

struct field {
	unsigned long offset;
	unsigned long size;
};

static bool number_after(const char *line, const char *key, unsigned long *value)
{
	const char *at = strstr(line, key);
	char *end;

	if (!at)
		return false;
	at += strlen(key);
	*value = strtoul(at, &end, 10);
	return end != at && *value <= CS_PAGE_SIZE_MAX;
}

/* A line such as "field: local_t commit;	offset:8;	size:8;	signed:1;" */
static bool find_field(const char *text, const char *name, struct field *field)
{
	char line[256];

	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length < sizeof(line)) {
			memcpy(line, text, length);
			line[length] = '\0';

			const char *at = strstr(line, name);

			if (at && number_after(at, "offset:", &field->offset) &&
			    number_after(at, "size:", &field->size))
				return true;
		}
		text += length;
		text += *text == '\n';
	}
	return false;
}

int cs_page_layout_parse(struct cs_page_layout *layout, const char *text, size_t length)
{
	char copy[HEADER_TEXT_MAX];
	struct field ts, commit, data;

	if (length >= sizeof(copy))
		return -EBADMSG;
	memcpy(copy, text, length);
	copy[length] = '\0';

	if (!find_field(copy, " timestamp;", &ts) ||
	    !find_field(copy, " commit;", &commit) || !find_field(copy, " data;", &data))
		return -EBADMSG;
	if (ts.offset || ts.size != 8 || commit.offset < 8 ||
	    (commit.size != 4 && commit.size != 8) ||
	    data.offset < commit.offset + commit.size ||
	    data.offset > CS_PAGE_SIZE_MIN / 2)
		return -EBADMSG;
	layout->commit = commit.offset;
	layout->commit_size = commit.size;
	layout->data = data.offset;
	layout->size = data.offset + data.size;
	return 0;
}

int cs_page_begin(struct cs_page *page, const struct cs_page_layout *layout,
		  const uint8_t *bytes, size_t size)
{
	uint64_t commit, length;

	if (size < layout->data)
		return -EBADMSG;
	page->ts = cs_load64(bytes, layout->swap);
	if (layout->commit_size == 8)
		commit = cs_load64(bytes + layout->commit, layout->swap);
	else
		commit = cs_load32(bytes + layout->commit, layout->swap);
	if (commit >> 32 == UINT32_MAX && commit & MISSED_EVENTS)
		commit = (uint32_t)commit;
	length = commit & ~(uint64_t)(MISSED_EVENTS | MISSED_STORED);
	if (length > size - layout->data)
		return -EBADMSG;

	page->big = layout->big;
	page->swap = layout->swap;
	page->next = bytes + layout->data;
	page->end = page->next + length;
	page->lost = -1;
	if (commit & MISSED_EVENTS) {
		page->lost = 0;
		/* Kernels set the flag without the number where it does not fit. */
		if (commit & MISSED_STORED &&
		    length + layout->commit_size <= size - layout->data) {
			if (layout->commit_size == 8)
				page->lost = (int64_t)cs_load64(page->end, layout->swap);
			else
				page->lost = cs_load32(page->end, layout->swap);
			if (page->lost < 0)
				page->lost = 0;
		}
	}
	return length || page->lost >= 0;
}

/*
 * The 59 bits of a time stamp record and the top of the time so far, as
 * kernel/trace/ring_buffer.c, rb_fix_abs_ts() puts them together.
 */
static uint64_t absolute(uint64_t stamp, uint64_t before)
{
	if (!(before & TS_MSB))
		return stamp;
	stamp |= before & TS_MSB;
	if (stamp < before)
		stamp += UINT64_C(1) << 59;
	return stamp;
}

int cs_page_next_slow(struct cs_page *page, struct cs_record *record)
{
	for (;;) {
		const uint8_t *at = page->next;
		ptrdiff_t left = page->end - at;
		uint32_t head, type, word;
		uint64_t delta, length;

		if (left == 0)
			return 0;
		if (left < 4)
			return -EBADMSG;
		head = cs_load32(at, page->swap);
		type = page->big ? head >> 27 : head & 31;
		delta = page->big ? head & 0x7ffffff : head >> 5;
		at += 4;
		left -= 4;

		/* Nothing follows the padding that ends a page (rb_null_event()). */
		if (type == CS_RECORD_PADDING && !delta) {
			page->next = page->end;
			return 0;
		}
		if (type && type <= CS_RECORD_DATA_MAX) {
			length = type * 4;
			if (length > (uint64_t)left)
				return -EBADMSG;
			page->ts += delta;
			page->next = at + length;
			record->data = at;
			record->length = length;
			return 1;
		}

		if (left < 4)
			return -EBADMSG;
		word = cs_load32(at, page->swap);
		switch (type) {
		case 0:
			/* The word counts itself. */
			if (word < 4 || word > (uint64_t)left)
				return -EBADMSG;
			length = ((uint64_t)word + 3) & ~UINT64_C(3);
			if (length > (uint64_t)left)
				return -EBADMSG;
			page->ts += delta;
			page->next = at + length;
			record->data = at + 4;
			record->length = length - 4;
			return 1;
		case CS_RECORD_PADDING:
			/*
			 * A discarded record. Its delta counts, but rb_event_discard()
			 * writes 1 in place of 0; rb_read_data_buffer() reads it so.
			 */
			length = ((uint64_t)word + 3) & ~UINT64_C(3);
			if (word < 4 || length > (uint64_t)left)
				return -EBADMSG;
			if (delta != 1)
				page->ts += delta;
			page->next = at + length;
			break;
		case CS_RECORD_TIME_EXTEND:
			page->ts += ((uint64_t)word << 27) + delta;
			page->next = at + 4;
			break;
		case CS_RECORD_TIME_STAMP:
			page->ts = absolute(((uint64_t)word << 27) + delta, page->ts);
			page->next = at + 4;
			break;
		}
	}
}

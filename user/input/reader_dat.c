/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reader of trace.dat files: one buffer instance of the file, its CPUs merged,
 * its records decoded.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "user/input/dat_pages.h"
#include "user/input/decode.h"
#include "user/input/merge.h"
#include "user/input/reader.h"

/* Read-ahead: for all CPUs together, and at most for one. */
#define ROOM_ALL (8u << 20)
#define ROOM_ONE (64u << 10)

/* How far a buffer is looked into before it is chosen or its states are judged. */
#define PEEK_PAGES 64

struct reader_dat {
	struct cs_reader reader;
	struct cs_notes notes;
	struct cs_dat dat;
	const struct cs_dat_buffer *buffer;
	struct cs_page_layout layout;
	struct cs_decoder decoder;
	struct cs_merge merge;
	struct cs_lane *lanes;
	struct cs_dat_pages *sources;
	uint32_t count;
	bool ended;
};

static void publish_notes(struct reader_dat *dat)
{
	dat->reader.source.notes = dat->notes.text;
	dat->reader.source.notes_count = dat->notes.count;
}

static int64_t switch_prev_state(const struct cs_format *format,
				 const struct cs_record *record, int64_t *pid)
{
	const struct cs_event_format *event =
		&format->events[format->index[format->switch_id]];
	bool swap = format->layout.swap;

	*pid = cs_field_load(&event->fields[CS_SWITCH_PREV_PID], record->data, swap);
	return cs_field_load(&event->fields[CS_SWITCH_PREV_STATE], record->data, swap);
}

/*
 * Looks into the first pages of every CPU of a buffer. Counts its switches, and notes
 * the raw states in them.
 */
static int peek(struct cs_dat *dat, const struct cs_dat_buffer *buffer,
		struct cs_states_seen *seen, uint64_t *switches)
{
	const struct cs_format *format = dat->format;
	const struct cs_event_format *event;
	struct cs_page_layout layout = format->layout;
	struct cs_dat_pages source;
	struct cs_record record;
	struct cs_page page;
	const uint8_t *bytes;
	size_t size;
	int64_t pid, raw;
	int r = 0;

	*switches = 0;
	/* a recording by the module's events alone */
	if (format->switch_id < 0)
		return 0;
	event = &format->events[format->index[format->switch_id]];
	layout.size = buffer->page_size;
	for (uint32_t i = 0; i < buffer->count && r >= 0; i++) {
		r = cs_dat_pages_init(&source, dat, buffer, &buffer->ranges[i],
				      layout.size);
		for (uint32_t pages = 0; r >= 0 && pages < PEEK_PAGES; pages++) {
			r = source.pages.next(&source.pages, &bytes, &size);
			if (r == 0)
				break;
			if (r == -EBADMSG ||
			    (r == 1 && cs_page_begin(&page, &layout, bytes, size) < 1)) {
				r = 0;
				continue;
			}
			while (r == 1 && cs_page_next(&page, &record) == 1) {
				if (cs_format_id(format, &record) != format->switch_id ||
				    record.length < event->need)
					continue;
				++*switches;
				raw = switch_prev_state(format, &record, &pid);
				seen->bits |= raw;
				seen->idle_zero += !pid && !raw;
				seen->idle_one += !pid && raw == 1;
			}
		}
		cs_dat_pages_fini(&source);
	}
	return r < 0 ? r : 0;
}

static const char *shown(const struct cs_dat_buffer *buffer)
{
	return *buffer->name ? buffer->name : "(main)";
}

/* Names of the buffers but for one, as a list for people. */
static void list_buffers(const struct cs_dat *dat, const struct cs_dat_buffer *except,
			 char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (uint32_t i = 0; i < dat->buffers_count && used < size; i++) {
		const struct cs_dat_buffer *buffer = &dat->buffers[i];

		if (buffer != except)
			used += snprintf(text + used, size - used, "%s%s",
					 used ? ", " : "", shown(buffer));
	}
}

static int choose_named(struct reader_dat *dat, const char *name, struct cs_error *error)
{
	char list[256];

	for (uint32_t i = 0; i < dat->dat.buffers_count; i++)
		if (!strcmp(dat->dat.buffers[i].name, name)) {
			dat->buffer = &dat->dat.buffers[i];
			return 0;
		}
	list_buffers(&dat->dat, NULL, list, sizeof(list));
	return cs_error_set(error, -ENOENT, "%s: has no buffer '%s'; it has: %s",
			    dat->dat.path, name, list);
}

static int choose_buffer(struct reader_dat *dat, const char *name, struct cs_error *error)
{
	struct cs_states_seen seen;
	uint64_t switches = 0;
	char list[256];
	int r;

	if (name) {
		r = choose_named(dat, name, error);
		if (r < 0)
			return r;
	} else {
		dat->buffer = &dat->dat.buffers[0];
		for (uint32_t i = 0;
		     dat->dat.buffers_count > 1 && i < dat->dat.buffers_count; i++) {
			r = peek(&dat->dat, &dat->dat.buffers[i], &seen, &switches);
			if (r < 0)
				return cs_error_set(error, r, "%s: cannot read: %s",
						    dat->dat.path, strerror(-r));
			if (switches) {
				dat->buffer = &dat->dat.buffers[i];
				break;
			}
		}
	}
	if (dat->dat.buffers_count > 1) {
		list_buffers(&dat->dat, dat->buffer, list, sizeof(list));
		cs_notes_add(&dat->notes,
			     "buffer %s is read; the file has more, see --buffer: %s",
			     shown(dat->buffer), list);
	}
	return 0;
}

static int settle_states(struct reader_dat *dat)
{
	struct cs_states *states = &dat->dat.format->states;
	struct cs_states_seen seen = {0};
	uint64_t switches;
	const char *note;
	int r;

	if (cs_states_doubtful(dat->dat.kernel)) {
		r = peek(&dat->dat, dat->buffer, &seen, &switches);
		if (r < 0)
			return r;
		cs_states_settle(states, dat->dat.kernel, &seen);
	}
	note = cs_states_note(states);
	if (note)
		cs_notes_add(&dat->notes, "%s", note);
	return 0;
}

static int open_lanes(struct reader_dat *dat)
{
	const struct cs_dat_buffer *buffer = dat->buffer;
	size_t room = ROOM_ONE;
	int r;

	dat->layout = dat->dat.format->layout;
	dat->layout.size = buffer->page_size;
	dat->lanes = calloc(buffer->count ? buffer->count : 1, sizeof(*dat->lanes));
	dat->sources = calloc(buffer->count ? buffer->count : 1, sizeof(*dat->sources));
	if (!dat->lanes || !dat->sources)
		return -ENOMEM;
	r = cs_merge_init(&dat->merge, buffer->count);
	if (r < 0)
		return r;
	if (buffer->count > ROOM_ALL / ROOM_ONE)
		room = ROOM_ALL / buffer->count;

	for (uint32_t i = 0; i < buffer->count; i++) {
		const struct cs_dat_range *range = &buffer->ranges[i];
		struct cs_lane *lane = &dat->lanes[i];

		if (range->truncated)
			cs_notes_add(&dat->notes,
				     "CPU %d: the file is truncated, the end is missing",
				     range->cpu);
		if (range->dropped)
			cs_notes_add(&dat->notes,
				     "CPU %d: the kernel's buffer was full, %" PRIu64
				     " events were not recorded",
				     range->cpu, range->dropped);
		dat->count = i + 1;
		r = cs_dat_pages_init(&dat->sources[i], &dat->dat, buffer, range, room);
		if (r < 0)
			return r;
		cs_lane_init(lane, range->cpu, &dat->layout, &dat->sources[i].pages,
			     &dat->notes);
		lane->ends_lost = range->dropped;
		lane->ends_count = range->dropped;
		r = cs_merge_add(&dat->merge, lane);
		if (r < 0)
			return r;
	}
	return 0;
}

/* What is only known when all was read. Garbage from end to end is no trace. */
static int finish(struct reader_dat *dat, struct cs_error *error)
{
	uint64_t good = 0, bad = 0;
	bool any = false;

	if (dat->ended)
		return 0;
	dat->ended = true;
	for (uint32_t i = 0; i < dat->count; i++) {
		good += dat->lanes[i].good;
		bad += dat->lanes[i].bad;
		any |= dat->lanes[i].any;
		if (dat->sources[i].torn && !dat->buffer->ranges[i].truncated &&
		    !dat->dat.unfinished)
			cs_notes_add(&dat->notes,
				     "CPU %d: its data ends in the middle of a page",
				     dat->lanes[i].cpu);
	}
	if (dat->decoder.broken)
		cs_notes_add(&dat->notes,
			     "%" PRIu64
			     " records are shorter than their format; they are ignored",
			     dat->decoder.broken);
	publish_notes(dat);
	if (bad && !any)
		return cs_error_set(error, -EBADMSG,
				    "%s: damaged: none of its %" PRIu64
				    " pages of events can be read",
				    dat->dat.path, good + bad);
	return 0;
}

/* No event: the end, or the file cannot be read. */
static __attribute__((noinline)) int stop(struct reader_dat *dat, int code,
					  struct cs_error *error)
{
	if (!code)
		return finish(dat, error);
	publish_notes(dat);
	return cs_error_set(error, code, "%s: cannot read: %s", dat->dat.path,
			    strerror(-code));
}

static int next(struct cs_reader *reader, struct cs_event *ev, struct cs_error *error)
{
	struct reader_dat *dat = (struct reader_dat *)reader;
	struct cs_lane *lane;
	int r = cs_merge_next(&dat->merge, &lane);

	if (r < 1)
		return stop(dat, r, error);
	ev->ts = cs_dat_ns(&dat->dat, lane->ts);
	ev->cpu = lane->cpu;
	if (lane->state == CS_LANE_RECORD) {
		cs_decode(&dat->decoder, &lane->record, ev);
	} else {
		ev->type = CS_EVENT_LOST;
		ev->pid = CS_PID_UNKNOWN;
		ev->context = CS_CONTEXT_UNKNOWN;
		ev->lost.count = lane->lost;
	}
	return 1;
}

static void close_dat(struct cs_reader *reader)
{
	struct reader_dat *dat = (struct reader_dat *)reader;

	cs_merge_fini(&dat->merge);
	for (uint32_t i = 0; i < dat->count; i++)
		cs_dat_pages_fini(&dat->sources[i]);
	free(dat->sources);
	free(dat->lanes);
	cs_dat_close(&dat->dat);
	cs_notes_fini(&dat->notes);
	free(dat);
}

static const struct cs_reader_ops ops = {
	.next = next,
	.close = close_dat,
};

struct cs_reader *cs_reader_dat_open(const char *path, const char *buffer,
				     struct cs_error *error)
{
	struct reader_dat *dat = calloc(1, sizeof(*dat));
	struct cs_source *source;
	int r;

	if (!dat) {
		cs_error_set(error, -ENOMEM, "%s: out of memory", path);
		return NULL;
	}
	dat->reader.ops = &ops;
	r = cs_dat_open(&dat->dat, path, &dat->notes, error);
	if (!r)
		r = choose_buffer(dat, buffer, error);
	if (r < 0)
		goto fail;
	r = settle_states(dat);
	dat->decoder.format = dat->dat.format;
	if (!r)
		r = open_lanes(dat);
	if (r < 0) {
		cs_error_set(error, r, "%s: cannot read: %s", path, strerror(-r));
		goto fail;
	}

	source = &dat->reader.source;
	source->path = dat->dat.path;
	source->reader = "trace.dat";
	source->kernel = dat->dat.kernel;
	source->arch = dat->dat.arch;
	source->clock = dat->buffer->clock && *dat->buffer->clock ? dat->buffer->clock
								  : dat->dat.clock;
	source->buffer = dat->buffer->name;
	source->cpus = dat->dat.cpus;
	publish_notes(dat);
	return &dat->reader;
fail:
	close_dat(&dat->reader);
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Live events. One page of each CPU is in our memory at a time, the rest waits in the
 * kernel; what holds a CPU's events back is only that another one may bring older ones.
 */
#include "user/input/reader_live.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "analysis/event.h"
#include "user/input/decode.h"
#include "user/input/merge.h"

/*
 * A record is in the buffer within this time of its time stamp: its writer can be
 * interrupted in between (kernel/trace/ring_buffer.c, rb_reserve_next_event() to
 * rb_commit()), a virtual CPU can be preempted.
 */
#define SLACK_NS 10000000

/* The kernel is asked no oftener. */
#define POLL_NS 20000000

#define FORMAT_MAX 65536

/* One CPU's trace_pipe_raw. */
struct source {
	struct cs_pages pages;
	struct reader_live *live;
	int fd;
	uint8_t *page;
};

struct reader_live {
	struct cs_reader reader;
	struct cs_notes notes;
	char *dir;
	char *clock;
	struct utsname uname;
	struct cs_format *format;
	struct cs_decoder decoder;
	struct cs_merge merge;
	struct cs_lane *lanes;
	struct source *sources;
	uint32_t count;
	uint64_t seen;	    /* the latest time in any page, ns */
	uint64_t seen_then; /* the same when the kernel was asked before */
	uint64_t polled;    /* when it was asked, CLOCK_MONOTONIC, ns */
	int stats_fd;
	bool stopped;
};

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

static char *read_file(const char *dir, const char *name, size_t *size)
{
	char *path, *text = NULL;
	size_t used = 0;
	ssize_t got;
	int fd;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (fd < 0)
		return NULL;
	text = malloc(FORMAT_MAX + 1);
	while (text && used < FORMAT_MAX) {
		got = read(fd, text + used, FORMAT_MAX - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += got;
	}
	close(fd);
	if (text) {
		text[used] = '\0';
		if (size)
			*size = used;
	}
	return text;
}

/* ---- pages ------------------------------------------------------------------------ */

static void note_last(struct reader_live *live, const uint8_t *bytes, size_t size)
{
	struct cs_record record;
	struct cs_page page;

	if (cs_page_begin(&page, &live->format->layout, bytes, size) < 1)
		return;
	while (cs_page_next(&page, &record) == 1)
		;
	if (page.ts > live->seen)
		live->seen = page.ts;
}

static int next_page(struct cs_pages *pages, const uint8_t **bytes, size_t *size)
{
	struct source *source = (struct source *)pages;
	ssize_t got;

	do
		got = read(source->fd, source->page, source->live->format->layout.size);
	while (got < 0 && errno == EINTR);
	if (got < 0 && errno != EAGAIN)
		return -errno;
	if (got <= 0)
		return source->live->stopped ? 0 : -EAGAIN;
	note_last(source->live, source->page, got);
	*bytes = source->page;
	*size = got;
	return 1;
}

/*
 * The trace clock now, from "now ts: 2400.206458" of a CPU's stats; 0 when it is not
 * in ns, or not there (kernel/trace/trace.c, tracing_stats_read()).
 */
static uint64_t clock_now(const struct reader_live *live)
{
	unsigned long long seconds, micros;
	char text[512];
	const char *at;
	ssize_t got;

	if (live->stats_fd < 0)
		return 0;
	got = pread(live->stats_fd, text, sizeof(text) - 1, 0);
	if (got <= 0)
		return 0;
	text[got] = '\0';
	at = strstr(text, "now ts:");
	if (!at || sscanf(at, "now ts: %llu.%llu", &seconds, &micros) != 2)
		return 0;
	return seconds * 1000000000 + micros * 1000;
}

/* Asks the CPUs that had nothing; everything until then will be safe to deliver. */
static int poll_kernel(struct reader_live *live)
{
	uint64_t now = monotonic_ns(), until;

	if (!live->stopped && live->polled && now - live->polled < POLL_NS)
		return 0;
	live->polled = now;
	until = clock_now(live);
	until = until ? until - SLACK_NS : live->seen_then;
	live->seen_then = live->seen;
	return cs_merge_poll(&live->merge, until);
}

static int next(struct cs_reader *reader, struct cs_event *ev, struct cs_error *error)
{
	struct reader_live *live = (struct reader_live *)reader;
	struct cs_lane *lane;
	int r = cs_merge_next(&live->merge, &lane);

	if (r == -EAGAIN) {
		r = poll_kernel(live);
		if (!r)
			r = cs_merge_next(&live->merge, &lane);
	}
	if (r < 1) {
		live->reader.source.notes_count = live->notes.count;
		if (r == 0 || r == -EAGAIN)
			return r;
		return cs_error_set(error, r, "%s: cannot read trace_pipe_raw: %s",
				    live->dir, strerror(-r));
	}
	if (lane->state == CS_LANE_RECORD) {
		cs_decode(&live->decoder, &lane->record, ev);
	} else {
		ev->type = CS_EVENT_LOST;
		ev->pid = CS_PID_UNKNOWN;
		ev->context = CS_CONTEXT_UNKNOWN;
		ev->lost.count = lane->lost;
	}
	ev->ts = lane->ts;
	ev->cpu = lane->cpu;
	return 1;
}

/* ---- open and close --------------------------------------------------------------- */

static void close_live(struct cs_reader *reader)
{
	struct reader_live *live = (struct reader_live *)reader;

	cs_merge_fini(&live->merge);
	for (uint32_t i = 0; i < live->count; i++) {
		close(live->sources[i].fd);
		free(live->sources[i].page);
	}
	if (live->stats_fd >= 0)
		close(live->stats_fd);
	free(live->sources);
	free(live->lanes);
	cs_format_free(live->format);
	cs_notes_fini(&live->notes);
	free(live->clock);
	free(live->dir);
	free(live);
}

static const struct cs_reader_ops ops = {
	.next = next,
	.close = close_live,
};

static int read_layout(struct reader_live *live, struct cs_error *error)
{
	struct cs_page_layout *layout = &live->format->layout;
	unsigned long kb;
	size_t length = 0;
	char *text;
	int r;

	text = read_file(live->dir, "events/header_page", &length);
	if (!text)
		return cs_error_set(error, -errno,
				    "%s: cannot read events/header_page: %s", live->dir,
				    strerror(errno));
	r = cs_page_layout_parse(layout, text, length);
	free(text);
	if (r < 0)
		return cs_error_set(error, r, "%s: events/header_page makes no sense",
				    live->dir);
	/* The instance's own size (6.8 and later); header_page tells that of the main one. */
	text = read_file(live->dir, "buffer_subbuf_size_kb", NULL);
	if (text) {
		kb = strtoul(text, NULL, 10);
		if (kb && kb <= CS_PAGE_SIZE_MAX >> 10)
			layout->size = kb << 10;
		free(text);
	}
	return 0;
}

static int read_system(struct reader_live *live, const char *system,
		       struct cs_error *error)
{
	char name[600], *text;
	struct dirent *entry;
	size_t length = 0;
	DIR *dir;
	int r = 0;

	snprintf(name, sizeof(name), "%s/events/%s", live->dir, system);
	dir = opendir(name);
	if (!dir)
		return 0;
	while (!r && (entry = readdir(dir))) {
		if (!cs_format_wants(system, entry->d_name, strlen(entry->d_name)))
			continue;
		snprintf(name, sizeof(name), "events/%s/%s/format", system,
			 entry->d_name);
		text = read_file(live->dir, name, &length);
		if (!text)
			continue;
		r = cs_format_add(live->format, system, text, length, &live->notes,
				  error);
		free(text);
	}
	closedir(dir);
	return r;
}

static int read_formats(struct reader_live *live, struct cs_error *error)
{
	static const char *const systems[] = {"sched",	     "task",  "irq",
					      "irq_vectors", "timer", "ftrace"};
	const char *note;
	int r = 0;

	for (size_t i = 0; !r && i < sizeof(systems) / sizeof(systems[0]); i++)
		r = read_system(live, systems[i], error);
	if (r < 0)
		return r;
	if (live->format->switch_id < 0)
		return cs_error_set(
			error, -ENODATA,
			"%s: no sched_switch event: not an instance of tracefs, or a "
			"kernel without scheduler events",
			live->dir);
	note = cs_states_note(&live->format->states);
	if (note)
		cs_notes_add(&live->notes, "%s", note);
	return 0;
}

static void read_clock(struct reader_live *live)
{
	char *text = read_file(live->dir, "trace_clock", NULL);
	char *from = text ? strchr(text, '[') : NULL,
	     *to = from ? strchr(from, ']') : NULL;

	if (to)
		live->clock = strndup(from + 1, to - from - 1);
	free(text);
	if (live->clock &&
	    (!strcmp(live->clock, "x86-tsc") || !strcmp(live->clock, "counter")))
		cs_notes_add(&live->notes, "the trace clock %s does not count ns",
			     live->clock);
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* The numbers of all per_cpu/cpuN, ascending. */
static int list_cpus(const struct reader_live *live, int **cpus, uint32_t *count)
{
	struct dirent *entry;
	char name[600], junk;
	DIR *dir;
	int cpu;

	*cpus = NULL;
	*count = 0;
	snprintf(name, sizeof(name), "%s/per_cpu", live->dir);
	dir = opendir(name);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		int *more;

		if (sscanf(entry->d_name, "cpu%d%c", &cpu, &junk) != 1 || cpu < 0 ||
		    cpu >= CS_CPUS_MAX)
			continue;
		more = reallocarray(*cpus, *count + 1, sizeof(**cpus));
		if (!more) {
			closedir(dir);
			return -ENOMEM;
		}
		*cpus = more;
		more[(*count)++] = cpu;
	}
	closedir(dir);
	if (*count)
		qsort(*cpus, *count, sizeof(**cpus), by_number);
	return *count ? 0 : -ENOENT;
}

static int open_cpu(struct reader_live *live, int cpu)
{
	struct source *source = &live->sources[live->count];
	char *path;

	if (asprintf(&path, "%s/per_cpu/cpu%d/trace_pipe_raw", live->dir, cpu) < 0)
		return -ENOMEM;
	source->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	free(path);
	/* The directory of a CPU that was never there has no buffer behind it. */
	if (source->fd < 0)
		return errno == ENODEV || errno == ENXIO ? 0 : -errno;
	source->pages.next = next_page;
	source->live = live;
	source->page = malloc(live->format->layout.size);
	cs_lane_init(&live->lanes[live->count], cpu, &live->format->layout,
		     &source->pages, &live->notes);
	live->count++;
	if (!source->page)
		return -ENOMEM;
	return cs_merge_add(&live->merge, &live->lanes[live->count - 1]);
}

static int open_cpus(struct reader_live *live)
{
	uint32_t count;
	int *cpus;
	int r = list_cpus(live, &cpus, &count);

	if (!r) {
		live->lanes = calloc(count, sizeof(*live->lanes));
		live->sources = calloc(count, sizeof(*live->sources));
		r = live->lanes && live->sources ? cs_merge_init(&live->merge, count)
						 : -ENOMEM;
	}
	for (uint32_t i = 0; !r && i < count; i++)
		r = open_cpu(live, cpus[i]);
	free(cpus);
	return r;
}

static void open_stats(struct reader_live *live)
{
	char *path;

	if (asprintf(&path, "%s/per_cpu/cpu%d/stats", live->dir, live->lanes[0].cpu) < 0)
		return;
	live->stats_fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
}

struct cs_reader *cs_reader_live_open(const char *dir, struct cs_error *error)
{
	struct reader_live *live = calloc(1, sizeof(*live));
	int r;

	if (!live) {
		cs_error_set(error, -ENOMEM, "%s: out of memory", dir);
		return NULL;
	}
	live->reader.ops = &ops;
	live->stats_fd = -1;
	live->dir = strdup(dir);
	live->format = cs_format_new(CS_HOST_BIG);
	if (!live->dir || !live->format) {
		cs_error_set(error, -ENOMEM, "%s: out of memory", dir);
		goto fail;
	}
	r = read_layout(live, error);
	if (!r)
		r = read_formats(live, error);
	if (r < 0)
		goto fail;
	live->decoder.format = live->format;
	read_clock(live);
	r = open_cpus(live);
	if (r < 0) {
		cs_error_set(error, r, "%s: cannot read its CPUs: %s", dir, strerror(-r));
		goto fail;
	}
	if (live->count)
		open_stats(live);

	uname(&live->uname);
	live->reader.source = (struct cs_source){
		.path = live->dir,
		.reader = "live",
		.kernel = live->uname.release,
		.arch = live->uname.machine,
		.clock = live->clock,
		.notes = live->notes.text,
		.notes_count = live->notes.count,
		.cpus = live->count,
	};
	return &live->reader;
fail:
	close_live(&live->reader);
	return NULL;
}

void cs_reader_live_stop(struct cs_reader *reader)
{
	((struct reader_live *)reader)->stopped = true;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ctxsw top: the report of what happened so far, again and again, from an
 * instance of its own in the running kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "analysis/analyses.h"
#include "analysis/report.h"
#include "user/command.h"
#include "user/input/reader_live.h"
#include "user/options.h"
#include "user/outfile.h"
#include "user/output/render.h"
#include "user/parse.h"
#include "user/record/session.h"
#include "user/record/tasks.h"

#define SECOND_NS	1000000000ULL
#define INTERVAL_MIN_NS 100000000ULL
#define COUNT_MAX	1000000000
#define CPU_MAX		8191
#define BUFFER_KB	8192
#define WORST		3
#define ROWS		5
/* Where a screen has no room for so many, it is cut instead. */
#define ROWS_MIN 3
/* How long to wait when the kernel has nothing; see reader_live.h. */
#define PAUSE_NS 20000000ULL
/* After so many events the clock is looked at. */
#define BATCH 8192

static const char usage[] =
	"Usage: ctxsw top [OPTIONS]\n"
	"\n"
	"Shows the report of what happened since it began, live, until Ctrl-C.\n"
	"\n"
	"  -d, --delay TIME         from one report to the next: 500ms 2s (1s)\n"
	"  -a, --analysis NAME,...  only these: switches, latency, preemption\n"
	"  -n, --count COUNT        end after so many reports\n"
	"      --cpu LIST           these CPUs only: 0-3,7\n"
	"  -h, --help               show this\n";

enum {
	OPTION_CPU = 256,
};

static const struct option longs[] = {
	{"delay", required_argument, NULL, 'd'},
	{"analysis", required_argument, NULL, 'a'},
	{"count", required_argument, NULL, 'n'},
	{"cpu", required_argument, NULL, OPTION_CPU},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

struct top {
	uint64_t delay_ns;
	int64_t count; /* 0: no end */
	char **analyses;
	uint32_t analyses_count;
	struct cs_session_options session_options;
	bool help;

	struct cs_session session;
	struct cs_events events;
	struct cs_reader *reader;
	struct cs_report *report;
	uint64_t begin_ns;
	int signals;
	bool open_line;
	bool pipe_closed;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* ---- options -------------------------------------------------------------------- */

static int take_analyses(struct top *top, const char *text, struct cs_error *error)
{
	int ret;

	cs_names_free(top->analyses);
	ret = cs_parse_names(text, "analysis", &top->analyses, &top->analyses_count,
			     error);
	for (uint32_t i = 0; !ret && i < top->analyses_count; i++)
		if (!cs_analysis_find(top->analyses[i]))
			ret = cs_error_set(
				error, -EINVAL,
				"analysis '%.64s': not known; see: ctxsw help top",
				top->analyses[i]);
	return ret;
}

static int take_option(struct top *top, int option, struct cs_error *error)
{
	int ret;

	switch (option) {
	case 'd':
		ret = cs_parse_time(optarg, &top->delay_ns, error);
		if (!ret && top->delay_ns < INTERVAL_MIN_NS)
			ret = cs_error_set(error, -EINVAL,
					   "delay '%.64s': at least 100ms", optarg);
		return ret;
	case 'a':
		return take_analyses(top, optarg, error);
	case 'n':
		return cs_parse_number(optarg, 1, COUNT_MAX, "count", &top->count, error);
	case OPTION_CPU:
		cs_ranges_free(&top->session_options.cpus);
		return cs_parse_list(optarg, 0, CPU_MAX, "CPU",
				     &top->session_options.cpus, error);
	default:
		top->help = true;
		return 0;
	}
}

static int take_options(struct top *top, int argc, char **argv, struct cs_error *error)
{
	int option;

	optind = 0;
	while ((option = cs_options_next(argc, argv, ":d:a:n:h", longs, error)) != -1)
		if (option == '?' || take_option(top, option, error))
			return -EINVAL;
	if (optind < argc)
		return cs_error_set(error, -EINVAL, "top: takes no '%.64s'",
				    argv[optind]);
	return 0;
}

/* ---- the screen ----------------------------------------------------------------- */

static struct winsize terminal_size(void)
{
	struct winsize size = {0};

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		size.ws_row = 0;
	return size;
}

static unsigned int terminal_lines(void)
{
	return terminal_size().ws_row;
}

/*
 * As much of a page as the cleared screen holds. A line that is too long for
 * it takes more than one of its rows. Whether the last one has no end yet, so
 * that nothing scrolls.
 */
static bool put_screen(const char *text, unsigned int lines)
{
	static const char rest[] = "... -a, or a taller terminal, shows the rest";
	size_t width = terminal_size().ws_col;

	if (!width)
		width = SIZE_MAX / 2;
	fputs("\x1b[H\x1b[2J", stdout);
	while (*text) {
		size_t length = strcspn(text, "\n");
		size_t rows = length ? (length - 1) / width + 1 : 1;

		if (rows + 1 >= lines)
			break;
		fwrite(text, 1, length, stdout);
		fputc('\n', stdout);
		text += length + (text[length] == '\n');
		lines -= (unsigned int)rows;
	}
	if (!*text)
		return false;
	fwrite(rest, 1, sizeof(rest) - 1 < width ? sizeof(rest) - 1 : width, stdout);
	return true;
}

static unsigned long long counter(const struct cs_result *result, const char *path)
{
	double value;

	return cs_result_find(result->root, path, &value) ? 0 : (unsigned long long)value;
}

/* Health in one line: a screen has little room. */
static void put_head(FILE *page, const struct cs_result *result)
{
	unsigned long long lost = counter(result, "health.lost");
	unsigned long long losses = counter(result, "health.losses");
	unsigned long long unexpected = counter(result, "health.unexpected");

	fprintf(page, "%llu events, %llu switches", counter(result, "health.events"),
		counter(result, "health.switches"));
	if (unexpected)
		fprintf(page, " (%llu do not follow from the last)", unexpected);
	if (losses)
		fprintf(page, ", %s%llu lost in %llu losses\n",
			counter(result, "health.lost_unknown") ? "at least " : "", lost,
			losses);
	else
		fputs(", nothing lost\n", page);
}

/* People see no more than @rows rows of each table. */
static void limit_rows(struct cs_node *node, uint32_t rows)
{
	if (node->type == CS_TYPE_TABLE && node->table.rows_shown > rows)
		node->table.rows_shown = rows;
	if (node->type != CS_TYPE_OBJECT)
		return;
	for (struct cs_node *child = node->children.first; child; child = child->next)
		limit_rows(child, rows);
}

static void hide(struct cs_result *result, const char *key)
{
	struct cs_node *child = result->root->children.first;

	for (; child; child = child->next)
		if (child->key && !strcmp(child->key, key))
			child->label = NULL;
}

static unsigned int count_lines(const char *text)
{
	unsigned int lines = 0;

	while ((text = strchr(text, '\n'))) {
		lines++;
		text++;
	}
	return lines;
}

/* The page as text, to be freed; for a screen of so many lines, 0 for none. */
static char *make_page(const struct top *top, struct cs_result *result,
		       unsigned int lines)
{
	struct cs_render_options look = {.width = cs_render_width(stdout), .live = true};
	char *text = NULL;
	size_t size;
	FILE *page = open_memstream(&text, &size);

	if (!page)
		return NULL;
	fprintf(page, "ctxsw top, after %.1f s\n",
		(double)(now_ns() - top->begin_ns) / SECOND_NS);
	if (lines)
		put_head(page, result);
	fputc('\n', page);
	cs_renderer_text.render(result, &look, page);
	if (fclose(page)) {
		free(text);
		return NULL;
	}
	return text;
}

/* The page with as many rows as the screen has room for. */
static char *fit_page(const struct top *top, struct cs_result *result, unsigned int lines)
{
	char *text = NULL;

	if (lines) {
		hide(result, "health");
		hide(result, "source");
	}
	for (uint32_t rows = ROWS; rows >= ROWS_MIN; rows--) {
		free(text);
		limit_rows(result->root, rows);
		text = make_page(top, result, lines);
		if (!text || !lines || count_lines(text) < lines)
			break;
	}
	return text;
}

static int show(struct top *top, struct cs_error *error)
{
	unsigned int lines = terminal_lines();
	struct cs_result result;
	char *text;
	int ret;

	if (cs_report_result(top->report, &top->reader->source, &result))
		return cs_error_set(error, -ENOMEM, "top: out of memory");
	text = fit_page(top, &result, lines);
	cs_result_fini(&result);
	if (!text)
		return cs_error_set(error, -ENOMEM, "top: out of memory");
	if (lines)
		top->open_line = put_screen(text, lines);
	else
		printf("%s\n", text);
	free(text);
	ret = cs_outfile_flush(stdout);
	if (!ret)
		return 0;
	top->pipe_closed = ret == -EPIPE;
	return cs_error_set(error, ret, "standard output: %s", strerror(-ret));
}

/* ---- the loop ------------------------------------------------------------------- */

/* Waits for a signal or the time. 1 for a signal. */
static int pause_for(struct top *top, uint64_t ns)
{
	const struct timespec time = {.tv_sec = (time_t)(ns / SECOND_NS),
				      .tv_nsec = (long)(ns % SECOND_NS)};
	struct pollfd fd = {.fd = top->signals, .events = POLLIN};

	return ppoll(&fd, 1, &time, NULL) > 0;
}

/* Takes what has come. -EAGAIN when that was all, 0 when there may be more. */
static int take_batch(struct top *top, struct cs_error *error)
{
	struct cs_event ev;

	for (int i = 0; i < BATCH; i++) {
		int ret = cs_reader_next(top->reader, &ev, error);

		if (ret == 1)
			ret = cs_report_event(top->report, &ev);
		if (ret == -ENOMEM)
			return cs_error_set(error, ret, "top: out of memory");
		if (ret)
			return ret;
	}
	return 0;
}

static int loop(struct top *top, struct cs_error *error)
{
	uint64_t next = top->begin_ns + top->delay_ns;

	for (int64_t shown = 0; !top->count || shown < top->count;) {
		int ret = take_batch(top, error);
		uint64_t now = now_ns();

		if (ret && ret != -EAGAIN)
			return ret;
		if (now >= next) {
			ret = show(top, error);
			if (ret)
				return ret;
			shown++;
			/* A report that took long delays those after it. */
			next = now_ns() > next + top->delay_ns ? now_ns() + top->delay_ns
							       : next + top->delay_ns;
		}
		if (pause_for(top, ret == -EAGAIN ? PAUSE_NS : 0))
			return 0;
	}
	return 0;
}

/* Directory of the instance, from a file that is open in it. */
static int find_directory(const struct cs_session *session, char *dir, size_t size,
			  struct cs_error *error)
{
	char link[64], *slash;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", session->tracing_fd);
	length = readlink(link, dir, size - 1);
	if (length <= 0)
		return cs_error_set(error, -ENOENT, "instance: cannot be found: %s",
				    strerror(errno));
	dir[length] = '\0';
	slash = strrchr(dir, '/');
	if (slash)
		*slash = '\0';
	return 0;
}

static int put_marker(void *fd, const char *line, size_t length)
{
	return write(*(int *)fd, line, length) == (ssize_t)length ? 0 : -EIO;
}

/* To a CPU that is watched: the others take no marker. */
static bool move_there(const struct cs_session *session, cpu_set_t *before)
{
	cpu_set_t there;

	if (session->all_cpus || !session->cpu_count || session->cpus[0] >= CPU_SETSIZE ||
	    sched_getaffinity(0, sizeof(*before), before))
		return false;
	CPU_ZERO(&there);
	CPU_SET(session->cpus[0], &there);
	return !sched_setaffinity(0, sizeof(there), &there);
}

/* Who is in which process, as a recording has it; without it kinds are unknown. */
static void mark_tasks(const struct cs_session *session)
{
	struct cs_tasks tasks = {0};
	cpu_set_t before;
	bool moved;
	int fd = cs_session_file(session, "trace_marker", O_WRONLY);

	if (fd < 0)
		return;
	moved = move_there(session, &before);
	if (!cs_tasks_walk(&tasks, "/proc", CS_TASKS_START))
		cs_tasks_markers(&tasks, put_marker, &fd);
	if (moved)
		sched_setaffinity(0, sizeof(before), &before);
	cs_tasks_fini(&tasks);
	close(fd);
}

static int begin(struct top *top, struct cs_error *error)
{
	const struct cs_options options = {.worst = WORST, .rows = ROWS};
	char dir[512];
	int ret;

	ret = cs_events_choose(&top->events, NULL, 0, top->analyses, top->analyses_count,
			       error);
	if (ret)
		return ret;
	ret = cs_session_open(&top->session, &top->session_options, &top->events, error);
	if (!ret)
		ret = find_directory(&top->session, dir, sizeof(dir), error);
	if (ret)
		return ret;
	top->reader = cs_reader_live_open(dir, error);
	if (!top->reader)
		return -EIO;
	top->report = cs_report_new((const char *const *)top->analyses,
				    top->analyses_count, &options, NULL);
	if (!top->report)
		return cs_error_set(error, -errno, "top: %s", strerror(errno));
	ret = cs_session_switch(&top->session, true);
	if (ret)
		return cs_error_set(error, ret, "instance: cannot be switched on: %s",
				    strerror(-ret));
	mark_tasks(&top->session);
	top->begin_ns = now_ns();
	return 0;
}

/* Signals end the loop, so that the instance is removed whatever happens. */
static int catch_signals(struct top *top, struct cs_error *error)
{
	const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t mask;

	sigemptyset(&mask);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaddset(&mask, ends[i]);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	signal(SIGPIPE, SIG_IGN);
	top->signals = signalfd(-1, &mask, SFD_CLOEXEC);
	if (top->signals < 0)
		return cs_error_set(error, -errno, "signals: %s", strerror(errno));
	return 0;
}

static int watch(struct top *top, struct cs_error *error)
{
	struct cs_error later = {""};
	int ret = catch_signals(top, error);

	if (ret)
		return ret;
	ret = cs_session_find(error);
	if (ret) {
		close(top->signals);
		return ret;
	}
	cs_session_sweep();
	ret = begin(top, error);
	if (!ret)
		ret = loop(top, error);
	if (top->open_line) {
		putchar('\n');
		fflush(stdout);
	}
	cs_session_switch(&top->session, false);
	cs_reader_close(top->reader);
	cs_report_free(top->report);
	if (cs_session_close(&top->session, &later) && !ret) {
		*error = later;
		ret = -EIO;
	}
	cs_events_fini(&top->events);
	cs_session_forget();
	close(top->signals);
	return ret;
}

static int run(int argc, char **argv)
{
	struct top top = {
		.delay_ns = SECOND_NS,
		.session_options = {.buffer_kb = BUFFER_KB},
		.session = {.tracing_fd = -1},
	};
	struct cs_error error = {""};
	int status = CS_EXIT_DONE;

	if (take_options(&top, argc, argv, &error)) {
		status = CS_EXIT_USAGE;
	} else if (top.help) {
		status = cs_options_help(usage);
	} else if (watch(&top, &error)) {
		status = CS_EXIT_ERROR;
		if (top.pipe_closed)
			error.text[0] = '\0';
	}
	if (status && error.text[0])
		fprintf(stderr, "ctxsw: %s\n", error.text);
	cs_names_free(top.analyses);
	cs_ranges_free(&top.session_options.cpus);
	return status;
}

const struct cs_command cs_command_top = {
	.name = "top",
	.summary = "the same, live from the running kernel",
	.run = run,
};

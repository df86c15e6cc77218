/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording from its beginning to the finished file: the order of setting
 * up, of taking down, and what ends it.
 */
#define _GNU_SOURCE
#include "user/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "user/record/child.h"
#include "user/record/dat_file.h"
#include "user/record/drain.h"
#include "user/record/events.h"
#include "user/record/io.h"
#include "user/record/progress.h"
#include "user/record/target.h"
#include "user/record/tasks.h"

#define SECOND_NS 1000000000ULL
/* How long a command that was told to end is waited for. */
#define COMMAND_END_MS 2000

enum end {
	END_NOT_YET,
	END_COMMAND,  /* the command ended */
	END_DURATION, /* the time is over */
	END_SIGNAL,   /* we got one */
	END_TERMINAL, /* the terminal sent one, to the command too */
	END_FAULT,    /* a CPU cannot be drained any more */
};

struct recording {
	const struct cs_record_options *options;
	struct cs_target target;
	struct cs_events events;
	struct cs_kmod kmod;
	struct cs_child child;
	struct cs_session session;
	struct cs_drains drains;
	struct cs_tasks tasks;
	struct cs_progress progress;
	struct cs_session_stats stats;
	sigset_t mask;
	int signals;
	int signal;
	uint64_t tail;
	uint64_t begin_ns;
	uint64_t length_ns;
	uint64_t wall_ns;
	uint64_t own_ns;
	uint64_t bytes;
	enum end end;
	bool module; /* its events are recorded */
	bool drained;
	bool kept;
};

/* ---- small things ---------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static uint64_t own_cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SECOND_NS +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

/* A trace must not get the number that messages go to. */
static void fill_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* A line that is no error. */
__attribute__((format(printf, 2, 3))) static void say(struct recording *rec,
						      const char *format, ...)
{
	struct cs_error line;
	va_list args;
	char text[sizeof(line.text)];

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	cs_error_set(&line, 0, "%s", text);
	cs_progress_clear(&rec->progress);
	fprintf(stderr, "ctxsw: %s\n", line.text);
}

/*
 * Signals are read, not handled: nothing is ever interrupted half way. One
 * for SIGHUP that nohup(1) switched off stays off.
 */
static int block_signals(struct recording *rec, struct cs_error *error)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGCHLD);
	sigaction(SIGHUP, NULL, &hangup);
	if (hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	/* a limit on file sizes shall be an error of write(2) */
	signal(SIGXFSZ, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, &rec->mask);
	rec->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return rec->signals < 0
		       ? cs_error_set(error, -errno, "signals: %s", strerror(errno))
		       : 0;
}

static void read_signals(struct recording *rec)
{
	struct signalfd_siginfo info;

	while (read(rec->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			if (cs_child_reap(&rec->child) && !rec->end)
				rec->end = END_COMMAND;
			continue;
		}
		/* the first one ends the recording, another one changes nothing */
		if (rec->end)
			continue;
		rec->signal = (int)info.ssi_signo;
		rec->end = info.ssi_code == SI_KERNEL ? END_TERMINAL : END_SIGNAL;
	}
}

static void unblock_signals(struct recording *rec)
{
	if (rec->signals < 0)
		return;
	read_signals(rec);
	close(rec->signals);
	sigprocmask(SIG_SETMASK, &rec->mask, NULL);
}

/* ---- the file ---------------------------------------------------------------------------- */

/*
 * Entries in the table of CPUs: all that the machine has, so that a reader knows of
 * those that were not recorded.
 */
static uint32_t table_size(const struct recording *rec)
{
	uint32_t recorded = rec->session.cpus[rec->session.cpu_count - 1] + 1;
	long machine = sysconf(_SC_NPROCESSORS_CONF);

	return machine > (long)recorded ? (uint32_t)machine : recorded;
}

static int write_tail(struct recording *rec, char *const *stats, struct cs_error *error)
{
	struct cs_dat_tail tail = {
		.name = rec->target.part,
		.clocks = rec->session.clocks,
		.clock = rec->session.clock,
		.stats = stats,
		.cpus = table_size(rec),
	};
	char *saved = cs_session_saved_cmdlines();
	char *cmdlines = NULL;
	int code = 0;

	if (saved)
		code = cs_tasks_saved(&rec->tasks, saved);
	free(saved);
	if (!code)
		cmdlines = cs_tasks_cmdlines(&rec->tasks, &tail.cmdlines_size);
	if (!cmdlines)
		return cs_error_set(error, -ENOMEM, "names of tasks: no memory");
	tail.cmdlines = cmdlines;
	code = cs_dat_tail_write(rec->target.fd, rec->tail, &tail, error);
	free(cmdlines);
	return code;
}

static int begin_file(struct recording *rec, struct cs_error *error)
{
	struct cs_dat_head head = {
		.name = rec->target.part,
		.page_size = rec->session.page_size,
		.symbols = cs_events_print_symbols(&rec->events),
	};
	char **systems = cs_events_systems(&rec->events, &head.count);
	int code;

	if (!systems)
		return cs_error_set(error, -ENOMEM, "events: no memory");
	head.systems = systems;
	code = cs_dat_head_write(rec->target.fd, &head, &rec->tail, error);
	free(systems);
	if (code)
		return code;
	/* a recorder that is killed leaves at least these names */
	code = cs_tasks_walk(&rec->tasks, "/proc", CS_TASKS_START);
	if (code)
		return cs_error_set(error, code, "/proc: %s", strerror(-code));
	code = write_tail(rec, NULL, error);
	cs_tasks_fini(&rec->tasks);
	return code;
}

static int end_file(struct recording *rec, struct cs_error *error)
{
	uint32_t cpus = table_size(rec);
	char **stats = calloc(cpus, sizeof(*stats));
	int code;

	if (!stats)
		return cs_error_set(error, -ENOMEM, "statistics: no memory");
	for (size_t i = 0; i < rec->session.cpu_count; i++) {
		uint32_t cpu = rec->session.cpus[i];

		stats[cpu] = cs_session_cpu_stats(&rec->session, cpu, &rec->stats);
	}
	/* without /proc the names are fewer, and that is all */
	cs_tasks_walk(&rec->tasks, "/proc", CS_TASKS_END);
	code = write_tail(rec, stats, error);
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		free(stats[cpu]);
	free(stats);
	return code;
}

/* ---- begin ------------------------------------------------------------------------------- */

static int put_marker(void *arg, const char *line, size_t length)
{
	const int *fd = arg;

	return write(*fd, line, length) < 0 ? -errno : 0;
}

/* The tasks that live now go into the trace itself. */
static void mark_tasks(struct recording *rec)
{
	int fd = cs_session_file(&rec->session, "trace_marker", O_WRONLY);
	cpu_set_t before;
	bool moved = false;
	int code = fd < 0 ? fd : cs_tasks_walk(&rec->tasks, "/proc", CS_TASKS_START);

	/* a CPU that is not traced takes no marker */
	if (!code && !rec->session.all_cpus && rec->session.cpus[0] < CPU_SETSIZE &&
	    !sched_getaffinity(0, sizeof(before), &before)) {
		cpu_set_t there;

		CPU_ZERO(&there);
		CPU_SET(rec->session.cpus[0], &there);
		moved = !sched_setaffinity(0, sizeof(there), &there);
	}
	if (!code && rec->module) {
		char line[CS_KMOD_MARKER];

		code = put_marker(&fd, line, cs_kmod_marker(&rec->kmod, line));
	}
	if (!code)
		code = cs_tasks_markers(&rec->tasks, put_marker, &fd);
	if (moved)
		sched_setaffinity(0, sizeof(before), &before);
	if (fd >= 0)
		close(fd);
	if (code)
		say(rec, "tasks: the trace will not tell processes from threads: %s",
		    strerror(-code));
}

static bool wants(const struct cs_record_options *options, const char *analysis)
{
	for (size_t i = 0; i < options->analysis_count; i++)
		if (!strcmp(options->analyses[i], analysis))
			return true;
	return false;
}

/* Events that the user named himself are taken as they are. */
static int use_module(struct recording *rec, struct cs_error *error)
{
	const struct cs_record_options *options = rec->options;
	struct cs_error why = {""};
	int code;

	if (options->module == CS_KMOD_OFF)
		return 0;
	code = cs_kmod_read(&rec->kmod, "", &why);
	if (code && options->module == CS_KMOD_REQUIRE) {
		*error = why;
		return code;
	}
	if (code == -ENOENT && !wants(options, "phases"))
		return 0;
	if (code) {
		say(rec, "%s; recording without it", why.text);
		return 0;
	}
	rec->module = true;
	if (!options->event_count || options->analysis_count)
		code = cs_events_use_module(&rec->events, wants(options, "inversion"),
					    error);
	if (!code && !options->event_count && !options->quiet)
		say(rec,
		    "module ctxsw: adds the phases of each switch (%s; its hooks cost "
		    "%lu ns) and who lends a priority",
		    *rec->kmod.phases ? rec->kmod.phases : "none here",
		    rec->kmod.cost_ns);
	return code;
}

static int set_up(struct recording *rec, struct cs_error *error)
{
	const struct cs_record_options *options = rec->options;
	int code = block_signals(rec, error);
	int removed;

	if (!code)
		code = cs_session_find(error);
	/* before anything is open that the command must not hold */
	if (!code && options->command)
		code = cs_child_fork(&rec->child, options->command, &rec->mask, error);
	if (!code)
		code = cs_target_open(&rec->target, options->path, options->force, error);
	if (code)
		return code;
	if (rec->target.recovered) {
		char size[CS_IO_TEXT];

		say(rec, "%s: finished the recording that was left in %s (%s)",
		    rec->target.path, rec->target.part,
		    cs_io_size_text(rec->target.recovered, size));
	} else if (rec->target.leftover) {
		say(rec, "%s: removed; a killed ctxsw left it without data",
		    rec->target.part);
	}
	removed = cs_session_sweep();
	if (removed)
		say(rec, "tracefs: removed %d instance%s that a killed ctxsw left",
		    removed, removed > 1 ? "s" : "");
	code = cs_events_choose(&rec->events, options->events, options->event_count,
				options->analyses, options->analysis_count, error);
	if (!code)
		code = use_module(rec, error);
	if (!code)
		code = cs_session_open(&rec->session, &options->session, &rec->events,
				       error);
	if (!code)
		code = begin_file(rec, error);
	if (!code)
		code = cs_drains_start(&rec->drains, &rec->session, rec->target.part,
				       error);
	return code;
}

/* ---- run --------------------------------------------------------------------------------- */

static void show(struct recording *rec, uint64_t now)
{
	struct cs_session_stats stats;

	if (rec->progress.fd < 0)
		return;
	cs_session_stats(&rec->session, &stats);
	cs_progress_update(&rec->progress, now - rec->begin_ns, stats.events,
			   cs_drains_bytes(&rec->drains), stats.lost);
}

static void wait_for_end(struct recording *rec)
{
	uint64_t limit = rec->options->duration_ns;
	uint64_t end_ns = limit && limit < UINT64_MAX - rec->begin_ns
				  ? rec->begin_ns + limit
				  : UINT64_MAX;
	uint64_t tick_ns = rec->begin_ns + SECOND_NS;
	struct pollfd wait[2] = {
		{.fd = rec->signals, .events = POLLIN},
		{.fd = rec->drains.fault, .events = POLLIN},
	};

	while (!rec->end) {
		uint64_t now = now_ns();
		uint64_t until = end_ns;
		struct timespec time;

		if (now >= end_ns) {
			rec->end = END_DURATION;
			break;
		}
		if (rec->progress.fd >= 0 && tick_ns < until)
			until = tick_ns > now ? tick_ns : now;
		/* ppoll(2) refuses what time_t does not hold; a day does no harm */
		until -= now;
		if (until > 86400 * SECOND_NS)
			until = 86400 * SECOND_NS;
		time.tv_sec = (time_t)(until / SECOND_NS);
		time.tv_nsec = (long)(until % SECOND_NS);
		ppoll(wait, 2, &time, NULL);
		if (wait[1].revents && !rec->end)
			rec->end = END_FAULT;
		read_signals(rec);
		now = now_ns();
		if (now >= tick_ns) {
			show(rec, now);
			tick_ns += SECOND_NS;
		}
	}
}

/* A command that still runs when the recording is over. */
static void end_command(struct recording *rec)
{
	if (!rec->child.pid || cs_child_reap(&rec->child) || rec->end == END_TERMINAL)
		return;
	kill(rec->child.pid, rec->end == END_SIGNAL ? rec->signal : SIGTERM);
}

static int run(struct recording *rec, struct cs_error *error)
{
	uint64_t own_ns = own_cpu_ns();
	int code = cs_session_switch(&rec->session, true);
	int new_cpu;

	if (code)
		return cs_error_set(error, code, "tracing_on: %s", strerror(-code));
	rec->begin_ns = now_ns();
	mark_tasks(rec);
	if (rec->child.pid)
		code = cs_child_release(&rec->child, rec->options->command[0], error);
	if (!code)
		wait_for_end(rec);
	cs_session_switch(&rec->session, false);
	rec->length_ns = now_ns() - rec->begin_ns;
	if (code)
		return code;

	end_command(rec);
	code = cs_drains_stop(&rec->drains, error);
	rec->drained = true;
	rec->wall_ns = now_ns() - rec->begin_ns;
	rec->own_ns = own_cpu_ns() - own_ns;
	rec->bytes = cs_drains_bytes(&rec->drains);
	cs_progress_clear(&rec->progress);
	new_cpu = cs_session_new_cpu(&rec->session);
	if (new_cpu >= 0)
		say(rec, "CPU %d came online while recording and is not in the trace",
		    new_cpu);
	return code;
}

/* ---- end --------------------------------------------------------------------------------- */

/* From the drained pages to FILE. @reason: why the recording ended early, or NULL. */
static int keep(struct recording *rec, const struct cs_error *reason,
		struct cs_error *error)
{
	char size[CS_IO_TEXT];
	struct cs_error why;
	uint64_t bytes;
	int code;

	/* the tail of the beginning will do when there is no room for a better one */
	end_file(rec, NULL);
	code = cs_dat_finish(rec->target.part, rec->target.fd, &bytes, &why);
	cs_io_size_text(rec->bytes, size);
	if (!code)
		code = cs_target_commit(&rec->target, &why);
	if (code && !cs_target_there(&rec->target))
		return cs_error_set(error, code,
				    "%s: was removed while it was recorded; nothing is "
				    "kept",
				    rec->target.part);
	if (code) {
		rec->kept = true;
		return cs_error_set(
			error, code,
			"%.200s; %s are kept in %.100s: make room or mend it, then "
			"'ctxsw report -i' opens it and the next 'ctxsw record -o' "
			"finishes it",
			reason ? reason->text : why.text, size, rec->target.part);
	}
	if (reason)
		return cs_error_set(
			error, -EIO,
			"%.200s: stopped after %.1f s; %s were kept and are in %.150s",
			reason->text, (double)rec->length_ns / 1e9, size,
			rec->target.path);
	return 0;
}

static void summarise(struct recording *rec)
{
	char events[CS_IO_TEXT];
	char size[CS_IO_TEXT];
	char lost[CS_IO_TEXT];

	if (rec->options->quiet && !rec->stats.lost)
		return;
	say(rec, "%s: %.1f s, %s events, %s, %s lost, own CPU %.1f %%%s%s%s",
	    rec->target.path, (double)rec->length_ns / 1e9,
	    cs_io_count_text(rec->stats.events, events),
	    cs_io_size_text(rec->bytes, size), cs_io_count_text(rec->stats.lost, lost),
	    rec->wall_ns ? 100.0 * (double)rec->own_ns / (double)rec->wall_ns : 0.0,
	    rec->stats.lost ? "; a larger -b loses fewer" : "",
	    rec->target.renamed ? "; the one before is now " : "",
	    rec->target.renamed ? rec->target.old : "");
}

static void report_command(struct recording *rec)
{
	struct cs_child *child = &rec->child;

	if (!child->pid)
		return;
	if (!cs_child_wait(child, rec->end == END_COMMAND ? 0 : COMMAND_END_MS)) {
		say(rec, "command: still runs, pid %d", child->pid);
		return;
	}
	if (WIFEXITED(child->status) && WEXITSTATUS(child->status))
		say(rec, "command exited with %d", WEXITSTATUS(child->status));
	else if (WIFSIGNALED(child->status) && rec->end == END_COMMAND)
		say(rec, "command was ended by signal %d (%s)", WTERMSIG(child->status),
		    strsignal(WTERMSIG(child->status)));
}

/* The reverse of setting up; what it says first is what the user sees. */
static int take_down(struct recording *rec, int code, struct cs_error *error)
{
	struct cs_error late;
	int late_code;

	if (!rec->drained)
		cs_drains_stop(&rec->drains, NULL);
	cs_drains_close(&rec->drains, rec->drained);
	if (rec->drained) {
		struct cs_error reason = *error;

		code = keep(rec, code ? &reason : NULL, error);
	} else {
		cs_target_discard(&rec->target);
	}
	late_code = cs_session_close(&rec->session, &late);
	if (late_code && !code) {
		*error = late;
		code = late_code;
	} else if (late_code) {
		say(rec, "%s", late.text);
	}
	return code;
}

int cs_record_run(const struct cs_record_options *options, struct cs_error *error)
{
	struct recording rec = {
		.options = options,
		.target = {.fd = -1},
		.child = {.go = -1, .failed = -1},
		.session = {.tracing_fd = -1},
		.drains = {.stop = -1, .fault = -1},
		.signals = -1,
	};
	int code;

	fill_standard_fds();
	cs_progress_init(&rec.progress, STDERR_FILENO, options->quiet);
	code = set_up(&rec, error);
	if (!code)
		code = run(&rec, error);
	code = take_down(&rec, code, error);
	if (!code)
		summarise(&rec);
	if (rec.drained)
		report_command(&rec);
	cs_child_fini(&rec.child);
	cs_target_close(&rec.target);
	cs_events_fini(&rec.events);
	cs_tasks_fini(&rec.tasks);
	cs_session_forget();
	unblock_signals(&rec);
	return code;
}

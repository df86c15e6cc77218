/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ctxsw report: a trace file in, a report or its events as text out.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/report.h"
#include "user/command.h"
#include "user/input/reader.h"
#include "user/limits.h"
#include "user/options.h"
#include "user/outfile.h"
#include "user/output/dump.h"
#include "user/output/render.h"
#include "user/parse.h"

#define WORST	  5
#define ROWS	  10
#define COUNT_MAX 1000000

/* NR_CPUS of no distribution is larger; PID_MAX_LIMIT of include/linux/threads.h;
 * MAX_PRIO - 1 of include/linux/sched/prio.h, and -1 for deadline */
#define CPU_MAX	 8191
#define PID_MAX	 4194304
#define PRIO_MIN (-1)
#define PRIO_MAX 139

static const char usage[] =
	"Usage: ctxsw report [OPTIONS] [[-i] FILE]\n"
	"\n"
	"Reports context switches, wakeup latency and preemption of a trace.\n"
	"\n"
	"  -i, --input FILE          trace.dat, or events as text (trace.dat)\n"
	"  -a, --analysis NAME,...   only these: switches, latency, preemption,\n"
	"                            inversion, phases\n"
	"  -f, --format FORMAT       text or json (text)\n"
	"  -o, --output FILE         write there, whole or not at all; - for standard output\n"
	"      --buffer NAME         read this buffer instance of the trace\n"
	"      --dump                write the events as text instead of a report\n"
	"\n"
	"Only what happened ... (health stays that of the whole trace)\n"
	"      --cpu LIST            on these CPUs: 0-3,7\n"
	"      --pid LIST            to these tasks\n"
	"      --comm GLOB           to tasks of this name; may be repeated\n"
	"      --prio LIST           at these kernel priorities: -1 deadline, 0-99 real-time,\n"
	"                            100-139 fair (120 is nice 0)\n"
	"      --time A,B            between two times of the trace clock, in s, or TIME: 5,7.5\n"
	"                            or 100ms,; +1,+2 counts from the trace's first event\n"
	"\n"
	"      --worst N             how many worst cases to keep (5)\n"
	"      --rows N              how many rows of a table to show as text (10)\n"
	"      --fail-above METRIC=VALUE\n"
	"                            exit with 3 if a number of the JSON report is larger:\n"
	"                            latency.wakeup.max_ns=100us; may be repeated\n"
	"  -h, --help                show this\n";

enum {
	OPTION_BUFFER = 256,
	OPTION_DUMP,
	OPTION_CPU,
	OPTION_PID,
	OPTION_COMM,
	OPTION_PRIO,
	OPTION_TIME,
	OPTION_WORST,
	OPTION_ROWS,
	OPTION_FAIL_ABOVE,
};

static const struct option longs[] = {
	{"input", required_argument, NULL, 'i'},
	{"analysis", required_argument, NULL, 'a'},
	{"format", required_argument, NULL, 'f'},
	{"output", required_argument, NULL, 'o'},
	{"buffer", required_argument, NULL, OPTION_BUFFER},
	{"dump", no_argument, NULL, OPTION_DUMP},
	{"cpu", required_argument, NULL, OPTION_CPU},
	{"pid", required_argument, NULL, OPTION_PID},
	{"comm", required_argument, NULL, OPTION_COMM},
	{"prio", required_argument, NULL, OPTION_PRIO},
	{"time", required_argument, NULL, OPTION_TIME},
	{"worst", required_argument, NULL, OPTION_WORST},
	{"rows", required_argument, NULL, OPTION_ROWS},
	{"fail-above", required_argument, NULL, OPTION_FAIL_ABOVE},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* One end of --time; from the first event on when it is relative. */
struct moment {
	uint64_t ns;
	bool given;
	bool relative;
};

/**
 * struct job - what the user asked for
 * @shaping: an option was given that has no meaning for a dump
 */
struct job {
	const char *input;
	const char *output;
	const char *buffer;
	const struct cs_renderer *renderer;
	char **analyses;
	uint32_t analyses_count;
	struct cs_options options;
	struct cs_filter filter;
	struct moment begin, end;
	struct cs_limits limits;
	bool dump;
	bool help;
	const char *shaping;
};

static void say(const struct cs_error *error)
{
	if (error->text[0])
		fprintf(stderr, "ctxsw: %s\n", error->text);
}

/* ---- options -------------------------------------------------------------------- */

static int take_analyses(struct job *job, const char *text, struct cs_error *error)
{
	int ret;

	cs_names_free(job->analyses);
	ret = cs_parse_names(text, "analysis", &job->analyses, &job->analyses_count,
			     error);
	for (uint32_t i = 0; !ret && i < job->analyses_count; i++) {
		char known[256] = "";

		if (cs_analysis_find(job->analyses[i]))
			continue;
		for (size_t j = 0; cs_analyses[j]; j++) {
			strncat(known, j ? ", " : "", sizeof(known) - strlen(known) - 1);
			strncat(known, cs_analyses[j]->name,
				sizeof(known) - strlen(known) - 1);
		}
		ret = cs_error_set(error, -EINVAL,
				   "analysis '%.64s': not known; known are %s",
				   job->analyses[i], known);
	}
	return ret;
}

static int take_format(struct job *job, const char *text, struct cs_error *error)
{
	char known[256] = "";

	job->renderer = cs_renderer_find(text);
	if (job->renderer)
		return 0;
	for (size_t i = 0; cs_renderers[i]; i++) {
		strncat(known, i ? ", " : "", sizeof(known) - strlen(known) - 1);
		strncat(known, cs_renderers[i]->name, sizeof(known) - strlen(known) - 1);
	}
	return cs_error_set(error, -EINVAL, "format '%.64s': not known; known are %s",
			    text, known);
}

/* A list given twice is both of them. */
static int take_list(const char *text, int64_t min, int64_t max, const char *what,
		     struct cs_ranges *ranges, struct cs_error *error)
{
	struct cs_ranges more;
	struct cs_range *both;
	int ret = cs_parse_list(text, min, max, what, &more, error);

	if (ret)
		return ret;
	both = realloc(ranges->ranges, (ranges->count + more.count) * sizeof(*both));
	if (both) {
		memcpy(both + ranges->count, more.ranges, more.count * sizeof(*both));
		ranges->ranges = both;
		ranges->count += more.count;
	} else {
		ret = cs_error_set(error, -ENOMEM, "%s: out of memory", what);
	}
	cs_ranges_free(&more);
	return ret;
}

static int take_comm(struct cs_filter *filter, char *glob, struct cs_error *error)
{
	char **more;

	if (!*glob)
		return cs_error_set(error, -EINVAL, "--comm: the name is empty");
	more = realloc(filter->comms, (filter->comms_count + 1) * sizeof(*more));
	if (!more)
		return cs_error_set(error, -ENOMEM, "--comm: out of memory");
	more[filter->comms_count++] = glob;
	filter->comms = more;
	return 0;
}

static int take_moment(struct moment *moment, const char *text, size_t length,
		       struct cs_error *error)
{
	char copy[64];

	memset(moment, 0, sizeof(*moment));
	moment->given = length > 0;
	if (!length)
		return 0;
	moment->relative = *text == '+';
	text += moment->relative;
	length -= moment->relative;
	if (length >= sizeof(copy))
		return cs_error_set(error, -EINVAL, "time '%.32s...': too long", text);
	memcpy(copy, text, length);
	copy[length] = '\0';
	return cs_parse_time(copy, &moment->ns, error);
}

static int take_time(struct job *job, const char *text, struct cs_error *error)
{
	const char *comma = strchr(text, ',');
	int ret;

	if (!comma)
		return cs_error_set(error, -EINVAL,
				    "--time '%.64s': write A,B; either may be left out",
				    text);
	ret = take_moment(&job->begin, text, (size_t)(comma - text), error);
	if (!ret)
		ret = take_moment(&job->end, comma + 1, strlen(comma + 1), error);
	if (ret)
		return ret;
	if (!job->begin.given && !job->end.given)
		return cs_error_set(error, -EINVAL,
				    "--time '%.64s': has neither begin nor end", text);
	if (job->end.given && job->end.ns <= job->begin.ns &&
	    (job->begin.relative == job->end.relative || !job->end.ns))
		return cs_error_set(
			error, -EINVAL,
			"--time '%.64s': the end must be later than the begin", text);
	return 0;
}

static int take_count(const char *text, int64_t min, const char *what, uint32_t *count,
		      struct cs_error *error)
{
	int64_t number = 0;
	int ret = cs_parse_number(text, min, COUNT_MAX, what, &number, error);

	*count = (uint32_t)number;
	return ret;
}

static int take_input(struct job *job, const char *path, struct cs_error *error)
{
	if (job->input)
		return cs_error_set(error, -EINVAL,
				    "report: one trace at a time, not %.64s too", path);
	if (!*path)
		return cs_error_set(error, -EINVAL, "report: the file name is empty");
	if (!strcmp(path, "-"))
		return cs_error_set(error, -EINVAL,
				    "report: a trace cannot be read from a pipe; give "
				    "its file");
	job->input = path;
	return 0;
}

static int take_option(struct job *job, int option, struct cs_error *error)
{
	struct cs_filter *filter = &job->filter;

	switch (option) {
	case 'i':
		return take_input(job, optarg, error);
	case 'o':
		job->output = optarg;
		return 0;
	case OPTION_BUFFER:
		job->buffer = optarg;
		return 0;
	case OPTION_DUMP:
		job->dump = true;
		return 0;
	case 'h':
		job->help = true;
		return 0;
	}
	for (size_t i = 0; longs[i].name; i++)
		if (longs[i].val == option)
			job->shaping = longs[i].name;
	switch (option) {
	case 'a':
		return take_analyses(job, optarg, error);
	case 'f':
		return take_format(job, optarg, error);
	case OPTION_CPU:
		return take_list(optarg, 0, CPU_MAX, "CPU", &filter->cpus, error);
	case OPTION_PID:
		return take_list(optarg, 0, PID_MAX, "pid", &filter->pids, error);
	case OPTION_PRIO:
		return take_list(optarg, PRIO_MIN, PRIO_MAX, "priority", &filter->prios,
				 error);
	case OPTION_COMM:
		return take_comm(filter, optarg, error);
	case OPTION_TIME:
		return take_time(job, optarg, error);
	case OPTION_WORST:
		return take_count(optarg, 0, "--worst", &job->options.worst, error);
	case OPTION_ROWS:
		return take_count(optarg, 1, "--rows", &job->options.rows, error);
	default:
		return cs_limits_add(&job->limits, optarg, error);
	}
}

static int take_options(struct job *job, int argc, char **argv, struct cs_error *error)
{
	int option, ret = 0;

	optind = 0;
	while ((option = cs_options_next(argc, argv, ":i:a:f:o:h", longs, error)) != -1) {
		if (option == '?')
			return -EINVAL;
		ret = take_option(job, option, error);
		if (ret || job->help)
			return ret;
	}
	for (; optind < argc && !ret; optind++)
		ret = take_input(job, argv[optind], error);
	if (!ret && job->dump && job->shaping)
		ret = cs_error_set(
			error, -EINVAL,
			"report: --dump writes all events; --%s has no effect on them",
			job->shaping);
	if (!job->input)
		job->input = "trace.dat";
	return ret;
}

/* ---- a dump --------------------------------------------------------------------- */

static int dump(struct cs_reader *reader, FILE *out, struct cs_error *error)
{
	struct cs_dump text;
	struct cs_event ev;
	int ret;

	cs_dump_begin(&text, out, &reader->source);
	while ((ret = cs_reader_next(reader, &ev, error)) == 1) {
		cs_dump_event(&text, &ev);
		if (ferror(out))
			return 0; /* cs_outfile_commit() will say it */
	}
	cs_dump_end(&text, &reader->source);
	return ret;
}

/* ---- a report ------------------------------------------------------------------- */

static uint64_t resolve(const struct moment *moment, uint64_t first)
{
	uint64_t ns = moment->ns;

	if (moment->relative && __builtin_add_overflow(ns, first, &ns))
		return UINT64_MAX;
	return ns;
}

/* The first event tells what relative times count from. */
static struct cs_report *begin_report(struct job *job, uint64_t first,
				      struct cs_error *error)
{
	const char *const *names = (const char *const *)job->analyses;
	struct cs_report *report;

	if (job->begin.given)
		job->filter.begin = resolve(&job->begin, first);
	if (job->end.given)
		job->filter.end = resolve(&job->end, first);
	job->options.complete = job->renderer->complete;
	report = cs_report_new(names, job->analyses_count, &job->options, &job->filter);
	if (!report)
		cs_error_set(error, -errno, "report: %s", strerror(errno));
	return report;
}

/*
 * Feeds all events. 1 when there was a switch among them, 0 when not, -errno
 * with @error when the report is of no use. What the reader could not read is
 * told by @broken: the report is then about the events before.
 */
static int feed(struct job *job, struct cs_reader *reader, struct cs_report **report,
		struct cs_error *broken, struct cs_error *error)
{
	struct cs_event ev;
	bool switches = false;
	int ret;

	while ((ret = cs_reader_next(reader, &ev, broken)) == 1) {
		if (!*report) {
			*report = begin_report(job, ev.ts, error);
			if (!*report)
				return -EINVAL;
		}
		switches = switches || ev.type == CS_EVENT_SWITCH ||
			   ev.type == CS_EVENT_PHASES;
		ret = cs_report_event(*report, &ev);
		if (ret)
			return cs_error_set(error, ret, "report: out of memory");
	}
	if (ret < 0 && !broken->text[0])
		cs_error_set(broken, ret, "%s: %s", job->input, strerror(-ret));
	if (*report && cs_report_finish(*report))
		return cs_error_set(error, -ENOMEM, "report: out of memory");
	return switches;
}

/* 0, or the exit status when a limit is exceeded or cannot be checked. */
static int check_limits(const struct cs_limits *limits, const struct cs_node *root)
{
	int status = CS_EXIT_DONE;

	for (uint32_t i = 0; i < limits->count; i++) {
		struct cs_error error = {""};
		int ret = cs_limit_check(&limits->limits[i], root, &error);

		say(&error);
		if (ret < 0)
			status = CS_EXIT_ERROR;
		else if (ret && !status)
			status = CS_EXIT_LIMIT;
	}
	return status;
}

static int report(struct job *job, struct cs_reader *reader, struct cs_outfile *out)
{
	struct cs_render_options look = {.width = cs_render_width(out->stream)};
	struct cs_error error = {""}, broken = {""};
	struct cs_report *report = NULL;
	struct cs_result result;
	int status = CS_EXIT_ERROR;
	int ret = feed(job, reader, &report, &broken, &error);

	if (ret < 0)
		goto out;
	if (!ret && !broken.text[0])
		cs_error_set(&error, -ENODATA,
			     "%s: no sched_switch events; record with: ctxsw record, or "
			     "trace-cmd record -e sched_switch",
			     job->input);
	if (!ret)
		goto out;
	if (cs_report_result(report, &reader->source, &result)) {
		cs_error_set(&error, -ENOMEM, "report: out of memory");
		goto out;
	}
	if (broken.text[0])
		cs_result_string(&result, result.root, "error", "Reading ended early",
				 broken.text);
	if (!result.failed) {
		job->renderer->render(&result, &look, out->stream);
		ret = cs_outfile_commit(out, &error);
		if (!ret)
			status = check_limits(&job->limits, result.root);
		if (!ret && broken.text[0])
			status = CS_EXIT_ERROR;
	}
	cs_result_fini(&result);
	if (!ret && !cs_report_matched(report))
		cs_error_set(
			&error, 0,
			"filter: nothing in %s matches; its CPUs, tasks and times are "
			"in a report without filters",
			job->input);
out:
	say(&broken);
	say(&error);
	cs_report_free(report);
	return status;
}

static int run_job(struct job *job)
{
	struct cs_error error = {""};
	struct cs_reader *reader = cs_reader_open(job->input, job->buffer, &error);
	struct cs_outfile out;
	int status = CS_EXIT_ERROR;

	if (!reader) {
		say(&error);
		return CS_EXIT_ERROR;
	}
	if (cs_outfile_open(&out, job->output, job->input, &error)) {
		say(&error);
	} else if (job->dump) {
		int ret = dump(reader, out.stream, &error);

		say(&error);
		error.text[0] = '\0';
		if (!cs_outfile_commit(&out, &error) && !ret)
			status = CS_EXIT_DONE;
		say(&error);
	} else {
		status = report(job, reader, &out);
		cs_outfile_abandon(&out);
	}
	cs_reader_close(reader);
	return status;
}

static int run(int argc, char **argv)
{
	struct job job = {
		.renderer = cs_renderers[0],
		.options = {.worst = WORST, .rows = ROWS},
	};
	struct cs_error error = {""};
	int status;

	if (take_options(&job, argc, argv, &error)) {
		say(&error);
		status = CS_EXIT_USAGE;
	} else if (job.help) {
		status = cs_options_help(usage);
	} else {
		status = run_job(&job);
	}
	cs_names_free(job.analyses);
	cs_ranges_free(&job.filter.cpus);
	cs_ranges_free(&job.filter.pids);
	cs_ranges_free(&job.filter.prios);
	free(job.filter.comms);
	cs_limits_free(&job.limits);
	return status;
}

const struct cs_command cs_command_report = {
	.name = "report",
	.summary = "report on a recorded trace",
	.run = run,
};

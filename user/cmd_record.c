/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ctxsw record: parses what to record, and says what went wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/command.h"
#include "user/options.h"
#include "user/parse.h"
#include "user/record/record.h"

/*
 * Per CPU, in KB. At 150,000 events a second on a CPU this holds more than
 * half a second, and a drain comes round ten times a second.
 */
#define BUFFER_KB 8192
/* The kernel takes any size and may then kill tasks to get it. */
#define BUFFER_KB_MAX (64 << 20)

static const char usage[] =
	"Usage: ctxsw record [OPTIONS] [--] [COMMAND...]\n"
	"\n"
	"Records scheduler events until COMMAND ends, the time is over or Ctrl-C.\n"
	"\n"
	"  -o, --output FILE       where to (trace.dat); an earlier recording becomes FILE.old\n"
	"  -D, --duration TIME     end after TIME: 500ms 10s 5m 1h; COMMAND gets SIGTERM then\n"
	"  -b, --buffer-size KB    kernel buffer of each CPU (8192)\n"
	"  -C, --clock CLOCK       trace clock (mono; local where the kernel has no mono)\n"
	"  -e, --event EVENT       record EVENT and sched_switch instead of the default events;\n"
	"                          system:event, event or system; may be repeated\n"
	"      --for ANALYSIS,...  record what these need: switches, latency, preemption,\n"
	"                          inversion, phases\n"
	"      --module WHEN       events of the kernel module: auto (when it is loaded),\n"
	"                          require, off\n"
	"      --cpu LIST          these CPUs only: 0-3,7\n"
	"      --force             replace FILE even if it is no recording of ctxsw\n"
	"  -q, --quiet             no progress, no summary; losses and errors are still said\n"
	"  -h, --help              show this\n";

enum {
	OPTION_CPU = 256,
	OPTION_FOR,
	OPTION_FORCE,
	OPTION_MODULE,
};

static const struct option longs[] = {
	{"output", required_argument, NULL, 'o'},
	{"duration", required_argument, NULL, 'D'},
	{"buffer-size", required_argument, NULL, 'b'},
	{"clock", required_argument, NULL, 'C'},
	{"event", required_argument, NULL, 'e'},
	{"cpu", required_argument, NULL, OPTION_CPU},
	{"for", required_argument, NULL, OPTION_FOR},
	{"force", no_argument, NULL, OPTION_FORCE},
	{"module", required_argument, NULL, OPTION_MODULE},
	{"quiet", no_argument, NULL, 'q'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int take_analyses(struct cs_record_options *options, const char *text,
			 struct cs_error *error)
{
	uint32_t count;
	int code;

	cs_names_free(options->analyses);
	options->analyses = NULL;
	options->analysis_count = 0;
	code = cs_parse_names(text, "analysis", &options->analyses, &count, error);
	if (code)
		return code;
	options->analysis_count = count;
	for (uint32_t i = 0; i < count; i++)
		if (!cs_events_analysis_known(options->analyses[i]))
			return cs_error_set(error, -1,
					    "analysis '%s': not known; known are %s",
					    options->analyses[i], cs_events_analyses());
	return 0;
}

static int take_event(struct cs_record_options *options, char *name,
		      struct cs_error *error)
{
	char **more = realloc(options->events,
			      (options->event_count + 1) * sizeof(*more));

	if (!more)
		return cs_error_set(error, -1, "events: no memory");
	more[options->event_count++] = name;
	options->events = more;
	return 0;
}

static int take_duration(struct cs_record_options *options, const char *text,
			 struct cs_error *error)
{
	int code = cs_parse_time(text, &options->duration_ns, error);

	if (!code && !options->duration_ns)
		return cs_error_set(error, -1,
				    "duration '%s': must be longer than nothing", text);
	return code;
}

static int take_module(struct cs_record_options *options, const char *text,
		       struct cs_error *error)
{
	static const char *const modes[] = {
		[CS_KMOD_AUTO] = "auto",
		[CS_KMOD_REQUIRE] = "require",
		[CS_KMOD_OFF] = "off",
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(text, modes[i])) {
			options->module = (enum cs_kmod_mode)i;
			return 0;
		}
	}
	return cs_error_set(error, -1, "module '%s': must be auto, require or off", text);
}

static int take_option(struct cs_record_options *options, int option,
		       struct cs_error *error)
{
	struct cs_ranges *cpus = &options->session.cpus;
	int64_t number = 0;
	int code = 0;

	switch (option) {
	case 'o':
		options->path = optarg;
		break;
	case 'D':
		code = take_duration(options, optarg, error);
		break;
	case 'b':
		code = cs_parse_number(optarg, 1, BUFFER_KB_MAX, "buffer size", &number,
				       error);
		options->session.buffer_kb = (uint32_t)number;
		break;
	case 'C':
		options->session.clock = optarg;
		break;
	case 'e':
		code = take_event(options, optarg, error);
		break;
	case OPTION_CPU:
		cs_ranges_free(cpus);
		*cpus = (struct cs_ranges){0};
		code = cs_parse_list(optarg, 0, UINT16_MAX, "CPU", cpus, error);
		break;
	case OPTION_FOR:
		code = take_analyses(options, optarg, error);
		break;
	case OPTION_MODULE:
		code = take_module(options, optarg, error);
		break;
	case OPTION_FORCE:
		options->force = true;
		break;
	case 'q':
		options->quiet = true;
		break;
	default:
		code = -1;
	}
	return code;
}

static int run_record(int argc, char **argv)
{
	struct cs_record_options options = {
		.path = "trace.dat",
		.session = {.buffer_kb = BUFFER_KB},
	};
	struct cs_error error = {""};
	int status = CS_EXIT_DONE;
	int option;

	optind = 1;
	while (status == CS_EXIT_DONE &&
	       (option = cs_options_next(argc, argv, "+:o:D:b:C:e:qh", longs, &error)) !=
		       -1) {
		if (option == 'h') {
			status = cs_options_help(usage);
			goto out;
		}
		if (take_option(&options, option, &error))
			status = CS_EXIT_USAGE;
	}
	if (status == CS_EXIT_DONE && optind < argc)
		options.command = argv + optind;
	if (status == CS_EXIT_DONE && cs_record_run(&options, &error))
		status = CS_EXIT_ERROR;
	if (status != CS_EXIT_DONE)
		fprintf(stderr, "ctxsw: %s\n", error.text);
out:
	free(options.events);
	cs_names_free(options.analyses);
	cs_ranges_free(&options.session.cpus);
	return status;
}

const struct cs_command cs_command_record = {
	.name = "record",
	.summary = "record scheduler events into a trace.dat",
	.run = run_record,
};

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ctxsw doctor: what this system allows, what is missing, how to mend it.
 */
#include <errno.h>
#include <stdio.h>

#include "user/command.h"
#include "user/doctor/doctor.h"
#include "user/options.h"
#include "user/outfile.h"
#include "user/output/render.h"

static const char usage[] =
	"Usage: ctxsw doctor [-f FORMAT]\n"
	"\n"
	"Says what this system allows and tries whether recording works.\n"
	"\n"
	"  -f, --format FORMAT  text or json (text)\n"
	"  -h, --help           show this\n"
	"\n"
	"Exit status: 0 recording is possible; 1 it is not; 2 wrong usage.\n";

static const struct option longs[] = {
	{"format", required_argument, NULL, 'f'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int examine(struct cs_result *result)
{
	struct cs_doctor doctor;
	struct cs_node *ready, *verdict;

	cs_result_init(result);
	if (result->failed)
		return -ENOMEM;
	cs_result_string(result, result->root, "format", NULL, "ctxsw-doctor");
	cs_result_int(result, result->root, "version", NULL, CS_UNIT_NONE, 1);
	/* The verdict comes first; it is known last. */
	ready = cs_result_bool(result, result->root, "ready", NULL, false);
	verdict = cs_result_note(result, result->root, NULL);
	cs_doctor_begin(&doctor, result);
	cs_doctor_tracing(&doctor);
	cs_doctor_system(&doctor);
	if (result->failed)
		return -ENOMEM;
	ready->integer = doctor.ready;
	verdict->text = !doctor.ready ? "Recording is not possible here: see \"missing\"."
			: doctor.warnings
				? "Recording is possible: ctxsw record. Warnings are "
				  "about how good a measurement can be."
				: "Recording is possible: ctxsw record.";
	return doctor.ready ? CS_EXIT_DONE : CS_EXIT_ERROR;
}

static int show(const struct cs_renderer *renderer, struct cs_error *error)
{
	struct cs_outfile out;
	struct cs_render_options look = {0};
	struct cs_result result;
	int status = examine(&result);
	int ret;

	if (status < 0) {
		cs_result_fini(&result);
		return cs_error_set(error, status, "doctor: out of memory");
	}
	ret = cs_outfile_open(&out, NULL, NULL, error);
	if (!ret) {
		look.width = cs_render_width(out.stream);
		renderer->render(&result, &look, out.stream);
		ret = cs_outfile_commit(&out, error);
	}
	cs_result_fini(&result);
	return ret ? ret : status;
}

static int run(int argc, char **argv)
{
	const struct cs_renderer *renderer = cs_renderers[0];
	struct cs_error error = {""};
	int option, status = CS_EXIT_USAGE;

	optind = 0;
	while ((option = cs_options_next(argc, argv, ":f:h", longs, &error)) != -1) {
		if (option == 'h')
			return cs_options_help(usage);
		if (option == '?')
			goto out;
		renderer = cs_renderer_find(optarg);
		if (!renderer) {
			cs_error_set(&error, -EINVAL,
				     "format '%.64s': not known; known are text, json",
				     optarg);
			goto out;
		}
	}
	if (optind < argc) {
		cs_error_set(&error, -EINVAL, "doctor: takes no '%.64s'", argv[optind]);
		goto out;
	}
	status = show(renderer, &error);
	if (status < 0)
		status = CS_EXIT_ERROR;
out:
	if (error.text[0])
		fprintf(stderr, "ctxsw: %s\n", error.text);
	return status;
}

const struct cs_command cs_command_doctor = {
	.name = "doctor",
	.summary = "what this system allows, what is missing, how to mend it",
	.run = run,
};

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A report: one stream of events through tracker and filter into the chosen
 * analyses, and one result from all of them.
 */
#ifndef CS_ANALYSIS_REPORT_H
#define CS_ANALYSIS_REPORT_H

#include "analysis/analysis.h"
#include "analysis/filter.h"

/**
 * struct cs_source - where events come from, for the report's head
 * @path: what the user named, or NULL
 * @reader: "trace.dat", "text", "live"
 * @kernel: release of the traced kernel, or NULL
 * @arch: its machine, or NULL
 * @clock: trace clock, or NULL
 * @buffer: name of the buffer instance read; NULL or "" for the main one
 * @notes: things a person must know about this source; @notes_count of them
 * @cpus: CPUs that the source has, with or without events; 0: unknown
 */
struct cs_source {
	const char *path;
	const char *reader;
	const char *kernel;
	const char *arch;
	const char *clock;
	const char *buffer;
	const char *const *notes;
	uint32_t notes_count;
	uint32_t cpus;
};

struct cs_report;

/**
 * cs_report_new - a report to feed
 * @names: the analyses' names, or NULL for all
 * @names_count: of them
 * @options: copied
 * @filter: used, not copied; must live as long as the report; may be NULL
 *
 * Return: the report; NULL with errno ENOMEM, or EINVAL for a name that is none.
 */
struct cs_report *cs_report_new(const char *const *names, uint32_t names_count,
				const struct cs_options *options,
				const struct cs_filter *filter);

/** cs_report_event - take one event. Return: 0 or -ENOMEM. */
int cs_report_event(struct cs_report *report, const struct cs_event *ev);

/** cs_report_finish - the trace is over. Return: 0 or -ENOMEM. */
int cs_report_finish(struct cs_report *report);

/** cs_report_matched - whether the filter, if there is one, let anything through. */
bool cs_report_matched(const struct cs_report *report);

/** cs_report_tracker - its tracker, for counters and tests. */
const struct cs_tracker *cs_report_tracker(const struct cs_report *report);

/**
 * cs_report_result - the result so far
 * @report: the report
 * @source: where the events came from
 * @result: initialised here; the caller calls cs_result_fini()
 *
 * Return: 0 or -ENOMEM.
 */
int cs_report_result(const struct cs_report *report, const struct cs_source *source,
		     struct cs_result *result);

/** cs_report_free - free all; NULL is taken. */
void cs_report_free(struct cs_report *report);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of an analysis: spans and switches in, a result out. A new
 * analysis is one file and one line in analyses.c.
 */
#ifndef CS_ANALYSIS_ANALYSIS_H
#define CS_ANALYSIS_ANALYSIS_H

#include "analysis/result.h"
#include "analysis/span.h"
#include "analysis/tracker.h"

/**
 * struct cs_options - what the user asked for
 * @worst: how many worst cases to keep
 * @rows: how many rows of a table people see
 * @complete: the report is for a machine: long tables have all their rows; else
 *	      an analysis may leave out those that people do not see
 * @begin: start of the time filter, ns; set by the report, as is
 * @end: its end; UINT64_MAX: none
 */
struct cs_options {
	uint32_t worst;
	uint32_t rows;
	bool complete;
	uint64_t begin;
	uint64_t end;
};

/**
 * struct cs_analysis - one analysis
 * @name: its name on the command line and in the report
 * @spans: mask of the span kinds it wants: 1 << CS_SPAN_*
 * @size: bytes of its state; zeroed before init
 * @needs: the events it cannot do without: any one of this mask
 *	   (1 << CS_EVENT_*) must have been in the trace
 * @needs_text: for people: what to record
 * @init: 0 or -ENOMEM
 * @on_span: a span that passed the filter
 * @on_switch: a switch that passed the filter; NULL when not wanted
 * @on_phases: what a switch that passed the filter took; NULL when not wanted
 * @on_prio: a priority inherited or given back by a task that passed; NULL when not wanted
 * @failed: whether memory ran out since init
 * @result: adds its object to @parent; const: it may be called at any time
 * @fini: frees what the state holds
 */
struct cs_analysis {
	const char *name;
	uint32_t spans;
	uint32_t needs;
	const char *needs_text;
	size_t size;
	int (*init)(void *state, const struct cs_options *options);
	void (*on_span)(void *state, const struct cs_span *span);
	void (*on_switch)(void *state, const struct cs_switch *sw);
	void (*on_phases)(void *state, const struct cs_phases *phases);
	void (*on_prio)(void *state, const struct cs_prio_change *change);
	bool (*failed)(const void *state);
	void (*result)(const void *state, const struct cs_tracker *tracker,
		       struct cs_result *result, struct cs_node *parent);
	void (*fini)(void *state);
};

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report: events into the tracker, its spans through the filter into the
 * analyses, their results under one root.
 */
#include "analysis/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"

struct part {
	const struct cs_analysis *analysis;
	void *state;
};

/* The parts that want a kind of span, or switches. */
struct audience {
	const struct part **parts;
	uint32_t count;
};

struct cs_report {
	struct cs_tracker tracker;
	struct audience of_span[CS_SPAN_KINDS];
	struct audience of_switch;
	struct audience of_phases;
	struct audience of_prio;
	const struct cs_filter *filter; /* NULL: everything passes */
	bool passed;			/* the filter let something through */
	struct cs_options options;
	struct part *parts;
	uint32_t parts_count;
};

static void tell_span(const struct cs_report *report, const struct cs_span *span)
{
	const struct audience *audience = &report->of_span[span->kind];

	for (uint32_t i = 0; i < audience->count; i++)
		audience->parts[i]->analysis->on_span(audience->parts[i]->state, span);
}

static void on_span(void *ctx, const struct cs_span *span)
{
	tell_span(ctx, span);
}

static void on_span_filtered(void *ctx, const struct cs_span *span)
{
	struct cs_report *report = ctx;
	struct cs_span clipped = *span;

	if (!cs_filter_span(report->filter, &clipped))
		return;
	report->passed = true;
	tell_span(report, &clipped);
}

static void on_switch(void *ctx, const struct cs_switch *sw)
{
	const struct cs_report *report = ctx;
	const struct audience *audience = &report->of_switch;

	for (uint32_t i = 0; i < audience->count; i++)
		audience->parts[i]->analysis->on_switch(audience->parts[i]->state, sw);
}

static void on_switch_filtered(void *ctx, const struct cs_switch *sw)
{
	struct cs_report *report = ctx;

	if (!cs_filter_switch(report->filter, sw))
		return;
	report->passed = true;
	on_switch(report, sw);
}

static void on_phases(void *ctx, const struct cs_phases *phases)
{
	const struct cs_report *report = ctx;
	const struct audience *audience = &report->of_phases;

	for (uint32_t i = 0; i < audience->count; i++)
		audience->parts[i]->analysis->on_phases(audience->parts[i]->state,
							phases);
}

static void on_phases_filtered(void *ctx, const struct cs_phases *phases)
{
	const struct cs_report *report = ctx;
	const struct cs_switch sw = {
		.prev = phases->prev,
		.next = phases->next,
		.ts = phases->ts,
		.cpu = phases->cpu,
	};

	if (cs_filter_switch(report->filter, &sw))
		on_phases(ctx, phases);
}

static void on_prio(void *ctx, const struct cs_prio_change *change)
{
	const struct cs_report *report = ctx;
	const struct audience *audience = &report->of_prio;

	for (uint32_t i = 0; i < audience->count; i++)
		audience->parts[i]->analysis->on_prio(audience->parts[i]->state, change);
}

/* Both ends of a boost must arrive, so time is for the analysis to see to. */
static void on_prio_filtered(void *ctx, const struct cs_prio_change *change)
{
	const struct cs_report *report = ctx;

	if (cs_filter_task(report->filter, change->task))
		on_prio(ctx, change);
}

static bool is_chosen(const struct cs_analysis *analysis, const char *const *names,
		      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(names[i], analysis->name))
			return true;
	return !names;
}

static int add_part(struct cs_report *report, const struct cs_analysis *analysis)
{
	struct part *part = &report->parts[report->parts_count];

	part->state = calloc(1, analysis->size);
	if (!part->state)
		return -ENOMEM;
	part->analysis = analysis;
	report->parts_count++;
	return analysis->init(part->state, &report->options);
}

/* What a part may want, beside the kinds of spans. */
enum want { WANT_SWITCH = CS_SPAN_KINDS, WANT_PHASES, WANT_PRIO };

static bool wants(const struct cs_analysis *analysis, unsigned int what)
{
	switch (what) {
	case WANT_SWITCH:
		return analysis->on_switch != NULL;
	case WANT_PHASES:
		return analysis->on_phases != NULL;
	case WANT_PRIO:
		return analysis->on_prio != NULL;
	default:
		return analysis->spans >> what & 1;
	}
}

/* So that no event is offered to a part that does not want it. */
static int gather(const struct cs_report *report, struct audience *audience,
		  unsigned int what)
{
	audience->parts = calloc(report->parts_count + (size_t)1,
				 sizeof(*audience->parts));
	if (!audience->parts)
		return -ENOMEM;
	for (uint32_t i = 0; i < report->parts_count; i++) {
		if (wants(report->parts[i].analysis, what))
			audience->parts[audience->count++] = &report->parts[i];
	}
	return 0;
}

static int add_parts(struct cs_report *report, const char *const *names, uint32_t count)
{
	uint32_t all = 0;
	int err = 0;

	for (uint32_t i = 0; names && i < count; i++)
		if (!cs_analysis_find(names[i]))
			return -EINVAL;
	while (cs_analyses[all])
		all++;
	report->parts = calloc(all, sizeof(*report->parts));
	if (!report->parts)
		return -ENOMEM;
	for (uint32_t i = 0; i < all && !err; i++)
		if (is_chosen(cs_analyses[i], names, count))
			err = add_part(report, cs_analyses[i]);
	for (unsigned int kind = 0; kind < CS_SPAN_KINDS && !err; kind++)
		err = gather(report, &report->of_span[kind], kind);
	if (!err)
		err = gather(report, &report->of_switch, WANT_SWITCH);
	if (!err)
		err = gather(report, &report->of_phases, WANT_PHASES);
	return err ? err : gather(report, &report->of_prio, WANT_PRIO);
}

struct cs_report *cs_report_new(const char *const *names, uint32_t names_count,
				const struct cs_options *options,
				const struct cs_filter *filter)
{
	struct cs_report *report = calloc(1, sizeof(*report));
	struct cs_sink sink = {
		.on_span = on_span,
		.on_switch = on_switch,
		.on_phases = on_phases,
		.on_prio = on_prio,
		.ctx = report,
	};
	int err;

	if (!report)
		return NULL;
	report->options = *options;
	report->options.begin = 0;
	report->options.end = UINT64_MAX;
	if (filter && cs_filter_active(filter)) {
		report->filter = filter;
		report->options.begin = filter->begin;
		if (filter->end)
			report->options.end = filter->end;
		sink.on_span = on_span_filtered;
		sink.on_switch = on_switch_filtered;
		sink.on_phases = on_phases_filtered;
		sink.on_prio = on_prio_filtered;
	}
	err = cs_tracker_init(&report->tracker, &sink);
	if (!err)
		err = add_parts(report, names, names_count);
	if (err) {
		cs_report_free(report);
		errno = -err;
		return NULL;
	}
	return report;
}

int cs_report_event(struct cs_report *report, const struct cs_event *ev)
{
	return cs_tracker_event(&report->tracker, ev);
}

int cs_report_finish(struct cs_report *report)
{
	cs_tracker_finish(&report->tracker);
	for (uint32_t i = 0; i < report->parts_count; i++)
		if (report->parts[i].analysis->failed(report->parts[i].state))
			return -ENOMEM;
	return 0;
}

bool cs_report_matched(const struct cs_report *report)
{
	return !report->filter || report->passed;
}

const struct cs_tracker *cs_report_tracker(const struct cs_report *report)
{
	return &report->tracker;
}

static void add_source(const struct cs_tracker *tracker, const struct cs_source *source,
		       struct cs_result *result, struct cs_node *root)
{
	struct cs_node *node = cs_result_object(result, root, "source", "Trace");
	bool any = tracker->begin != UINT64_MAX;
	uint32_t cpus = source->cpus;
	struct cs_node *list;

	for (uint32_t i = cpus; i < tracker->cpus_count; i++)
		if (tracker->cpus[i] && tracker->cpus[i]->seen)
			cpus = i + 1;
	cs_result_string(result, node, "path", "file", source->path);
	cs_result_string(result, node, "reader", NULL, source->reader);
	cs_result_string(result, node, "kernel", "kernel", source->kernel);
	cs_result_string(result, node, "arch", "machine", source->arch);
	cs_result_string(result, node, "clock", "clock", source->clock);
	if (source->buffer && *source->buffer)
		cs_result_string(result, node, "buffer", "buffer", source->buffer);
	cs_result_int(result, node, "cpus", "CPUs", CS_UNIT_COUNT, cpus);
	cs_result_int(result, node, "begin_ns", "begin", CS_UNIT_TIME,
		      any ? (int64_t)tracker->begin : CS_INT_NULL);
	cs_result_int(result, node, "end_ns", "end", CS_UNIT_TIME,
		      any ? (int64_t)tracker->end : CS_INT_NULL);
	cs_result_int(result, node, "duration_ns", "duration", CS_UNIT_NS,
		      any ? (int64_t)(tracker->end - tracker->begin) : CS_INT_NULL);
	list = cs_result_list(result, node, "notes", NULL);
	for (uint32_t i = 0; i < source->notes_count; i++) {
		cs_result_string(result, list, NULL, NULL, source->notes[i]);
		cs_result_note(result, node, source->notes[i]);
	}
}

static const struct cs_column cpu_columns[] = {
	{"cpu", "CPU", CS_TYPE_INT, CS_UNIT_CPU},
	{"begin_ns", "first event", CS_TYPE_INT, CS_UNIT_TIME},
	{"end_ns", "last event", CS_TYPE_INT, CS_UNIT_TIME},
};

static void add_cpus(const struct cs_report *report, struct cs_result *result,
		     struct cs_node *parent)
{
	const struct cs_tracker *tracker = &report->tracker;
	struct cs_node *table = cs_result_table(result, parent, "cpus", "Watched CPUs",
						cpu_columns, 3, report->options.rows);

	for (uint32_t i = 0; i < tracker->cpus_count; i++) {
		const struct cs_cpu *cpu = tracker->cpus[i];
		union cs_cell *row;

		if (!cpu || !cpu->seen)
			continue;
		row = cs_result_row(result, table);
		if (!row)
			return;
		row[0].integer = cpu->nr;
		row[1].integer = (int64_t)cpu->begin;
		row[2].integer = (int64_t)cpu->last;
	}
}

static void add_health(const struct cs_report *report, struct cs_result *result,
		       struct cs_node *root)
{
	const struct cs_health *health = &report->tracker.health;
	struct cs_node *node = cs_result_object(result, root, "health",
						"Health of the trace");
	const struct {
		const char *key;
		const char *label; /* shown always; else only when it is not 0 */
		const char *label_if;
		uint64_t value;
	} counters[] = {
		{"events", "events", NULL, health->events},
		{"switches", "switches", NULL, health->switches},
		{"lost", "lost events", NULL, health->lost},
		{"lost_unknown", NULL, "losses of an unknown number",
		 health->lost_unknown},
		{"losses", NULL, NULL, health->losses},
		{"late", NULL, "times that went backwards on a CPU", health->late},
		{"unexpected", NULL, "switches that do not follow from the last",
		 health->unexpected},
		{"negative", NULL, "waits that end before they begin", health->negative},
		{"raced", NULL, "sleepers traced as runnable", health->raced},
		{"dropped_spans", "spans left out as unknown", NULL,
		 health->dropped_spans},
		{"open_spans", "spans open at the end", NULL, health->open_spans},
	};

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		const char *label = counters[i].label;

		if (!label && counters[i].value)
			label = counters[i].label_if;
		cs_result_int(result, node, counters[i].key, label, CS_UNIT_COUNT,
			      (int64_t)counters[i].value);
	}
	add_cpus(report, result, node);
	if (health->losses)
		cs_result_note(
			result, node,
			"Events were lost: what happened around each loss is unknown and left "
			"out of every figure below.");
	if (health->unexpected)
		cs_result_note(
			result, node,
			"Some switches do not follow from the one before on their CPU: events "
			"are missing from the trace without being counted as lost.");
	if (!health->losses && !health->late && !health->unexpected && !health->negative)
		cs_result_note(result, node,
			       "Complete: nothing lost, nothing out of order.");
}

/* A CPU may be idle all the time, or not have been recorded: nobody can tell. */
static void add_unwatched(const struct cs_tracker *tracker,
			  const struct cs_source *source, struct cs_result *result,
			  struct cs_node *parent)
{
	uint32_t watched = 0;

	for (uint32_t i = 0; i < tracker->cpus_count; i++)
		watched += tracker->cpus[i] && tracker->cpus[i]->seen;
	cs_result_int(result, parent, "cpus_without_events", NULL, CS_UNIT_COUNT,
		      source->cpus > watched ? source->cpus - watched : 0);
	if (source->cpus > watched)
		cs_result_note(result, parent,
			       "Some CPUs have no events in this trace: what a task did "
			       "after it went there is unknown until it is back.");
}

static bool has_needs(const struct cs_health *health, const struct cs_analysis *analysis)
{
	for (unsigned int type = 0; type < CS_EVENT_TYPES; type++)
		if (analysis->needs >> type & 1 && health->seen[type])
			return true;
	return false;
}

static const struct cs_column missing_columns[] = {
	{"analysis", "analysis", CS_TYPE_TEXT, CS_UNIT_NONE},
	{"needs", "record these events", CS_TYPE_TEXT, CS_UNIT_NONE},
};

static void add_missing(const struct cs_report *report, struct cs_result *result,
			struct cs_node *root)
{
	struct cs_node *table = NULL;

	for (uint32_t i = 0; i < report->parts_count; i++) {
		const struct cs_analysis *analysis = report->parts[i].analysis;
		union cs_cell *row;

		if (has_needs(&report->tracker.health, analysis))
			continue;
		if (!table)
			table = cs_result_table(result, root, "missing",
						"Not in this report, for want of events",
						missing_columns, 2, UINT32_MAX);
		row = cs_result_row(result, table);
		if (!row)
			return;
		row[0].text = analysis->name;
		row[1].text = analysis->needs_text;
	}
}

/* What the trace lacks, said beside each result that it touches. */
static void add_doubt(const struct cs_health *health, struct cs_result *result,
		      struct cs_node *node)
{
	if (health->losses || health->late || health->unexpected)
		cs_result_note(
			result, node,
			"The trace has gaps (see health): spans across them are left out, so "
			"counts and sums here are lower bounds.");
}

int cs_report_result(const struct cs_report *report, const struct cs_source *source,
		     struct cs_result *result)
{
	const struct cs_tracker *tracker = &report->tracker;

	cs_result_init(result);
	if (!result->failed) {
		cs_result_string(result, result->root, "format", NULL, "ctxsw-report");
		cs_result_int(result, result->root, "version", NULL, CS_UNIT_NONE, 1);
		add_health(report, result, result->root);
		add_unwatched(tracker, source, result, result->root->children.last);
		add_source(tracker, source, result, result->root);
		if (report->filter)
			cs_result_note(
				result, result->root,
				report->passed
					? "Filtered: what follows is about the CPUs, tasks and "
					  "times that were asked for; health is of the whole "
					  "trace."
					: "The filter matches nothing in this trace: no such "
					  "CPU, task, priority or time is in it.");
		for (uint32_t i = 0; i < report->parts_count; i++) {
			const struct part *part = &report->parts[i];

			if (!has_needs(&tracker->health, part->analysis))
				continue;
			part->analysis->result(part->state, tracker, result,
					       result->root);
			add_doubt(&tracker->health, result, result->root->children.last);
		}
		add_missing(report, result, result->root);
	}
	if (!result->failed)
		return 0;
	cs_result_fini(result);
	return -ENOMEM;
}

void cs_report_free(struct cs_report *report)
{
	if (!report)
		return;
	for (uint32_t i = 0; i < report->parts_count; i++) {
		report->parts[i].analysis->fini(report->parts[i].state);
		free(report->parts[i].state);
	}
	for (int kind = 0; kind < CS_SPAN_KINDS; kind++)
		free(report->of_span[kind].parts);
	free(report->of_switch.parts);
	free(report->of_phases.parts);
	free(report->of_prio.parts);
	free(report->parts);
	cs_tracker_fini(&report->tracker);
	free(report);
}

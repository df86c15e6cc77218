/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracker: the only owner of scheduler state. Events in, spans and
 * switches out; the rules are in doc/definitions.md, "Task states and spans".
 */
#ifndef CS_ANALYSIS_TRACKER_H
#define CS_ANALYSIS_TRACKER_H

#include "analysis/cpu.h"
#include "analysis/module.h"
#include "analysis/span.h"

/**
 * struct cs_health - what is wrong with a trace, or was not understood
 * @events: records, of any kind
 * @seen: records of each canonical type
 * @switches: switches
 * @lost: records known to be lost
 * @lost_unknown: losses of an unknown number of records
 * @losses: losses in all
 * @late: time stamps that went backwards on one CPU
 * @unexpected: switches whose prev is not the task that was switched in
 *		there, or whose next still ran elsewhere
 * @negative: waits that would end before they began (clocks of two CPUs)
 * @raced: sleepers that the kernel traced as runnable
 * @dropped_spans: spans whose begin or end is unknown for one of these reasons
 * @open_spans: spans that the end of the trace cut
 */
struct cs_health {
	uint64_t events;
	uint64_t seen[CS_EVENT_TYPES];
	uint64_t switches;
	uint64_t lost;
	uint64_t lost_unknown;
	uint64_t losses;
	uint64_t late;
	uint64_t unexpected;
	uint64_t negative;
	uint64_t raced;
	uint64_t dropped_spans;
	uint64_t open_spans;
};

/* What a recording says of a task before it ran: see cs_tracker_event(). */
struct cs_identity {
	int32_t pid;
	int32_t tgid;
	bool kernel;
	uint64_t told; /* when: number of the event */
};

/**
 * struct cs_tracker - state of all CPUs and tasks
 * @tasks: all tasks
 * @cpus: by number; NULL where a CPU had no event. @cpus_count of them
 * @health: counters
 * @module: the kernel module that it was recorded with
 * @begin: first time stamp of the trace, ns; UINT64_MAX before there was one
 * @end: highest time stamp so far, ns
 */
struct cs_tracker {
	struct cs_task_table tasks;
	struct cs_cpu **cpus;
	uint32_t cpus_count;
	struct cs_health health;
	struct cs_module module;
	uint64_t begin;
	uint64_t end;
	struct cs_sink sink;
	struct cs_task **here;		/* by CPU: the tasks known and last seen there */
	struct cs_identity *identities; /* what markers told of tasks */
	uint32_t identities_count;
	uint32_t identities_room;
	bool identities_sorted;
	char **names; /* of interrupts, each once */
	uint32_t names_count;
};

/* A marker that begins so lists tasks: "pid/tgid", with a 'k' behind it for a
 * kernel thread. The recorder writes it, since a trace.dat has no tgids. */
#define CS_MARKER_TASKS "ctxsw:tasks "

/** cs_tracker_init - an empty tracker that sends to @sink. Return: 0, or -ENOMEM;
 * cs_tracker_fini() it in either case. */
int cs_tracker_init(struct cs_tracker *tracker, const struct cs_sink *sink);

/**
 * cs_tracker_event - take one event
 * @tracker: the tracker
 * @ev: the event, in the order of time within each CPU
 *
 * Disorder and loss are counted, never an error.
 *
 * Return: 0, or -ENOMEM.
 */
int cs_tracker_event(struct cs_tracker *tracker, const struct cs_event *ev);

/**
 * cs_tracker_finish - the trace is over: send what is still open, marked so
 * @tracker: the tracker; takes no event afterwards
 */
void cs_tracker_finish(struct cs_tracker *tracker);

/** cs_tracker_fini - free all. */
void cs_tracker_fini(struct cs_tracker *tracker);

/** cs_cpu_observed_ns - time that a CPU was watched, from its own start to the
 * end of the trace; valid after cs_tracker_finish(). */
uint64_t cs_cpu_observed_ns(const struct cs_tracker *tracker, const struct cs_cpu *cpu);

#endif

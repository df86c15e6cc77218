/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which events a recording takes: what each analysis needs, and what the
 * user asks for.
 */
#ifndef CS_USER_RECORD_EVENTS_H
#define CS_USER_RECORD_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "user/error.h"

/**
 * struct cs_events_item - one event, or all of a system
 * @system: its system
 * @event: its name; NULL: all of the system
 */
struct cs_events_item {
	char *system;
	char *event;
};

/** struct cs_events - a choice of events; zeroed memory is none. */
struct cs_events {
	struct cs_events_item *items;
	size_t count;
};

/** cs_events_analyses - the known analyses, as "switches, latency, ...". */
const char *cs_events_analyses(void);

/** cs_events_analysis_known - whether @name is one of them. */
bool cs_events_analysis_known(const char *name);

/**
 * cs_events_choose - choose from the events of this kernel
 * @events: filled; free with cs_events_fini() also on failure
 * @asked: what the user named: "system:event", "event" or "system"
 * @asked_count: how many; 0 with no @analyses: the default
 * @analyses: known names whose events are wanted
 * @analyses_count: how many
 * @error: on failure: names the event
 *
 * sched:sched_switch is always chosen.
 *
 * Return: 0, -ENOENT (no such event), -EINVAL (a wildcard, a malformed name)
 * or -ENOMEM.
 */
int cs_events_choose(struct cs_events *events, char *const *asked, size_t asked_count,
		     char *const *analyses, size_t analyses_count,
		     struct cs_error *error);

/**
 * cs_events_use_module - take the module's events instead of the kernel's
 * @events: the choice: switch_phases replaces sched_switch, pi_boost sched_pi_setprio
 * @locks: add the module's events about locks
 * @error: on failure
 *
 * Return: 0 or -ENOMEM.
 */
int cs_events_use_module(struct cs_events *events, bool locks, struct cs_error *error);

/**
 * cs_events_systems - the systems of the choice, each once
 * @events: the choice
 * @count: how many
 *
 * Return: the names, owned by @events; free the array alone. NULL: no memory.
 */
char **cs_events_systems(const struct cs_events *events, size_t *count);

/** cs_events_print_symbols - whether an event prints addresses as symbols. */
bool cs_events_print_symbols(const struct cs_events *events);

/** cs_events_fini - free. */
void cs_events_fini(struct cs_events *events);

#endif

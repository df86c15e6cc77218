/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which events a recording takes. What an analysis needs stands in one table.
 */
#include "user/record/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "include/ctxsw/abi.h"

enum analysis {
	SWITCHES = 1 << 0,
	LATENCY = 1 << 1,
	PREEMPTION = 1 << 2,
	INVERSION = 1 << 3,
	PHASES = 1 << 4,
	ALL = SWITCHES | LATENCY | PREEMPTION | INVERSION | PHASES,
	WAITS = LATENCY | PREEMPTION,
};

static const struct {
	const char *name;
	unsigned int bit;
} analyses_known[] = {
	{"switches", SWITCHES},	  {"latency", LATENCY}, {"preemption", PREEMPTION},
	{"inversion", INVERSION}, {"phases", PHASES},
};

/* What each needs. An event that this kernel lacks is left out. */
static const struct {
	const char *system;
	const char *event;
	unsigned int analyses;
	const char *instead; /* taken where there is no @event */
} needs[] = {
	{"sched", "sched_switch", ALL, NULL},
	/* who is who: names, processes, kernel threads */
	{"sched", "sched_process_fork", ALL, NULL},
	{"sched", "sched_process_exec", ALL, NULL},
	{"sched", "sched_process_exit", ALL, NULL},
	{"task", "task_newtask", ALL, NULL},
	{"task", "task_rename", ALL, NULL},
	/* when a wait begins, where, and how urgent it is */
	{"sched", "sched_waking", WAITS, "sched_wakeup"},
	{"sched", "sched_wakeup_new", WAITS, NULL},
	{"sched", "sched_migrate_task", WAITS, NULL},
	{"sched", "sched_pi_setprio", WAITS | INVERSION, NULL},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *cs_events_analyses(void)
{
	return "switches, latency, preemption, inversion, phases";
}

static unsigned int analysis_bit(const char *name)
{
	for (size_t i = 0; i < COUNT(analyses_known); i++)
		if (!strcmp(name, analyses_known[i].name))
			return analyses_known[i].bit;
	return 0;
}

bool cs_events_analysis_known(const char *name)
{
	return analysis_bit(name);
}

static bool exists(const char *system, const char *event)
{
	return tracefs_event_file_exists(NULL, system, event, "enable");
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static int add(struct cs_events *events, const char *system, const char *event)
{
	struct cs_events_item *more;
	struct cs_events_item item;

	for (size_t i = 0; i < events->count; i++)
		if (same(events->items[i].system, system) &&
		    same(events->items[i].event, event))
			return 0;
	more = realloc(events->items, (events->count + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	events->items = more;
	item.system = strdup(system);
	item.event = event ? strdup(event) : NULL;
	if (!item.system || (event && !item.event)) {
		free(item.system);
		free(item.event);
		return -ENOMEM;
	}
	more[events->count++] = item;
	return 0;
}

static int add_needs(struct cs_events *events, unsigned int analyses)
{
	int code = 0;

	for (size_t i = 0; i < COUNT(needs) && !code; i++) {
		if (!(needs[i].analyses & analyses))
			continue;
		if (exists(needs[i].system, needs[i].event))
			code = add(events, needs[i].system, needs[i].event);
		else if (needs[i].instead && exists(needs[i].system, needs[i].instead))
			code = add(events, needs[i].system, needs[i].instead);
	}
	return code;
}

/* @word: a system, or an event of any system. 0: nothing found. */
static int add_word(struct cs_events *events, const char *word)
{
	char **systems = tracefs_event_systems(NULL);
	int found = 0;
	int code = 0;

	for (char **system = systems; system && *system && !code; system++) {
		char **names;

		if (!strcmp(*system, "ftrace"))
			continue;
		if (!strcmp(*system, word)) {
			found++;
			code = add(events, *system, NULL);
		}
		names = tracefs_system_events(NULL, *system);
		for (char **name = names; name && *name && !code; name++) {
			if (strcmp(*name, word) || !exists(*system, word))
				continue;
			found++;
			code = add(events, *system, word);
		}
		tracefs_list_free(names);
	}
	tracefs_list_free(systems);
	return code ? code : found;
}

static int add_asked(struct cs_events *events, const char *text, struct cs_error *error)
{
	const char *colon = strchr(text, ':');
	char *system;
	int code;

	if (strpbrk(text, "*?["))
		return cs_error_set(
			error, -EINVAL,
			"event '%s': wildcards are not taken; name a system, an "
			"event or system:event",
			text);
	if (!*text || strchr(text, '/') || text[0] == '.')
		return cs_error_set(error, -EINVAL,
				    "event '%s': not a name; write system, event or "
				    "system:event",
				    text);
	if (!colon) {
		code = add_word(events, text);
		if (code)
			return code < 0 ? cs_error_set(error, code, "events: no memory")
					: 0;
	} else {
		if (colon == text || !colon[1] || colon[1] == '.' ||
		    strchr(colon + 1, ':'))
			return cs_error_set(error, -EINVAL,
					    "event '%s': not a name; write system:event",
					    text);
		system = strndup(text, (size_t)(colon - text));
		if (!system)
			return cs_error_set(error, -ENOMEM, "events: no memory");
		code = exists(system, colon + 1) ? add(events, system, colon + 1)
						 : -ENOENT;
		free(system);
		if (code != -ENOENT)
			return code ? cs_error_set(error, code, "events: no memory") : 0;
	}
	return cs_error_set(
		error, -ENOENT,
		"event '%s': this kernel has no such event; its events are in "
		"%s/available_events",
		text, tracefs_tracing_dir());
}

int cs_events_choose(struct cs_events *events, char *const *asked, size_t asked_count,
		     char *const *analyses, size_t analyses_count, struct cs_error *error)
{
	unsigned int wanted = asked_count || analyses_count ? 0 : ALL;
	int code = 0;

	*events = (struct cs_events){0};
	if (!exists("sched", "sched_switch"))
		return cs_error_set(
			error, -ENOENT,
			"event 'sched:sched_switch': this kernel does not have it, "
			"and nothing can be measured without it");
	for (size_t i = 0; i < analyses_count; i++)
		wanted |= analysis_bit(analyses[i]);
	if (add(events, "sched", "sched_switch") || add_needs(events, wanted))
		return cs_error_set(error, -ENOMEM, "events: no memory");
	for (size_t i = 0; i < asked_count && !code; i++)
		code = add_asked(events, asked[i], error);
	return code;
}

static void drop(struct cs_events *events, const char *system, const char *event)
{
	for (size_t i = 0; i < events->count; i++) {
		struct cs_events_item *item = &events->items[i];

		if (!same(item->system, system) || !same(item->event, event))
			continue;
		free(item->system);
		free(item->event);
		*item = events->items[--events->count];
		return;
	}
}

static bool has(const struct cs_events *events, const char *system, const char *event)
{
	for (size_t i = 0; i < events->count; i++)
		if (same(events->items[i].system, system) &&
		    same(events->items[i].event, event))
			return true;
	return false;
}

int cs_events_use_module(struct cs_events *events, bool locks, struct cs_error *error)
{
	static const char *const instead[][2] = {
		{"sched_switch", CTXSW_EVENT_SWITCH_PHASES},
		{"sched_pi_setprio", CTXSW_EVENT_PI_BOOST},
	};
	static const char *const more[] = {
		CTXSW_EVENT_LOCK_BLOCK,
		CTXSW_EVENT_LOCK_ACQUIRED,
	};
	int code = 0;

	for (size_t i = 0; i < COUNT(instead) && !code; i++) {
		if (!exists(CTXSW_EVENT_GROUP, instead[i][1]) ||
		    !has(events, "sched", instead[i][0]))
			continue;
		code = add(events, CTXSW_EVENT_GROUP, instead[i][1]);
		if (!code)
			drop(events, "sched", instead[i][0]);
	}
	for (size_t i = 0; locks && i < COUNT(more) && !code; i++)
		if (exists(CTXSW_EVENT_GROUP, more[i]))
			code = add(events, CTXSW_EVENT_GROUP, more[i]);
	return code ? cs_error_set(error, code, "events: no memory") : 0;
}

char **cs_events_systems(const struct cs_events *events, size_t *count)
{
	char **systems = calloc(events->count + 1, sizeof(*systems));

	*count = 0;
	for (size_t i = 0; systems && i < events->count; i++) {
		size_t j = 0;

		while (j < *count && strcmp(systems[j], events->items[i].system))
			j++;
		if (j == *count)
			systems[(*count)++] = events->items[i].system;
	}
	return systems;
}

/* Formats that print an address as a symbol: %ps %pS %pf %pF %pB. */
static bool format_prints_symbol(const char *system, const char *event)
{
	char *text = tracefs_event_file_read(NULL, system, event, "format", NULL);
	const char *at = text ? strstr(text, "print fmt:") : NULL;
	bool found = false;

	while (at && !found && (at = strstr(at, "%p")))
		found = at[2] && strchr("sSfFB", at[2]), at += 2;
	free(text);
	return found;
}

bool cs_events_print_symbols(const struct cs_events *events)
{
	bool found = false;

	for (size_t i = 0; i < events->count && !found; i++) {
		const struct cs_events_item *item = &events->items[i];
		char **names;

		if (item->event) {
			found = format_prints_symbol(item->system, item->event);
			continue;
		}
		names = tracefs_system_events(NULL, item->system);
		for (char **name = names; name && *name && !found; name++)
			found = format_prints_symbol(item->system, *name);
		tracefs_list_free(names);
	}
	return found;
}

void cs_events_fini(struct cs_events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		free(events->items[i].system);
		free(events->items[i].event);
	}
	free(events->items);
	*events = (struct cs_events){0};
}

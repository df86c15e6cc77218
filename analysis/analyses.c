/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of analyses: one line each.
 */
#include "analysis/analyses.h"

#include <string.h>

const struct cs_analysis *const cs_analyses[] = {
	&cs_analysis_switches,	&cs_analysis_latency, &cs_analysis_preemption,
	&cs_analysis_inversion, &cs_analysis_phases,  NULL,
};

const struct cs_analysis *cs_analysis_find(const char *name)
{
	for (const struct cs_analysis *const *at = cs_analyses; *at; at++)
		if (!strcmp((*at)->name, name))
			return *at;
	return NULL;
}

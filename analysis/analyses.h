/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every analysis there is; the list itself is in analyses.c.
 */
#ifndef CS_ANALYSIS_ANALYSES_H
#define CS_ANALYSIS_ANALYSES_H

#include "analysis/analysis.h"

extern const struct cs_analysis cs_analysis_switches;	/* switches.c */
extern const struct cs_analysis cs_analysis_latency;	/* latency.c */
extern const struct cs_analysis cs_analysis_preemption; /* preemption.c */
extern const struct cs_analysis cs_analysis_inversion;	/* inversion.c */
extern const struct cs_analysis cs_analysis_phases;	/* phases.c */

/* The list, in the order of a report, ended by NULL. */
extern const struct cs_analysis *const cs_analyses[];

/** cs_analysis_find - an analysis by its name, or NULL. */
const struct cs_analysis *cs_analysis_find(const char *name);

#endif

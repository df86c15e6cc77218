/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel module that a trace was recorded with, as the recorder's marker
 * tells it: which phases of a switch it measures, and what its hooks cost.
 */
#ifndef CS_ANALYSIS_MODULE_H
#define CS_ANALYSIS_MODULE_H

#include "analysis/event.h"

/* A marker that begins so tells of the module:
 * "ctxsw:module abi=1 phases=prepare,mm cost_ns=prepare:30,mm:60". */
#define CS_MARKER_MODULE "ctxsw:module "

/**
 * struct cs_module - what the marker says; zeroed memory: there was none
 * @seen: there was one
 * @costs: it told the cost of the hooks
 * @phases: phases that the module can measure: 1 << enum cs_phase
 * @abi: its ABI version
 * @cost_ns: what the hooks add to each phase, ns
 */
struct cs_module {
	bool seen;
	bool costs;
	uint8_t phases;
	uint32_t abi;
	uint32_t cost_ns[CS_PHASES];
};

/** cs_phase_name - "prepare", "mm", "switch_to", "finish". */
const char *cs_phase_name(enum cs_phase phase);

/**
 * cs_module_parse - read a marker
 * @module: filled when it is one of the module; unknown words are passed over
 * @text: the marker, @length bytes
 *
 * Return: whether it is one.
 */
bool cs_module_parse(struct cs_module *module, const char *text, uint32_t length);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of the switch that a CPU is in, shared by phases.c and the architecture's return
 * hooks in assembler.
 */
#ifndef CTXSW_PHASES_H
#define CTXSW_PHASES_H

/* Offsets in struct ctxsw_cpu for the assembler; phases_x86.S, checked below. */
#define CTXSW_CPU_MM_CALLER	0
#define CTXSW_CPU_MM_END	8
#define CTXSW_CPU_FINISH_CALLER	16

#ifndef __ASSEMBLY__
#include <linux/build_bug.h>
#include <linux/linkage.h>
#include <linux/percpu.h>

#include "emit.h"

enum ctxsw_stage {
	CTXSW_STAGE_NONE,
	CTXSW_STAGE_PREPARE,
	CTXSW_STAGE_MM,		/* and what follows, up to finish */
	CTXSW_STAGE_FINISH,
};

/**
 * struct ctxsw_cpu - the switch that a CPU is in
 * @mm_caller:		where the address space function really returns to
 * @mm_end:		its clock at that return
 * @finish_caller:	where finish_task_switch() really returns to
 * @begin:		clock at the sched_switch tracepoint
 * @mm_begin:		clock at the entry of the address space function
 * @finish_begin:	clock at the entry of finish_task_switch()
 * @interrupts:		ctxsw_interrupts() at the begin
 * @stage:		enum ctxsw_stage
 * @measured:		CTXSW_F_* of the boundaries that were seen
 * @calibrating:	this is not a real switch, write no record
 * @record:		the record as it grows
 */
struct ctxsw_cpu {
	unsigned long		mm_caller;
	u64			mm_end;
	unsigned long		finish_caller;
	u64			begin;
	u64			mm_begin;
	u64			finish_begin;
	unsigned int		interrupts;
	u8			stage;
	u8			measured;
	bool			calibrating;
	struct ctxsw_switch	record;
} ____cacheline_aligned;

static_assert(offsetof(struct ctxsw_cpu, mm_caller) == CTXSW_CPU_MM_CALLER);
static_assert(offsetof(struct ctxsw_cpu, mm_end) == CTXSW_CPU_MM_END);
static_assert(offsetof(struct ctxsw_cpu, finish_caller) == CTXSW_CPU_FINISH_CALLER);

DECLARE_PER_CPU(struct ctxsw_cpu, ctxsw_cpu);

/* phases_x86.S: never called, only returned to. */
void ctxsw_mm_return(void);
void ctxsw_finish_return(void);

asmlinkage void ctxsw_finish_end(u64 now);

#endif
#endif

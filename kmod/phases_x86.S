/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where hooked functions return to, x86-64. Each reads the clock, and goes to where the
 * function was called from, with its return value and all callee-saved registers untouched.
 */
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#include <asm/unwind_hints.h>

#include "phases.h"

/*
 * The hooked function's ret comes here, the stack is as at the instruction after its call.
 * Putting back the return address makes it look like a function's entry again, also for the
 * stack unwinder. It looks up address - 1 for a caller: hence the int3 before the label.
 */
.macro ENTERED_BY_RETURN name, caller
	int3
SYM_CODE_START(\name)
	UNWIND_HINT_FUNC
	ANNOTATE_NOENDBR
	pushq	PER_CPU_VAR(ctxsw_cpu + \caller)
	UNWIND_HINT_FUNC
.endm

	.text

ENTERED_BY_RETURN ctxsw_mm_return, CTXSW_CPU_MM_CALLER
	pushq	%rax
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	movq	%rax, PER_CPU_VAR(ctxsw_cpu + CTXSW_CPU_MM_END)
	popq	%rax
	RET
SYM_CODE_END(ctxsw_mm_return)

ENTERED_BY_RETURN ctxsw_finish_return, CTXSW_CPU_FINISH_CALLER
	pushq	%rax
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	movq	%rax, %rdi
	call	ctxsw_finish_end
	popq	%rax
	RET
SYM_CODE_END(ctxsw_finish_return)

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the raw prev_state of sched_switch to a set of letters, as the print format
 * in the trace defines it: letters and the preempted bit moved many times.
 */
#ifndef CS_USER_INPUT_STATES_H
#define CS_USER_INPUT_STATES_H

#include <stddef.h>

#include "analysis/event.h"

/* What the number is. */
enum cs_states_kind {
	CS_STATES_MASK,	   /* a mask of the print format's bits */
	CS_STATES_INDEX,   /* 4.14: number of the bit, counted from 1; R is 0 */
	CS_STATES_SHIFTED, /* 4.15 to 4.19: the mask one too far left; R is 1 */
};

/**
 * struct cs_states - how one trace writes states
 * @letters: the letter of each bit, 0 where it has none
 * @plus: the preempted bit as a mask, 0 where it is not known
 * @kind: enum cs_states_kind
 * @known: the print format told the letters
 * @of_bit: the state of each bit, CS_STATE_UNKNOWN where it has none or @kind is
 *	    no mask; what cs_states_quick() needs
 */
struct cs_states {
	cs_state of_bit[32];
	char letters[32];
	uint32_t plus;
	uint8_t kind;
	bool known;
};

/**
 * cs_states_parse - learn letters and the preempted bit from a print format
 * @states: result
 * @text: the format file from "print fmt:" on; need not end with NUL
 * @length: bytes of it
 *
 * Takes the pairs of the __print_flags() on prev_state and the constant in
 * `prev_state & X ? "+" : ""`; each number may be an expression of constants.
 * Where the format has none, only the four letters that never moved are known:
 * S, D, T and t (bits 0 to 3 since 2.6.14).
 */
void cs_states_parse(struct cs_states *states, const char *text, size_t length);

/**
 * cs_states_decode - what a raw state means
 * @states: of the trace
 * @raw: prev_state, its upper bits zero where the field is shorter
 * @unknown: set to the bits that have no letter
 *
 * Return: the state; CS_STATE_UNKNOWN is in it when @unknown is not 0 or the
 * kernel wrote two states as one number.
 */
cs_state cs_states_decode(const struct cs_states *states, uint64_t raw,
			  uint32_t *unknown);

/**
 * cs_states_quick - what a raw state of no or one bit means
 *
 * Return: the state; CS_STATE_UNKNOWN: ask cs_states_decode().
 */
static inline cs_state cs_states_quick(const struct cs_states *states, uint64_t raw)
{
	if (!raw)
		return states->kind == CS_STATES_SHIFTED ? CS_STATE_UNKNOWN
							 : CS_STATE_RUNNABLE;
	if (raw & (raw - 1) || raw >> 32)
		return CS_STATE_UNKNOWN;
	return states->of_bit[__builtin_ctzll(raw)];
}

/**
 * cs_states_note - what a person must know about these states
 *
 * Return: a sentence, or NULL when there is nothing.
 */
const char *cs_states_note(const struct cs_states *states);

/**
 * struct cs_states_seen - raw values of a piece of trace, for cs_states_settle()
 * @idle_zero: the idle task left with 0
 * @idle_one: the idle task left with 1
 * @bits: OR of all values seen
 */
struct cs_states_seen {
	uint64_t idle_zero;
	uint64_t idle_one;
	uint64_t bits;
};

/**
 * cs_states_doubtful - whether a kernel may have written something else than a mask
 * @release: of the traced kernel, as uname -r, or NULL
 */
bool cs_states_doubtful(const char *release);

/**
 * cs_states_settle - decide what such a kernel wrote
 * @states: its @kind is set
 * @release: of the traced kernel
 * @seen: values from the trace's beginning
 *
 * 4.14 gave the return of task_state_index() itself; 3f5fe9fef5b2 (4.15, in 4.14
 * some sixty stable releases later) made it 1 << index; 3054426dc68e (4.20, and
 * stable releases of 4.14 and 4.19) made it 1 << (index - 1) as the print format
 * says. The idle task is always runnable when it leaves, so it tells the second
 * from the others; else a bit that no index reaches tells the last.
 */
void cs_states_settle(struct cs_states *states, const char *release,
		      const struct cs_states_seen *seen);

#endif

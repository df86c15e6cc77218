/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The letters of task states, read from the text of a print format.
 */
#include "user/input/states.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Deeper than any compiler writes a mask. */
#define DEPTH_MAX 64

/* A piece of text and how far it is read. */
struct scan {
	const char *at;
	const char *end;
	int depth;
};

static void skip_space(struct scan *scan)
{
	while (scan->at < scan->end && isspace((unsigned char)*scan->at))
		scan->at++;
}

static bool accept(struct scan *scan, const char *token)
{
	size_t length = strlen(token);

	skip_space(scan);
	if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, token, length))
		return false;
	scan->at += length;
	return true;
}

/*
 * Constant expressions of C as the kernel's macros leave them in a format: numbers,
 * parentheses, ~ - +, and the binary operators below, all of 64 bits unsigned.
 */
static bool expression(struct scan *scan, unsigned int level, uint64_t *value);

static bool number(struct scan *scan, uint64_t *value)
{
	unsigned int base = 10;
	bool any = false;

	if (scan->at < scan->end && *scan->at == '0') {
		base = 8;
		any = true;
		scan->at++;
		if (scan->at < scan->end && (*scan->at == 'x' || *scan->at == 'X')) {
			base = 16;
			any = false;
			scan->at++;
		}
	}
	*value = 0;
	for (; scan->at < scan->end; scan->at++) {
		int c = tolower((unsigned char)*scan->at);
		unsigned int digit = isdigit(c) ? c - '0' : c - 'a' + 10;

		if (!isalnum(c) || digit >= base)
			break;
		*value = *value * base + digit;
		any = true;
	}
	while (scan->at < scan->end && strchr("uUlL", *scan->at) && *scan->at)
		scan->at++;
	/* 12abc is no number. */
	return any && !(scan->at < scan->end &&
			(isalnum((unsigned char)*scan->at) || *scan->at == '_'));
}

static bool primary(struct scan *scan, uint64_t *value)
{
	bool done = false;

	if (scan->depth >= DEPTH_MAX)
		return false;
	scan->depth++;
	skip_space(scan);
	if (accept(scan, "(")) {
		done = expression(scan, 0, value) && accept(scan, ")");
	} else if (accept(scan, "~")) {
		done = primary(scan, value);
		*value = ~*value;
	} else if (accept(scan, "-")) {
		done = primary(scan, value);
		*value = -*value;
	} else if (accept(scan, "+")) {
		done = primary(scan, value);
	} else {
		done = number(scan, value);
	}
	scan->depth--;
	return done;
}

/* Binary operators, loosest first. */
static const char *const operators[][3] = {
	{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
};

#define LEVELS (sizeof(operators) / sizeof(operators[0]))

static bool apply(char operator, uint64_t left, uint64_t right, uint64_t *value)
{
	switch (operator) {
	case '|':
		*value = left | right;
		return true;
	case '^':
		*value = left ^ right;
		return true;
	case '&':
		*value = left & right;
		return true;
	case '<':
		*value = right < 64 ? left << right : 0;
		return true;
	case '>':
		*value = right < 64 ? left >> right : 0;
		return true;
	case '+':
		*value = left + right;
		return true;
	case '-':
		*value = left - right;
		return true;
	case '*':
		*value = left * right;
		return true;
	case '/':
		*value = right ? left / right : 0;
		return right;
	case '%':
		*value = right ? left % right : 0;
		return right;
	}
	return false;
}

static const char *operator_at(struct scan *scan, unsigned int level)
{
	for (unsigned int i = 0; i < 3 && operators[level][i]; i++)
		if (accept(scan, operators[level][i]))
			return operators[level][i];
	return NULL;
}

static bool expression(struct scan *scan, unsigned int level, uint64_t *value)
{
	const char *operator;
	uint64_t right = 0;

	*value = 0;
	if (level == LEVELS)
		return primary(scan, value);
	if (!expression(scan, level + 1, value))
		return false;
	while ((operator= operator_at(scan, level))) {
		if (!expression(scan, level + 1, &right) ||
		    !apply(*operator, * value, right, value))
			return false;
	}
	return true;
}

static const char *find(const char *from, const char *end, const char *word)
{
	return memmem(from, end - from, word, strlen(word));
}

/* One pair of __print_flags(): { EXPRESSION, "letter" } */
static bool pair(struct scan *scan, uint64_t *mask, char *letter)
{
	if (!accept(scan, "{") || !expression(scan, 0, mask) || !accept(scan, ",") ||
	    !accept(scan, "\""))
		return false;
	*letter = 0;
	if (scan->end - scan->at >= 2 && scan->at[1] == '"' &&
	    isalpha((unsigned char)scan->at[0]))
		*letter = scan->at[0];
	while (scan->at < scan->end && *scan->at != '"')
		scan->at++;
	return accept(scan, "\"") && accept(scan, "}");
}

static bool parse_letters(struct cs_states *states, const char *text, const char *end)
{
	struct scan scan = {.end = end};
	uint64_t mask;
	char letter;
	bool any = false;

	for (const char *at = text; (at = find(at, end, "__print_flags(")); at++) {
		const char *brace = memchr(at, '{', end - at);

		if (!brace || !find(at, brace, "prev_state"))
			continue;
		scan.at = brace;
		while (pair(&scan, &mask, &letter)) {
			/* One bit, one letter; 0 is R, more bits would be a mix. */
			if (mask && !(mask & (mask - 1)) && mask >> 32 == 0 && letter) {
				states->letters[__builtin_ctzll(mask)] = letter;
				any = true;
			}
			if (!accept(&scan, ","))
				break;
		}
		return any;
	}
	return false;
}

/* From "REC->prev_state & EXPRESSION ? "+" : """ */
static void parse_plus(struct cs_states *states, const char *text, const char *end)
{
	static const char key[] = "prev_state";
	struct scan scan = {.end = end};
	uint64_t mask;

	for (const char *at = text; (at = find(at, end, key)); at++) {
		scan.at = at + strlen(key);
		scan.depth = 0;
		while (accept(&scan, ")"))
			;
		if (!accept(&scan, "&") || !expression(&scan, 0, &mask))
			continue;
		while (accept(&scan, ")"))
			;
		if (!accept(&scan, "?") || !accept(&scan, "\"+\""))
			continue;
		if (mask >> 32 == 0)
			states->plus = mask;
		return;
	}
}

static void fill_quick(struct cs_states *states)
{
	for (unsigned int bit = 0; bit < sizeof(states->letters); bit++) {
		char letter = states->letters[bit];

		states->of_bit[bit] = CS_STATE_UNKNOWN;
		if (states->kind != CS_STATES_MASK)
			continue;
		if (states->plus == UINT32_C(1) << bit)
			states->of_bit[bit] = CS_STATE_PREEMPTED;
		else if (letter)
			states->of_bit[bit] = cs_state_of(letter);
	}
}

void cs_states_parse(struct cs_states *states, const char *text, size_t length)
{
	const char *end = text + length;

	memset(states, 0, sizeof(*states));
	states->known = parse_letters(states, text, end);
	parse_plus(states, text, end);
	if (!states->known) {
		memset(states->letters, 0, sizeof(states->letters));
		memcpy(states->letters, "SDTt", 4);
	}
	fill_quick(states);
}

static cs_state decode_bits(const struct cs_states *states, uint64_t bits,
			    uint64_t *unknown)
{
	cs_state state = CS_STATE_RUNNABLE;

	while (bits) {
		unsigned int bit = __builtin_ctzll(bits);
		char letter = bit < sizeof(states->letters) ? states->letters[bit] : 0;

		if (letter)
			state |= cs_state_of(letter);
		else
			*unknown |= UINT64_C(1) << bit;
		bits &= bits - 1;
	}
	return state;
}

cs_state cs_states_decode(const struct cs_states *states, uint64_t raw, uint32_t *unknown)
{
	uint64_t odd = 0;
	cs_state state = CS_STATE_RUNNABLE;

	if (states->kind == CS_STATES_SHIFTED) {
		/* The preempted bit and the idle state's are the same number. */
		if (raw & states->plus)
			odd = raw & states->plus;
		raw = (raw & ~(uint64_t)states->plus) >> 1;
	} else {
		if (raw & states->plus)
			state = CS_STATE_PREEMPTED;
		raw &= ~(uint64_t)states->plus;
		if (states->kind == CS_STATES_INDEX && raw) {
			if (raw <= sizeof(states->letters))
				raw = UINT64_C(1) << (raw - 1);
			else
				odd = raw, raw = 0;
		}
	}
	state |= decode_bits(states, raw, &odd);
	*unknown = odd >> 32 ? UINT32_MAX : (uint32_t)odd;
	return odd ? state | CS_STATE_UNKNOWN : state;
}

const char *cs_states_note(const struct cs_states *states)
{
	switch (states->kind) {
	case CS_STATES_INDEX:
		return "this kernel wrote task states as numbers, not as its print format says; "
		       "they are read as numbers";
	case CS_STATES_SHIFTED:
		return "this kernel wrote task states one bit too high and the same number for "
		       "preempted and idle (I); states are corrected, that number is shown as ?";
	}
	if (!states->known)
		return "the print format of sched_switch does not tell task states; only S, D, T "
		       "and t are told apart, preempted is not known";
	return NULL;
}

static bool version_of(const char *release, unsigned int *minor, unsigned int *patch)
{
	unsigned int major;

	*patch = 0;
	return release && sscanf(release, "%u.%u.%u", &major, minor, patch) >= 2 &&
	       major == 4;
}

bool cs_states_doubtful(const char *release)
{
	unsigned int minor, patch;

	return version_of(release, &minor, &patch) && minor >= 14 && minor <= 19;
}

/* Bits of X, Z, P and I, which no index (at most 8) has. */
#define NO_INDEX 0xf0u

void cs_states_settle(struct cs_states *states, const char *release,
		      const struct cs_states_seen *seen)
{
	unsigned int minor, patch;

	states->kind = CS_STATES_MASK;
	if (!cs_states_doubtful(release) || !version_of(release, &minor, &patch))
		return;
	if (seen->idle_one && !seen->idle_zero)
		states->kind = CS_STATES_SHIFTED;
	else if (minor == 14 && patch <= 62 && !(seen->bits & NO_INDEX))
		states->kind = CS_STATES_INDEX;
	fill_quick(states);
}

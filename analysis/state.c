/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Task states as text: the letters of the trace's own print format.
 */
#include "analysis/event.h"

#define LETTERS 52

static char letter_of(unsigned int bit)
{
	return bit < 26 ? 'A' + bit : 'a' + (bit - 26);
}

const char *cs_state_text(cs_state state, char *text)
{
	char *end = text;

	for (unsigned int bit = 0; bit < LETTERS; bit++) {
		if (!(state >> bit & 1))
			continue;
		if (end != text)
			*end++ = '|';
		*end++ = letter_of(bit);
	}
	if (state & CS_STATE_UNKNOWN) {
		if (end != text)
			*end++ = '|';
		*end++ = '?';
	}
	if (end == text)
		*end++ = 'R';
	if (state & CS_STATE_PREEMPTED)
		*end++ = '+';
	*end = '\0';
	return text;
}

bool cs_state_parse(const char *text, unsigned int length, cs_state *state)
{
	cs_state sum = CS_STATE_RUNNABLE;

	if (length > 1 && text[length - 1] == '+') {
		sum = CS_STATE_PREEMPTED;
		length--;
	}
	if (length % 2 == 0)
		return false;
	for (unsigned int i = 0; i < length; i++) {
		cs_state bit = cs_state_of(text[i]);

		if (i % 2) {
			if (text[i] != '|')
				return false;
			continue;
		}
		if (bit == CS_STATE_UNKNOWN && text[i] != '?')
			return false;
		sum |= bit;
	}
	*state = sum;
	return true;
}

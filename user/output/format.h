/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers and texts the way people read them on a terminal.
 */
#ifndef CS_USER_OUTPUT_FORMAT_H
#define CS_USER_OUTPUT_FORMAT_H

#include "analysis/result.h"

/* Longest text of a value; a longer one is cut and ends in "...". */
#define CS_VALUE_MAX 512

/**
 * struct cs_value - a value as text
 * @text: printable ASCII
 * @length: of @text
 * @right: a number, which a column aligns to the right
 */
struct cs_value {
	char text[CS_VALUE_MAX];
	unsigned int length;
	bool right;
};

/**
 * cs_format_int - write an integer by its unit
 * @value: filled
 * @unit: durations get 4 significant digits and a unit, priorities both forms
 *	  ("9 (RT 90)"), counts a comma before each group of three
 * @number: the integer; CS_INT_NULL becomes "-"
 * @column: it stands in a column: what lines it up with the others is added,
 *	    and units that the heading tells are left out
 */
void cs_format_int(struct cs_value *value, enum cs_unit unit, int64_t number,
		   bool column);

/** cs_format_real - write a real number; NaN becomes "-". */
void cs_format_real(struct cs_value *value, double number);

/** cs_format_bool - yes, no or "-". */
void cs_format_bool(struct cs_value *value, int64_t number);

/** cs_format_text - write a text, see cs_format_escape(); NULL becomes "-". */
void cs_format_text(struct cs_value *value, const char *text);

/**
 * cs_format_escape - one byte of a text so that no terminal obeys it
 * @byte: the byte
 * @text: filled, at least 5 bytes: the byte itself; \xNN when it is a control
 *	  or not ASCII; a backslash twice
 *
 * Return: its length.
 */
unsigned int cs_format_escape(char byte, char *text);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers and texts for people. Integer arithmetic throughout: a duration is
 * rounded once, here.
 */
#include "user/output/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void set(struct cs_value *value, const char *text)
{
	snprintf(value->text, sizeof(value->text), "%s", text);
	value->length = (unsigned int)strlen(value->text);
}

/* 1234567 as 1,234,567; @text has room for all of uint64_t. */
static void grouped(char *text, size_t size, bool negative, uint64_t number)
{
	char digits[24], *out = text;
	int count = snprintf(digits, sizeof(digits), "%" PRIu64, number);

	if (negative && size > 1)
		*out++ = '-';
	for (int i = 0; i < count && (size_t)(out - text) + 2 < size; i++) {
		if (i && (count - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
}

/* Four significant digits: the most decimals with which it has no more. */
static void duration(char *text, size_t size, bool negative, uint64_t ns, bool column)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	static const uint64_t powers[] = {1, 10, 100, 1000};
	const char *sign = negative ? "-" : "";
	char whole[40];

	if (ns < 1000) {
		snprintf(text, size, "%s%" PRIu64 " ns", sign, ns);
		return;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		/* The columns of "s" and "ms" line up. */
		const char *pad = column && i == 2 ? " " : "";

		for (int decimals = 3; decimals > 0; decimals--) {
			uint64_t step = units[i].ns / powers[decimals];
			uint64_t steps = ns / step + (ns % step >= (step + 1) / 2);

			if (steps >= 10000)
				continue;
			snprintf(text, size, "%s%" PRIu64 ".%0*" PRIu64 " %s%s", sign,
				 steps / powers[decimals], decimals,
				 steps % powers[decimals], units[i].name, pad);
			return;
		}
	}
	grouped(whole, sizeof(whole), negative,
		ns / 1000000000 + (ns % 1000000000 >= 500000000));
	snprintf(text, size, "%s s%s", whole, column ? " " : "");
}

/* Kernel priority and what the user set: include/linux/sched/prio.h */
static void priority(char *text, size_t size, int64_t prio, bool column)
{
	int width = column ? 3 : 0;

	if (prio == -1)
		snprintf(text, size, "%*d (deadline)", width, -1);
	else if (prio >= 0 && prio <= 99)
		snprintf(text, size, "%*d (RT %d)", width, (int)prio, 99 - (int)prio);
	else if (prio >= 100 && prio <= 139)
		snprintf(text, size, "%*d (nice %d)", width, (int)prio, (int)prio - 120);
	else
		snprintf(text, size, "%*" PRId64, width, prio);
}

void cs_format_int(struct cs_value *value, enum cs_unit unit, int64_t number, bool column)
{
	bool negative = number < 0;
	uint64_t size = negative ? 0 - (uint64_t)number : (uint64_t)number;
	char text[64];

	value->right = unit != CS_UNIT_PRIO;
	if (number == CS_INT_NULL) {
		set(value, unit == CS_UNIT_PRIO && column ? "  -" : "-");
		return;
	}
	switch (unit) {
	case CS_UNIT_COUNT:
		grouped(text, sizeof(text), negative, size);
		break;
	case CS_UNIT_NS:
		duration(text, sizeof(text), negative, size, column);
		break;
	case CS_UNIT_TIME:
		snprintf(text, sizeof(text), "%s%" PRIu64 ".%09" PRIu64 "%s",
			 negative ? "-" : "", size / 1000000000, size % 1000000000,
			 column ? "" : " s");
		break;
	case CS_UNIT_PRIO:
		priority(text, sizeof(text), number, column);
		break;
	default:
		snprintf(text, sizeof(text), "%" PRId64, number);
	}
	set(value, text);
}

void cs_format_real(struct cs_value *value, double number)
{
	char text[40];

	value->right = true;
	if (isnan(number))
		strcpy(text, "-");
	else
		snprintf(text, sizeof(text), "%.4g", number);
	set(value, text);
}

void cs_format_bool(struct cs_value *value, int64_t number)
{
	value->right = false;
	set(value, number == CS_INT_NULL ? "-" : number ? "yes" : "no");
}

unsigned int cs_format_escape(char byte, char *text)
{
	if (byte == '\\') {
		strcpy(text, "\\\\");
		return 2;
	}
	if (byte < ' ' || byte > '~') {
		snprintf(text, 5, "\\x%02x", (unsigned char)byte);
		return 4;
	}
	text[0] = byte;
	text[1] = '\0';
	return 1;
}

void cs_format_text(struct cs_value *value, const char *text)
{
	const unsigned int limit = sizeof(value->text) - 8;

	value->right = false;
	if (!text || !*text) {
		set(value, text ? "\"\"" : "-");
		return;
	}
	value->length = 0;
	for (; *text; text++) {
		if (value->length >= limit) {
			strcpy(value->text + value->length, "...");
			value->length += 3;
			return;
		}
		value->length += cs_format_escape(*text, value->text + value->length);
	}
}

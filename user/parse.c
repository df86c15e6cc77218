/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What users write on a command line: times, sizes, lists. All arithmetic is
 * on integers, so that neither the locale nor a rounding changes a value.
 */
#include "user/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Longest piece of the user's text that an error repeats. */
#define SHOWN 64

/* The digits behind a point are counted in parts of this. */
#define FRACTION 1000000000000000000ULL

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{"ns", 1},	    {"us", 1000},	  {"ms", 1000000},  {"s", 1000000000},
	{"m", 60000000000}, {"h", 3600000000000}, {"", 1000000000},
};

static int bad_time(struct cs_error *error, const char *text, const char *reason)
{
	return cs_error_set(error, -EINVAL, "time '%.*s': %s", SHOWN, text, reason);
}

int cs_parse_time(const char *text, uint64_t *ns, struct cs_error *error)
{
	uint64_t whole = 0, unit = 0, part = 0, scale = FRACTION;
	const char *c = text, *fraction = NULL;
	bool digits = false;

	for (; isdigit((unsigned char)*c); c++) {
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*c - '0'), &whole))
			return bad_time(error, text, "too large");
		digits = true;
	}
	if (*c == '.') {
		fraction = ++c;
		while (isdigit((unsigned char)*c)) {
			digits = true;
			c++;
		}
	}
	if (!digits)
		return bad_time(error, text, "not a time; write 500ms, 10s, 1.5m or 1h");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && !unit; i++)
		if (!strcmp(c, units[i].name))
			unit = units[i].ns;
	if (!unit)
		return bad_time(error, text,
				"not a time; its unit can be ns, us, ms, s, m or h");
	if (__builtin_mul_overflow(whole, unit, &whole))
		return bad_time(error, text, "too large");
	for (; fraction && isdigit((unsigned char)*fraction) && scale > 1; fraction++) {
		scale /= 10;
		part += scale * (uint64_t)(*fraction - '0');
	}
	/* What is below a nanosecond is cut off. */
	part = (uint64_t)((unsigned __int128)part * unit / FRACTION);
	if (__builtin_add_overflow(whole, part, ns))
		return bad_time(error, text, "too large");
	return 0;
}

/* A decimal number at *@text, which is moved behind it. */
static bool take_number(const char **text, int64_t *value)
{
	const char *c = *text;
	bool negative = *c == '-';
	int64_t sum = 0;

	if (negative)
		c++;
	if (!isdigit((unsigned char)*c))
		return false;
	for (; isdigit((unsigned char)*c); c++) {
		int digit = *c - '0';

		if (__builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, negative ? -digit : digit, &sum))
			return false;
	}
	*text = c;
	*value = sum;
	return true;
}

static int out_of_range(struct cs_error *error, const char *what, int64_t number,
			int64_t min, int64_t max)
{
	return cs_error_set(error, -EINVAL, "%s %lld: must be from %lld to %lld", what,
			    (long long)number, (long long)min, (long long)max);
}

int cs_parse_number(const char *text, int64_t min, int64_t max, const char *what,
		    int64_t *value, struct cs_error *error)
{
	const char *c = text;
	int64_t number;

	if (!take_number(&c, &number) || *c)
		return cs_error_set(error, -EINVAL, "%s '%.*s': not a whole number", what,
				    SHOWN, text);
	if (number < min || number > max)
		return out_of_range(error, what, number, min, max);
	*value = number;
	return 0;
}

/* One piece of a list, N or N-M, at *@text, which is moved behind it. */
static bool take_range(const char **text, struct cs_range *range)
{
	if (!take_number(text, &range->first))
		return false;
	range->last = range->first;
	if (**text == '-') {
		++*text;
		if (!take_number(text, &range->last))
			return false;
	}
	return !**text || **text == ',';
}

int cs_parse_list(const char *text, int64_t min, int64_t max, const char *what,
		  struct cs_ranges *ranges, struct cs_error *error)
{
	const char *c = text;
	uint32_t room = 1;
	int ret = 0;

	memset(ranges, 0, sizeof(*ranges));
	for (const char *comma = strchr(text, ','); comma; comma = strchr(comma + 1, ','))
		room++;
	ranges->ranges = calloc(room, sizeof(*ranges->ranges));
	if (!ranges->ranges)
		return cs_error_set(error, -ENOMEM, "%s: out of memory", what);

	for (;;) {
		struct cs_range range;

		if (!take_range(&c, &range))
			ret = cs_error_set(error, -EINVAL,
					   "%s '%.*s': not a list such as 0-3,7", what,
					   SHOWN, text);
		else if (range.last < range.first)
			ret = cs_error_set(error, -EINVAL, "%s %lld-%lld: goes backwards",
					   what, (long long)range.first,
					   (long long)range.last);
		else if (range.first < min || range.first > max)
			ret = out_of_range(error, what, range.first, min, max);
		else if (range.last > max)
			ret = out_of_range(error, what, range.last, min, max);
		if (ret)
			break;
		ranges->ranges[ranges->count++] = range;
		if (!*c)
			return 0;
		c++;
	}
	cs_ranges_free(ranges);
	return ret;
}

void cs_ranges_free(struct cs_ranges *ranges)
{
	free(ranges->ranges);
	memset(ranges, 0, sizeof(*ranges));
}

int cs_parse_names(const char *text, const char *what, char ***names, uint32_t *count,
		   struct cs_error *error)
{
	uint32_t room = 2;

	*count = 0;
	for (const char *comma = strchr(text, ','); comma; comma = strchr(comma + 1, ','))
		room++;
	*names = calloc(room, sizeof(**names));
	if (!*names)
		return cs_error_set(error, -ENOMEM, "%s: out of memory", what);

	for (;;) {
		size_t length = strcspn(text, ",");

		if (!length) {
			cs_names_free(*names);
			*names = NULL;
			return cs_error_set(error, -EINVAL, "%s: a name is empty", what);
		}
		(*names)[*count] = strndup(text, length);
		if (!(*names)[*count]) {
			cs_names_free(*names);
			*names = NULL;
			return cs_error_set(error, -ENOMEM, "%s: out of memory", what);
		}
		++*count;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

void cs_names_free(char **names)
{
	for (char **name = names; name && *name; name++)
		free(*name);
	free(names);
}

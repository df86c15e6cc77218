/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits on figures of a report.
 */
#include "user/limits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "user/parse.h"

#define DIGITS "0123456789"

static bool is_duration(const char *metric)
{
	size_t length = strlen(metric);

	return length > 3 && !strcmp(metric + length - 3, "_ns");
}

/* A plain decimal number: no sign, exponent, hexadecimal or infinity. */
static bool is_number(const char *text)
{
	size_t whole = strspn(text, DIGITS), part = 0;

	text += whole;
	if (*text == '.') {
		part = strspn(++text, DIGITS);
		text += part;
	}
	return whole + part > 0 && !*text;
}

static int take_value(struct cs_limit *limit, const char *text, const char *value,
		      struct cs_error *error)
{
	struct cs_error why;
	uint64_t ns;

	if (is_number(value)) {
		limit->value = strtod(value, NULL);
		return 0;
	}
	if (!is_duration(limit->metric))
		return cs_error_set(error, -EINVAL,
				    "--fail-above '%s': '%s' is not a number", text,
				    value);
	if (cs_parse_time(value, &ns, &why))
		return cs_error_set(error, -EINVAL, "--fail-above '%s': %s", text,
				    why.text);
	limit->value = (double)ns;
	return 0;
}

int cs_limits_add(struct cs_limits *limits, const char *text, struct cs_error *error)
{
	const char *equals = strrchr(text, '=');
	struct cs_limit *more;
	int ret;

	if (!equals || equals == text)
		return cs_error_set(error, -EINVAL,
				    "--fail-above '%s': write METRIC=VALUE, such as "
				    "latency.wakeup.max_ns=100us",
				    text);
	more = realloc(limits->limits, (limits->count + 1) * sizeof(*more));
	if (!more)
		return cs_error_set(error, -ENOMEM, "--fail-above: out of memory");
	limits->limits = more;
	more += limits->count;
	more->metric = strndup(text, (size_t)(equals - text));
	if (!more->metric)
		return cs_error_set(error, -ENOMEM, "--fail-above: out of memory");
	ret = take_value(more, text, equals + 1, error);
	if (ret)
		free(more->metric);
	else
		limits->count++;
	return ret;
}

int cs_limit_check(const struct cs_limit *limit, const struct cs_node *root,
		   struct cs_error *error)
{
	const char *metric = limit->metric;
	double value;
	int ret = cs_result_find(root, metric, &value);

	switch (ret) {
	case 0:
		break;
	case -ENODATA:
		return cs_error_set(error, ret,
				    "%s: has no samples, so its limit cannot be checked",
				    metric);
	case -EINVAL:
		return cs_error_set(
			error, ret,
			"%s: is not a number; name one below it, as in -f json", metric);
	default:
		return cs_error_set(error, ret,
				    "%s: no such metric in this report; see -f json",
				    metric);
	}
	if (value > limit->value)
		return cs_error_set(error, 1, "%s: %.15g is above the limit of %.15g",
				    metric, value, limit->value);
	return 0;
}

void cs_limits_free(struct cs_limits *limits)
{
	for (uint32_t i = 0; i < limits->count; i++)
		free(limits->limits[i].metric);
	free(limits->limits);
	memset(limits, 0, sizeof(*limits));
}

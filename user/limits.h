/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits that a user sets on figures of a report: --fail-above METRIC=VALUE.
 */
#ifndef CS_USER_LIMITS_H
#define CS_USER_LIMITS_H

#include <stdint.h>

#include "analysis/result.h"
#include "user/error.h"

/**
 * struct cs_limit - one limit
 * @metric: path of a number in the JSON report; part of what the user wrote
 * @value: the largest value that is allowed, in the metric's unit
 */
struct cs_limit {
	char *metric;
	double value;
};

/**
 * struct cs_limits - all of them; zeroed memory is none
 * @limits: @count of them
 */
struct cs_limits {
	struct cs_limit *limits;
	uint32_t count;
};

/**
 * cs_limits_add - take one more limit
 * @limits: the limits
 * @text: METRIC=VALUE; the value of a metric that ends in "_ns" may be a time
 *	  with a unit (100us), any other is a number
 * @error: on failure
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int cs_limits_add(struct cs_limits *limits, const char *text, struct cs_error *error);

/**
 * cs_limit_check - compare one limit with a result
 * @limit: the limit
 * @root: root of the result
 * @error: set unless the value is within the limit
 *
 * Return: 0 within it; 1 above it; -ENOENT, -EINVAL or -ENODATA when it cannot
 * be told: no such metric, no number, or no sample.
 */
int cs_limit_check(const struct cs_limit *limit, const struct cs_node *root,
		   struct cs_error *error);

/** cs_limits_free - free all of them. */
void cs_limits_free(struct cs_limits *limits);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What users write on a command line: times, sizes, lists.
 */
#ifndef CS_USER_PARSE_H
#define CS_USER_PARSE_H

#include <stdint.h>

#include "analysis/filter.h"
#include "user/error.h"

/**
 * cs_parse_time - a duration: 500ms 10s 5m 1h 250us 100ns; a bare number is s
 * @text: what the user wrote; a fraction is taken (1.5s)
 * @ns: result, ns
 * @error: on failure: what is wrong with it
 *
 * Return: 0 or -EINVAL (nothing, junk behind it, negative, too large).
 */
int cs_parse_time(const char *text, uint64_t *ns, struct cs_error *error);

/**
 * cs_parse_number - a whole number
 * @text: what the user wrote
 * @min: smallest allowed
 * @max: largest allowed
 * @what: names it in the error ("buffer size")
 * @value: result
 * @error: on failure: what is wrong with it
 *
 * Return: 0 or -EINVAL.
 */
int cs_parse_number(const char *text, int64_t min, int64_t max, const char *what,
		    int64_t *value, struct cs_error *error);

/**
 * cs_parse_list - a list such as 0-3,7; -1 is a number too
 * @text: what the user wrote
 * @min: smallest number allowed
 * @max: largest number allowed
 * @what: names it in the error ("CPU")
 * @ranges: result; free with cs_ranges_free()
 * @error: on failure: what is wrong with it
 *
 * Return: 0, -EINVAL (empty, junk, 3-1, out of range) or -ENOMEM.
 */
int cs_parse_list(const char *text, int64_t min, int64_t max, const char *what,
		  struct cs_ranges *ranges, struct cs_error *error);

/** cs_ranges_free - free what cs_parse_list() made. */
void cs_ranges_free(struct cs_ranges *ranges);

/**
 * cs_parse_names - a list of words with commas between them
 * @text: what the user wrote
 * @what: names it in the error ("analysis")
 * @names: result, ended by NULL; free with cs_names_free()
 * @count: how many
 * @error: on failure: what is wrong with it
 *
 * Return: 0, -EINVAL (an empty word) or -ENOMEM.
 */
int cs_parse_names(const char *text, const char *what, char ***names, uint32_t *count,
		   struct cs_error *error);

/** cs_names_free - free what cs_parse_names() made; NULL is taken. */
void cs_names_free(char **names);

#endif

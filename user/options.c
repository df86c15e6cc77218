/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of a command: getopt_long(3) with messages of our own.
 */
#include "user/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "user/command.h"

/* How an option with @val is written, or NULL. */
static const char *option_name(const struct option *longs, int val)
{
	for (; longs->name; longs++)
		if (longs->val == val)
			return longs->name;
	return NULL;
}

int cs_options_next(int argc, char **argv, const char *shorts, const struct option *longs,
		    struct cs_error *error)
{
	const char *command = argv[0], *word, *name, *hint = "not known";
	int got;

	opterr = 0;
	got = getopt_long(argc, argv, shorts, longs, NULL);
	if (got != '?' && got != ':')
		return got;

	word = argv[optind - 1]; /* where it is a long option */
	name = option_name(longs, optopt);
	if (got == ':') {
		if (name && optopt > 0 && optopt < 128 && strncmp(word, "--", 2))
			cs_error_set(error, -EINVAL,
				     "%s: option -%c (--%s) needs an argument", command,
				     optopt, name);
		else
			cs_error_set(error, -EINVAL, "%s: option --%s needs an argument",
				     command, name ? name : word);
	} else if (optopt && name) {
		cs_error_set(error, -EINVAL, "%s: option --%s takes no argument", command,
			     name);
	} else if (optopt) {
		cs_error_set(error, -EINVAL,
			     "%s: option -%c is not known; see: ctxsw help %s", command,
			     optopt, command);
	} else {
		size_t length = strcspn(word, "=");
		int matches = 0;

		for (const struct option *o = longs; o->name; o++)
			matches += length > 2 && !strncmp(word + 2, o->name, length - 2);
		if (matches > 1)
			hint = "ambiguous";
		cs_error_set(error, -EINVAL, "%s: option %.*s is %s; see: ctxsw help %s",
			     command, (int)(length > 40 ? 40 : length), word, hint,
			     command);
	}
	return '?';
}

int cs_options_help(const char *usage)
{
	if (fputs(usage, stdout) != EOF && !fflush(stdout))
		return CS_EXIT_DONE;
	fprintf(stderr, "ctxsw: standard output: %s\n", strerror(errno));
	return CS_EXIT_ERROR;
}

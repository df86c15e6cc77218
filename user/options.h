/* SPDX-License-Identifier: GPL-2.0 */
/*
 * getopt_long(3) with error messages like all others of ctxsw: one line that
 * names the option, "ctxsw: <command>: <reason>".
 */
#ifndef CS_USER_OPTIONS_H
#define CS_USER_OPTIONS_H

#include <getopt.h>

#include "user/error.h"

/**
 * cs_options_next - the next option of a command
 * @argc: of the command
 * @argv: of the command; argv[0] is its name
 * @shorts: as of getopt(3), but it must begin with ":" or "+:"
 * @longs: as of getopt_long(3); each val is not 0, '?' or ':'
 * @error: set when the return value is '?'
 *
 * The first call for an argv needs optind 0 or 1, as getopt(3) does.
 *
 * Return: the option's val; -1 when there are no more; '?' for one that is
 * unknown, ambiguous, or has no argument, or one too many.
 */
int cs_options_next(int argc, char **argv, const char *shorts, const struct option *longs,
		    struct cs_error *error);

/**
 * cs_options_help - print the help that was asked for
 * @usage: its text
 *
 * Says on stderr when it cannot be written.
 *
 * Return: the exit status.
 */
int cs_options_help(const char *usage);

#endif

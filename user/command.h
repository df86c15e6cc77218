/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands: each parses its own arguments, calls, and reports errors.
 */
#ifndef CS_USER_COMMAND_H
#define CS_USER_COMMAND_H

/* Exit status of every command. */
#define CS_EXIT_DONE  0
#define CS_EXIT_ERROR 1
#define CS_EXIT_USAGE 2
#define CS_EXIT_LIMIT 3 /* a limit given with --fail-above was exceeded */

/**
 * struct cs_command - one command
 * @name: as typed
 * @summary: one line for the list of commands
 * @run: gets its own argv (argv[0] is the name); returns the exit status
 */
struct cs_command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

extern const struct cs_command cs_command_record; /* cmd_record.c */
extern const struct cs_command cs_command_report; /* cmd_report.c */
extern const struct cs_command cs_command_top;	  /* cmd_top.c */
extern const struct cs_command cs_command_doctor; /* cmd_doctor.c */

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ctxsw: finds the command and runs it.
 */
#include <stdio.h>
#include <string.h>

#include "user/command.h"

static const struct cs_command *const commands[] = {
	&cs_command_record,
	&cs_command_report,
	&cs_command_top,
	&cs_command_doctor,
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int done(void)
{
	if (fflush(stdout) || ferror(stdout)) {
		perror("ctxsw: output");
		return CS_EXIT_ERROR;
	}
	return CS_EXIT_DONE;
}

static void print_help(FILE *out)
{
	fputs("ctxsw measures context switches, scheduling latency and preemption.\n"
	      "\n"
	      "Usage: ctxsw COMMAND [OPTIONS]\n"
	      "\n",
	      out);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
	fputs("  help     show this, or the options of a command: ctxsw help COMMAND\n"
	      "\n"
	      "Begin with:  ctxsw doctor; ctxsw record sleep 5; ctxsw report\n"
	      "\n"
	      "Exit status: 0 done; 1 error; 2 wrong usage; 3 a limit given with --fail-above\n"
	      "was exceeded.\n",
	      out);
}

static const struct cs_command *find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i]->name))
			return commands[i];
	return NULL;
}

static int unknown(const char *name)
{
	fputs("ctxsw: ", stderr);
	for (int i = 0; name[i] && i < 40; i++)
		fputc(name[i] >= ' ' && name[i] <= '~' ? name[i] : '?', stderr);
	fputs(name[0] == '-' ? ": no such option; see: ctxsw help\n"
			     : ": no such command; see: ctxsw help\n",
	      stderr);
	return CS_EXIT_USAGE;
}

static int help(int argc, char **argv)
{
	const struct cs_command *command;
	char *ask[] = {NULL, "--help", NULL};

	if (argc < 2) {
		print_help(stdout);
		return done();
	}
	command = find(argv[1]);
	if (!command)
		return unknown(argv[1]);
	ask[0] = argv[1];
	return command->run(2, ask);
}

int main(int argc, char **argv)
{
	const struct cs_command *command;
	const char *name = argc > 1 ? argv[1] : NULL;

	if (!name) {
		print_help(stderr);
		return CS_EXIT_USAGE;
	}
	if (!strcmp(name, "help"))
		return help(argc - 1, argv + 1);
	if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
		print_help(stdout);
		return done();
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		puts("ctxsw " CTXSW_VERSION);
		return done();
	}
	command = find(name);
	if (!command)
		return unknown(name);
	return command->run(argc - 1, argv + 1);
}

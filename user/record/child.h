/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command that is recorded: started before tracing, held back until
 * tracing is on.
 */
#ifndef CS_USER_RECORD_CHILD_H
#define CS_USER_RECORD_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "user/error.h"

/**
 * struct cs_child - the command
 * @pid: 0: there is none
 * @go: closed or written to let it run; -1: was
 * @failed: tells errno when it could not be run; -1: closed
 * @ended: it has ended and @status is set
 * @status: of waitpid(2)
 */
struct cs_child {
	pid_t pid;
	int go;
	int failed;
	bool ended;
	int status;
};

/**
 * cs_child_fork - make the process, which waits
 * @child: filled; end with cs_child_fini()
 * @argv: command and arguments, ended by NULL
 * @mask: signal mask it gets
 * @error: on failure
 *
 * Return: 0 or -errno.
 */
int cs_child_fork(struct cs_child *child, char **argv, const sigset_t *mask,
		  struct cs_error *error);

/**
 * cs_child_release - let it run the command
 * @child: forked
 * @name: the command, for the message
 * @error: on failure: why it cannot be run
 *
 * Return: 0 or -errno.
 */
int cs_child_release(struct cs_child *child, const char *name, struct cs_error *error);

/** cs_child_reap - whether it has ended. */
bool cs_child_reap(struct cs_child *child);

/**
 * cs_child_wait - wait for its end
 * @child: the child
 * @limit_ms: at most so long
 *
 * Return: whether it has ended.
 */
bool cs_child_wait(struct cs_child *child, uint32_t limit_ms);

/** cs_child_fini - one that was never released is ended; one that runs is left. */
void cs_child_fini(struct cs_child *child);

#endif

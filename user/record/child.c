/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command that is recorded: started before tracing, held back until
 * tracing is on.
 */
#define _GNU_SOURCE
#include "user/record/child.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void run_command(int go, int failed, char **argv, const sigset_t *mask)
{
	char byte;
	ssize_t got;
	int code;

	do
		got = read(go, &byte, 1);
	while (got < 0 && errno == EINTR);
	/* the recorder gave up or died */
	if (got != 1)
		_exit(127);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	code = errno;
	(void)!write(failed, &code, sizeof(code));
	_exit(127);
}

int cs_child_fork(struct cs_child *child, char **argv, const sigset_t *mask,
		  struct cs_error *error)
{
	int go[2];
	int failed[2];

	*child = (struct cs_child){.go = -1, .failed = -1};
	if (pipe2(go, O_CLOEXEC))
		return cs_error_set(error, -errno, "command: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		int code = -errno;

		close(go[0]);
		close(go[1]);
		return cs_error_set(error, code, "command: %s", strerror(-code));
	}
	child->pid = fork();
	if (!child->pid) {
		close(go[1]);
		close(failed[0]);
		run_command(go[0], failed[1], argv, mask);
	}
	close(go[0]);
	close(failed[1]);
	child->go = go[1];
	child->failed = failed[0];
	if (child->pid < 0) {
		child->pid = 0;
		return cs_error_set(error, -errno, "command: %s", strerror(errno));
	}
	return 0;
}

int cs_child_release(struct cs_child *child, const char *name, struct cs_error *error)
{
	int code = 0;
	ssize_t got;

	(void)!write(child->go, "", 1);
	shut(&child->go);
	/* ends with nothing when the command runs: execve() closes the other end */
	do
		got = read(child->failed, &code, sizeof(code));
	while (got < 0 && errno == EINTR);
	shut(&child->failed);
	if (got != sizeof(code))
		return 0;
	return cs_error_set(error, -code, "command '%s': %s", name,
			    code == ENOENT ? "not found" : strerror(code));
}

bool cs_child_reap(struct cs_child *child)
{
	if (child->pid && !child->ended)
		child->ended = waitpid(child->pid, &child->status, WNOHANG) == child->pid;
	return child->ended;
}

bool cs_child_wait(struct cs_child *child, uint32_t limit_ms)
{
	const struct timespec nap = {.tv_nsec = 10 * 1000 * 1000};

	for (uint32_t ms = 0; !cs_child_reap(child) && ms < limit_ms; ms += 10)
		nanosleep(&nap, NULL);
	return child->ended;
}

void cs_child_fini(struct cs_child *child)
{
	bool held = child->go >= 0;

	shut(&child->go);
	shut(&child->failed);
	if (held && child->pid && !child->ended)
		waitpid(child->pid, &child->status, 0);
	child->pid = 0;
}

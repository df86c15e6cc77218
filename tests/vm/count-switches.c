// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a command while switch_phases is on, and holds the module's counters against the
 * kernel's own count of context switches, the line ctxt of /proc/stat.
 * usage: count-switches COMMAND...; exit status 0 when every switch was seen.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The counts cannot be read at one moment: the kernel's stands on both sides of ours. */
struct counts {
	long before, seen, emitted, dropped, nested, after;
};

static char text[65536];

static const char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = 0, got;

	if (fd < 0) {
		perror(path);
		exit(2);
	}
	while ((got = read(fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += got;
	close(fd);
	text[n] = 0;
	return text;
}

static long number(const char *from, const char *name)
{
	const char *at = strstr(from, name);

	return at ? atol(at + strlen(name)) : -1;
}

static struct counts take(void)
{
	struct counts c;
	const char *ours;

	c.before = number(read_file("/proc/stat"), "\nctxt ");
	ours = read_file("/sys/module/ctxsw/state/counters");
	c.seen = number(ours, "seen ");
	c.emitted = number(ours, "emitted ");
	c.dropped = number(ours, "dropped ");
	c.nested = number(ours, "nested ");
	c.after = number(read_file("/proc/stat"), "\nctxt ");
	return c;
}

int main(int argc, char **argv)
{
	struct sched_param param = {.sched_priority = 99};
	struct counts a, b;
	long low, high, seen, emitted;
	int status = 0;
	pid_t pid;

	if (argc < 2)
		return 2;
	/* Nothing runs between two reads on this CPU. */
	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
	a = take();
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	b = take();
	seen = b.seen - a.seen;
	emitted = b.emitted - a.emitted;
	low = b.before - a.after;
	high = b.after - a.before;
	printf("kernel %ld..%ld seen %ld emitted %ld dropped %ld nested %ld\n", low, high,
	       seen, emitted, b.dropped - a.dropped, b.nested - a.nested);
	/* A switch can be seen and not yet counted, or not yet emitted, on another CPU. */
	return status || seen < low - 2 || seen > high + 2 || emitted < low - 2 ||
	       emitted > high + 2 || b.dropped != a.dropped || b.nested != a.nested;
}

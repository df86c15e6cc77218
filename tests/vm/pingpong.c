// SPDX-License-Identifier: GPL-2.0
/*
 * Two processes, or two threads with -t, that hand a byte to and fro through pipes on one
 * CPU: two context switches a round. Prints the time of a switch and the switches counted.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int there[2], back[2];
static long rounds = 10000;

static void pass(int in, int out)
{
	char byte;

	if (read(in, &byte, 1) != 1 || write(out, &byte, 1) != 1)
		_exit(1);
}

static void *echo(void *arg)
{
	long i;

	for (i = 0; i < rounds; i++)
		pass(there[0], back[1]);
	return arg;
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 && !strcmp(argv[1], "-t");
	struct rusage before, after;
	pthread_t thread;
	long long begin;
	pid_t pid = 0;
	cpu_set_t cpus;
	char byte = 0;
	long i;

	if (argc > 1 + threads)
		rounds = atol(argv[1 + threads]);
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || pipe(there) || pipe(back))
		return 1;
	if (threads) {
		pthread_create(&thread, NULL, echo, NULL);
	} else {
		pid = fork();
		if (!pid) {
			/* Ends when the other does. */
			close(there[1]);
			close(back[0]);
			echo(NULL);
			_exit(0);
		}
	}
	getrusage(RUSAGE_SELF, &before);
	begin = now_ns();
	for (i = 0; i < rounds; i++) {
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return 1;
	}
	begin = now_ns() - begin;
	getrusage(RUSAGE_SELF, &after);
	if (threads)
		pthread_join(thread, NULL);
	else
		waitpid(pid, NULL, 0);
	printf("ns_per_switch %.1f switches %ld\n", begin / (2.0 * rounds),
	       after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw);
	return 0;
}

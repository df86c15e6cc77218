/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A load of context switches at a given rate: on each CPU of the list a pair
 * of threads that wake each other. usage: switch-load CPUS SWITCHES/S SECONDS
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SLICE_NS 2000000

struct pair {
	pthread_t threads[2];
	int there[2];
	int back[2];
	int cpu;
	long rounds; /* in a slice */
	long slices;
	long done;
};

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("switch-load: affinity");
}

static void *echo(void *arg)
{
	struct pair *pair = arg;
	char byte;

	pin(pair->cpu);
	while (read(pair->there[0], &byte, 1) == 1 && byte)
		if (write(pair->back[1], &byte, 1) != 1)
			break;
	return NULL;
}

static void *drive(void *arg)
{
	struct pair *pair = arg;
	struct timespec next;
	char byte = 1;

	pin(pair->cpu);
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (long slice = 0; slice < pair->slices; slice++) {
		struct timespec now;

		for (long i = 0; i < pair->rounds; i++)
			if (write(pair->there[1], &byte, 1) == 1 &&
			    read(pair->back[0], &byte, 1) == 1)
				pair->done++;
		next.tv_nsec += SLICE_NS;
		if (next.tv_nsec >= 1000000000) {
			next.tv_nsec -= 1000000000;
			next.tv_sec++;
		}
		/* when late, the time is over sooner than the work: no catching up */
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > next.tv_sec ||
		    (now.tv_sec == next.tv_sec && now.tv_nsec > next.tv_nsec))
			next = now;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	byte = 0;
	(void)!write(pair->there[1], &byte, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	struct pair pairs[64] = {0};
	long rate = argc == 4 ? atol(argv[2]) : 0;
	long seconds = argc == 4 ? atol(argv[3]) : 0;
	int count = 0;
	long done = 0;

	if (rate < 1 || seconds < 1) {
		fputs("usage: switch-load CPU[,CPU...] SWITCHES/S SECONDS\n", stderr);
		return 2;
	}
	for (char *at = argv[1]; *at && count < 64; at += *at == ',') {
		pairs[count].cpu = (int)strtol(at, &at, 10);
		count++;
		if (*at && *at != ',')
			return 2;
	}
	for (int i = 0; i < count; i++) {
		struct pair *pair = &pairs[i];

		/* a round trip is two switches */
		pair->rounds = rate / count / 2 / (1000000000 / SLICE_NS);
		pair->slices = seconds * (1000000000 / SLICE_NS);
		if (pipe(pair->there) || pipe(pair->back) ||
		    pthread_create(&pair->threads[0], NULL, echo, pair) ||
		    pthread_create(&pair->threads[1], NULL, drive, pair)) {
			perror("switch-load");
			return 1;
		}
	}
	for (int i = 0; i < count; i++) {
		pthread_join(pairs[i].threads[1], NULL);
		pthread_join(pairs[i].threads[0], NULL);
		done += pairs[i].done * 2;
	}
	printf("switch-load: %ld switches\n", done);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Things for a guest to do that make context switches of every kind. Each prints what it
 * knows of itself, so that a trace can be held against it.
 * usage: workload forks N | threads N | migrate N | sleep N | locks N | pi N | chain N
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rounds;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void pin(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		fail("sched_setaffinity");
}

static void fifo(int prio)
{
	struct sched_param param = {.sched_priority = prio};

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		fail("sched_setscheduler");
}

static void nap(long us)
{
	struct timespec t = {.tv_nsec = us * 1000};

	nanosleep(&t, NULL);
}

static void spin(long us)
{
	struct timespec t;
	long long end;

	clock_gettime(CLOCK_MONOTONIC, &t);
	end = t.tv_sec * 1000000000LL + t.tv_nsec + us * 1000;
	do
		clock_gettime(CLOCK_MONOTONIC, &t);
	while (t.tv_sec * 1000000000LL + t.tv_nsec < end);
}

/* Processes that live for an exec and an exit. */
static void forks(void)
{
	int i;

	for (i = 0; i < rounds; i++) {
		pid_t pid = fork();

		if (!pid) {
			execl("/bin/busybox", "true", NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
}

static void *yields(void *arg)
{
	int i;

	for (i = 0; i < rounds; i++)
		sched_yield();
	return arg;
}

/* Four threads of one process that yield to each other. */
static void threads(void)
{
	pthread_t thread[4];
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, yields, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

static void migrate(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int i;

	for (i = 0; i < rounds; i++)
		pin(i % cpus);
}

static void sleeps(void)
{
	int i;

	for (i = 0; i < rounds; i++)
		nap(200);
}

/* The process's mmap lock, an rw_semaphore, wanted by four threads; mprotect() writes. */
static void *maps(void *arg)
{
	size_t size = 4 << 20;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	int i;

	madvise(p, size, MADV_NOHUGEPAGE);
	memset(p, 1, size);
	for (i = 0; i < rounds; i++) {
		mprotect(p, size, PROT_READ);
		mprotect(p, size, PROT_READ | PROT_WRITE);
	}
	munmap(p, size);
	return arg;
}

static void locks(void)
{
	pthread_t thread[4];
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, maps, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

/*
 * Priority inheritance on one CPU, in an order that the priorities force: low takes A; mid
 * takes B and wants A, low is boosted; high wants B, both are boosted (chain). Without the
 * chain high wants A, and there is no mid.
 */
static pthread_mutex_t lock_a, lock_b;
static sem_t mid_goes, high_goes;
static int chained;

static void *low(void *arg)
{
	int i;

	fifo(10);
	printf("low %d\n", (int)syscall(SYS_gettid));
	for (i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock_a);
		if (chained)
			sem_post(&mid_goes);
		sem_post(&high_goes);
		spin(200);
		pthread_mutex_unlock(&lock_a);
	}
	return arg;
}

static void *mid(void *arg)
{
	int i;

	fifo(20);
	printf("mid %d\n", (int)syscall(SYS_gettid));
	for (i = 0; i < rounds; i++) {
		sem_wait(&mid_goes);
		pthread_mutex_lock(&lock_b);
		pthread_mutex_lock(&lock_a);
		pthread_mutex_unlock(&lock_a);
		pthread_mutex_unlock(&lock_b);
	}
	return arg;
}

static void *high(void *arg)
{
	int i;

	fifo(30);
	printf("high %d\n", (int)syscall(SYS_gettid));
	for (i = 0; i < rounds; i++) {
		sem_wait(&high_goes);
		pthread_mutex_lock(chained ? &lock_b : &lock_a);
		pthread_mutex_unlock(chained ? &lock_b : &lock_a);
	}
	return arg;
}

static void inherit(void)
{
	pthread_mutexattr_t attr;
	pthread_t thread[3];
	int i, n = 0;

	pin(0);
	/* The threads must all be there, waiting, before low begins. */
	fifo(40);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&lock_a, &attr);
	pthread_mutex_init(&lock_b, &attr);
	sem_init(&mid_goes, 0, 0);
	sem_init(&high_goes, 0, 0);
	pthread_create(&thread[n++], NULL, high, NULL);
	if (chained)
		pthread_create(&thread[n++], NULL, mid, NULL);
	pthread_create(&thread[n++], NULL, low, NULL);
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} table[] = {
		{"forks", forks},   {"threads", threads}, {"migrate", migrate},
		{"sleep", sleeps},  {"locks", locks},	  {"pi", inherit},
		{"chain", inherit},
	};
	unsigned int i;

	if (argc == 3) {
		rounds = atoi(argv[2]);
		chained = !strcmp(argv[1], "chain");
		for (i = 0; i < sizeof(table) / sizeof(*table); i++) {
			if (!strcmp(argv[1], table[i].name)) {
				table[i].run();
				return 0;
			}
		}
	}
	fprintf(stderr, "usage: workload forks|threads|migrate|sleep|locks|pi|chain N\n");
	return 2;
}

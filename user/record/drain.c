/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moves the ring buffer of each CPU into a file. libtracefs 1.6.4 has
 * tracefs_cpu_write() for it, but that waits without a time limit and with a
 * pipe of 16 pages: what a killed recorder leaves would be old.
 */
#define _GNU_SOURCE
#include "user/record/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "user/record/dat_file.h"
#include "user/record/io.h"

/* No page waits longer in the ring buffer; it is what a SIGKILL loses. */
#define ROUND_MS 100
/* A CPU that fills no page in this time has its piece of a page taken. */
#define QUIET_ROUNDS 10
/* The pipe, where the limit for users allows it. */
#define PIPE_SIZE (1 << 20)
/* A round that moved fewer pages is followed by a pause. */
#define BUSY_PAGES 8
#define PAUSE_MS   5

static int write_failed(struct cs_drain *drain, int code)
{
	drain->code = code;
	return code;
}

static int read_failed(struct cs_drain *drain, int code)
{
	drain->at_source = true;
	drain->code = code;
	return code;
}

/* Through user space: for file systems without splice. */
static ssize_t pass_page(struct cs_drain *drain, size_t size)
{
	size_t page = drain->set->page_size;
	ssize_t got = read(drain->pipe[0], drain->page, size < page ? size : page);
	ssize_t put = 0;

	while (got > 0 && put < got) {
		ssize_t done = write(drain->file, drain->page + put, (size_t)(got - put));

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		put += done;
	}
	return got;
}

/* From the pipe into the file. */
static int empty_pipe(struct cs_drain *drain, size_t size)
{
	while (size) {
		ssize_t done;

		if (drain->by_hand)
			done = pass_page(drain, size);
		else
			done = splice(drain->pipe[0], NULL, drain->file, NULL, size,
				      SPLICE_F_MOVE);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && errno == EINVAL && !drain->by_hand) {
			drain->by_hand = true;
			continue;
		}
		if (done <= 0)
			return write_failed(drain, done ? -errno : -EIO);
		size -= (size_t)done;
		drain->bytes += (uint64_t)done;
	}
	return 0;
}

/* All full pages. Return: bytes moved or -errno. */
static ssize_t move_pages(struct cs_drain *drain)
{
	ssize_t moved = 0;

	for (;;) {
		ssize_t got = splice(drain->source, NULL, drain->pipe[1], NULL,
				     drain->pipe_size, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		int code;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno != EAGAIN)
			return read_failed(drain, -errno);
		if (got <= 0)
			return moved;
		code = empty_pipe(drain, (size_t)got);
		if (code)
			return code;
		moved += got;
	}
}

/* The pages that are not full, which splice(2) does not give. */
static int move_rest(struct cs_drain *drain)
{
	size_t size = drain->set->page_size;

	for (;;) {
		ssize_t got = read(drain->source, drain->page, size);
		int code;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno != EAGAIN)
			return read_failed(drain, -errno);
		if (got <= 0)
			return 0;
		memset(drain->page + got, 0, size - (size_t)got);
		code = cs_io_pwrite(drain->file, drain->page, size, drain->bytes);
		if (code)
			return write_failed(drain, code);
		drain->bytes += size;
		if (lseek(drain->file, (off_t)drain->bytes, SEEK_SET) < 0)
			return write_failed(drain, -errno);
	}
}

static bool stopped(const struct cs_drain *drain, int wait_ms)
{
	struct pollfd wait = {.fd = drain->set->stop, .events = POLLIN};

	return poll(&wait, 1, wait_ms) > 0;
}

static void *run(void *arg)
{
	struct cs_drain *drain = arg;
	struct pollfd wait[2] = {
		{.fd = drain->set->stop, .events = POLLIN},
		{.fd = drain->source, .events = POLLIN},
	};
	unsigned int quiet = 0;
	uint64_t one = 1;
	bool last;
	ssize_t moved;

	do {
		poll(wait, 2, ROUND_MS);
		last = wait[0].revents;
		moved = move_pages(drain);
		/*
		 * Older kernels call a buffer readable as soon as it holds
		 * one event; without a pause this would be a busy loop.
		 */
		if (moved >= 0 && !last && wait[1].revents &&
		    moved < (ssize_t)drain->set->page_size * BUSY_PAGES)
			stopped(drain, PAUSE_MS);
		quiet = moved ? 0 : quiet + 1;
		if (moved >= 0 && (last || quiet >= QUIET_ROUNDS)) {
			moved = move_rest(drain);
			quiet = 0;
		}
	} while (moved >= 0 && !last);
	if (moved < 0)
		(void)!write(drain->set->fault, &one, sizeof(one));
	return NULL;
}

static int open_drain(struct cs_drain *drain, const struct cs_session *session,
		      const char *part, struct cs_error *error)
{
	char name[64];
	char *path;
	int size;
	int code;

	snprintf(name, sizeof(name), "per_cpu/cpu%u/trace_pipe_raw", drain->cpu);
	drain->source = cs_session_file(session, name, O_RDONLY | O_NONBLOCK);
	if (drain->source < 0)
		return cs_error_set(error, drain->source, "%s: %s", name,
				    strerror(-drain->source));
	drain->page = malloc(session->page_size);
	if (!drain->page || pipe2(drain->pipe, O_CLOEXEC))
		return cs_error_set(error, drain->page ? -errno : -ENOMEM, "CPU %u: %s",
				    drain->cpu, strerror(drain->page ? errno : ENOMEM));
	fcntl(drain->pipe[1], F_SETPIPE_SZ, PIPE_SIZE);
	size = fcntl(drain->pipe[1], F_GETPIPE_SZ);
	drain->pipe_size = size > 0 ? (size_t)size : 65536;
	path = cs_dat_cpu_path(part, drain->cpu);
	if (!path)
		return cs_error_set(error, -ENOMEM, "CPU %u: no memory", drain->cpu);
	drain->file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (drain->file >= 0) {
		drain->path = path;
		return 0;
	}
	code = cs_error_set(error, -errno, "%s: %s%s", path, strerror(errno),
			    errno == EEXIST ? "; nobody uses it, remove it" : "");
	free(path);
	return code;
}

static int start_drain(struct cs_drain *drain, struct cs_error *error)
{
	char name[16];
	int code = pthread_create(&drain->thread, NULL, run, drain);

	if (code)
		return cs_error_set(error, -code, "CPU %u: no thread: %s", drain->cpu,
				    strerror(code));
	drain->running = true;
	snprintf(name, sizeof(name), "ctxsw-drain/%u", drain->cpu % 1000);
	pthread_setname_np(drain->thread, name);
	return 0;
}

/* Four descriptors a CPU: more than a process gets unasked, on a large machine. */
static void allow_files(size_t cpus)
{
	struct rlimit limit;
	rlim_t need = (rlim_t)cpus * 4 + 64;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= need)
		return;
	limit.rlim_cur = need < limit.rlim_max ? need : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int cs_drains_start(struct cs_drains *drains, const struct cs_session *session,
		    const char *part, struct cs_error *error)
{
	int code = 0;

	*drains = (struct cs_drains){.page_size = session->page_size};
	allow_files(session->cpu_count);
	drains->stop = eventfd(0, EFD_CLOEXEC);
	drains->fault = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	drains->drains = calloc(session->cpu_count, sizeof(*drains->drains));
	if (drains->stop < 0 || drains->fault < 0 || !drains->drains)
		return cs_error_set(error, -ENOMEM, "CPUs: no memory or descriptors");
	for (; drains->count < session->cpu_count; drains->count++)
		drains->drains[drains->count] = (struct cs_drain){
			.set = drains,
			.cpu = session->cpus[drains->count],
			.source = -1,
			.file = -1,
			.pipe = {-1, -1},
		};
	for (size_t i = 0; i < drains->count && !code; i++)
		code = open_drain(&drains->drains[i], session, part, error);
	for (size_t i = 0; i < drains->count && !code; i++)
		code = start_drain(&drains->drains[i], error);
	return code;
}

uint64_t cs_drains_bytes(const struct cs_drains *drains)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < drains->count; i++)
		bytes += drains->drains[i].bytes;
	return bytes;
}

int cs_drains_stop(struct cs_drains *drains, struct cs_error *error)
{
	uint64_t one = 1;
	int code = 0;

	(void)!write(drains->stop, &one, sizeof(one));
	for (size_t i = 0; i < drains->count; i++) {
		struct cs_drain *drain = &drains->drains[i];

		if (!drain->running)
			continue;
		pthread_join(drain->thread, NULL);
		drain->running = false;
		if (drain->code && !code)
			code = cs_error_set(error, drain->code, "%s: %s",
					    drain->at_source ? "trace_pipe_raw"
							     : drain->path,
					    strerror(-drain->code));
	}
	return code;
}

void cs_drains_close(struct cs_drains *drains, bool keep)
{
	for (size_t i = 0; i < drains->count; i++) {
		struct cs_drain *drain = &drains->drains[i];
		const int fds[] = {drain->source, drain->file, drain->pipe[0],
				   drain->pipe[1]};

		for (size_t j = 0; j < sizeof(fds) / sizeof(fds[0]); j++)
			if (fds[j] >= 0)
				close(fds[j]);
		if (drain->path && !keep)
			unlink(drain->path);
		free(drain->path);
		free(drain->page);
	}
	free(drains->drains);
	if (drains->stop >= 0)
		close(drains->stop);
	if (drains->fault >= 0)
		close(drains->fault);
	*drains = (struct cs_drains){.stop = -1, .fault = -1};
}

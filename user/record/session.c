/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An instance of the kernel's tracing that is ours alone. Its name holds the
 * pid and the start time of its owner, so that anybody sees whether that lives.
 */
#define _GNU_SOURCE
#include "user/record/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mntent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#include "user/record/io.h"

#define ONLINE "/sys/devices/system/cpu/online"

/* ---- where tracefs is --------------------------------------------------------------- */

/*
 * The library's own search mounts what it does not find, hence this one: the
 * first tracefs, else the tracing directory of the first debugfs.
 */
static int find_mount(char *path, size_t room)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	char lines[4096];
	struct mntent mount;
	int found = -ENODEV;

	if (!mounts)
		return -errno;
	while (getmntent_r(mounts, &mount, lines, sizeof(lines))) {
		if (!strcmp(mount.mnt_type, "tracefs")) {
			snprintf(path, room, "%s", mount.mnt_dir);
			found = 0;
			break;
		}
		if (found && !strcmp(mount.mnt_type, "debugfs")) {
			snprintf(path, room, "%s/tracing", mount.mnt_dir);
			found = access(path, F_OK) && errno == ENOENT ? -ENODEV : 0;
		}
	}
	endmntent(mounts);
	return found;
}

static int denied(int code, const char *path, struct cs_error *error)
{
	if (code == -EACCES || (code == -EPERM && geteuid()))
		return cs_error_set(error, -EACCES,
				    "tracefs: %s: permission denied; run as root", path);
	if (code == -EROFS)
		return cs_error_set(
			error, code,
			"tracefs: %s is mounted read-only; mount -o remount,rw %s", path,
			path);
	if (code == -EPERM)
		return cs_error_set(
			error, code,
			"tracefs: %s: not permitted to root either; the kernel is "
			"locked down or this is a container",
			path);
	return cs_error_set(error, code, "tracefs: %s: %s", path, strerror(-code));
}

int cs_session_find(struct cs_error *error)
{
	char path[4096];
	char name[4200];
	int code = find_mount(path, sizeof(path));

	/* one line is what the user shall see */
	tracefs_set_loglevel(TEP_LOG_NONE);
	if (code == -ENODEV)
		return cs_error_set(
			error, code,
			"tracefs: not mounted; as root: mount -t tracefs nodev "
			"/sys/kernel/tracing");
	if (code)
		return cs_error_set(error, code, "/proc/self/mounts: %s",
				    strerror(-code));
	if (access(path, R_OK | X_OK))
		return denied(-errno, path, error);
	snprintf(name, sizeof(name), "%s/instances", path);
	if (access(name, W_OK | X_OK)) {
		if (errno == ENOENT)
			return cs_error_set(error, -ENOENT,
					    "tracefs: %s: this kernel has no instances",
					    path);
		return denied(-errno, path, error);
	}
	return tracefs_set_tracing_dir(path)
		       ? cs_error_set(error, -ENOMEM, "tracefs: no memory")
		       : 0;
}

void cs_session_forget(void)
{
	tracefs_set_tracing_dir(NULL);
}

/* ---- whose instance ------------------------------------------------------------------ */

/* When a process began, clock ticks since boot; 0: it lives no more. */
static uint64_t start_time(long pid)
{
	uint64_t ticks = 0;
	char path[64];
	char *text;
	char *at;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	if (cs_io_read(path, &text, NULL))
		return 0;
	at = strrchr(text, ')');
	/* field 22; the second is the name that ends here */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (at)
		ticks = strtoull(at, NULL, 10);
	free(text);
	return ticks;
}

static int remove_dead(const char *name, void *arg)
{
	int *removed = arg;
	uint64_t ticks;
	char path[4352];
	char tail;
	long pid;

	if (sscanf(name, "ctxsw-%ld-%" SCNu64 "%c", &pid, &ticks, &tail) != 2)
		return 0;
	if (start_time(pid) == ticks)
		return 0;
	/* one of another pid name space is in use, and the kernel refuses: good */
	snprintf(path, sizeof(path), "%s/instances/%s", tracefs_tracing_dir(), name);
	if (!rmdir(path))
		(*removed)++;
	return 0;
}

int cs_session_sweep(void)
{
	int removed = 0;

	tracefs_instances_walk(remove_dead, &removed);
	return removed;
}

/* ---- set up -------------------------------------------------------------------------- */

static int put(struct cs_session *session, const char *file, const char *text)
{
	int fd = cs_session_file(session, file, O_WRONLY);
	ssize_t done;
	int code;

	if (fd < 0)
		return fd;
	done = write(fd, text, strlen(text));
	code = done < 0 ? -errno : 0;
	close(fd);
	return code;
}

static bool put_option(struct cs_session *session, const char *name, const char *value)
{
	char file[64];

	snprintf(file, sizeof(file), "options/%s", name);
	return !put(session, file, value);
}

static int fail(struct cs_error *error, int code, const char *what)
{
	return cs_error_set(error, code, "%s: %s", what, strerror(-code));
}

static int read_online(struct cs_ranges *online, char **text, struct cs_error *error)
{
	int code = cs_io_read(ONLINE, text, NULL);

	if (code)
		return fail(error, code, ONLINE);
	(*text)[strcspn(*text, "\n")] = '\0';
	code = cs_parse_list(*text, 0, UINT16_MAX, "CPU", online, error);
	if (code)
		free(*text);
	return code;
}

static bool in(const struct cs_ranges *ranges, int64_t number)
{
	for (uint32_t i = 0; i < ranges->count; i++)
		if (number >= ranges->ranges[i].first && number <= ranges->ranges[i].last)
			return true;
	return false;
}

static int choose_cpus(struct cs_session *session, const struct cs_ranges *wanted,
		       struct cs_error *error)
{
	struct cs_ranges online;
	char *text;
	int code = read_online(&online, &text, error);

	if (code)
		return code;
	for (uint32_t i = 0; i < wanted->count && !code; i++)
		for (int64_t cpu = wanted->ranges[i].first;
		     cpu <= wanted->ranges[i].last && !code; cpu++)
			if (!in(&online, cpu))
				code = cs_error_set(error, -ENODEV,
						    "CPU %d: not online; online are %s",
						    (int)cpu, text);
	session->all_cpus = !wanted->count;
	session->cpus = code ? NULL : calloc(UINT16_MAX + 1, sizeof(*session->cpus));
	if (!code && !session->cpus)
		code = fail(error, -ENOMEM, "CPUs");
	for (uint32_t cpu = 0; cpu <= UINT16_MAX && !code; cpu++)
		if (in(&online, cpu) && (session->all_cpus || in(wanted, cpu)))
			session->cpus[session->cpu_count++] = cpu;
	cs_ranges_free(&online);
	free(text);
	return code;
}

static int limit_cpus(struct cs_session *session, struct cs_error *error)
{
	uint32_t top = session->cpus[session->cpu_count - 1];
	size_t size = CPU_ALLOC_SIZE(top + 1);
	cpu_set_t *set = CPU_ALLOC(top + 1);
	int code = 0;

	if (!set)
		return fail(error, -ENOMEM, "CPUs");
	CPU_ZERO_S(size, set);
	for (size_t i = 0; i < session->cpu_count; i++)
		CPU_SET_S(session->cpus[i], size, set);
	if (tracefs_instance_set_affinity_set(session->instance, set, size) < 0)
		code = fail(error, -(errno ? errno : EIO), "tracing_cpumask");
	CPU_FREE(set);
	return code;
}

/* Whether @name is one of the words of @clocks, in brackets or not. */
static bool has_clock(const char *clocks, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = clocks; *at; at += strcspn(at, " \n")) {
		at += strspn(at, " \n");
		if (*at == '[')
			at++;
		if (!strncmp(at, name, length) &&
		    (!at[length] || strchr(" ]\n", at[length])))
			return true;
	}
	return false;
}

static int read_clocks(struct cs_session *session, struct cs_error *error)
{
	free(session->clocks);
	session->clocks = tracefs_instance_file_read(session->instance, "trace_clock",
						     NULL);
	if (!session->clocks)
		return fail(error, -(errno ? errno : EIO), "trace_clock");
	session->clocks[strcspn(session->clocks, "\n")] = '\0';
	return 0;
}

/* Takes the characters of @set out of a text. */
static void drop(char *text, const char *set)
{
	char *to = text;

	for (; *text; text++)
		if (!strchr(set, *text))
			*to++ = *text;
	*to = '\0';
}

static int set_clock(struct cs_session *session, const char *name, struct cs_error *error)
{
	int code = read_clocks(session, error);

	if (code)
		return code;
	if (!name)
		name = has_clock(session->clocks, "mono") ? "mono" : "local";
	else if (!*name || strpbrk(name, " []\n") || !has_clock(session->clocks, name)) {
		drop(session->clocks, "[]");
		return cs_error_set(
			error, -EINVAL,
			"clock '%s': this kernel does not have it; it has: %s", name,
			session->clocks);
	}
	session->clock = strdup(name);
	if (!session->clock)
		return fail(error, -ENOMEM, "clock");
	code = put(session, "trace_clock", name);
	return code ? fail(error, code, "trace_clock") : read_clocks(session, error);
}

/* The size of a page stands in the format of its header. */
static int read_page_size(struct cs_session *session, struct cs_error *error)
{
	char *top = tracefs_instance_file_read(NULL, "buffer_subbuf_size_kb", NULL);
	char *own = tracefs_instance_file_read(session->instance, "buffer_subbuf_size_kb",
					       NULL);
	char *text = NULL;
	const char *data;
	uint32_t offset = 0;
	uint32_t size = 0;
	int code = 0;

	/* header_page speaks of the top level, so ours must be the same */
	if (top && own && strcmp(top, own))
		code = put(session, "buffer_subbuf_size_kb", top);
	free(top);
	free(own);
	if (code)
		return fail(error, code, "buffer_subbuf_size_kb");
	text = tracefs_instance_file_read(NULL, "events/header_page", NULL);
	data = text ? strstr(text, "char data;") : NULL;
	if (!data || sscanf(data, "char data; offset:%u; size:%u;", &offset, &size) != 2)
		code = cs_error_set(error, -EINVAL,
				    "events/header_page: not a format that is known");
	free(text);
	session->page_size = offset + size;
	return code;
}

static int set_buffer(struct cs_session *session, uint32_t kb, struct cs_error *error)
{
	int code = 0;

	/* a CPU that is not recorded needs no memory */
	if (session->all_cpus)
		code = tracefs_instance_set_buffer_size(session->instance, kb, -1) < 0;
	else
		for (size_t i = 0; i < session->cpu_count && !code; i++)
			code = tracefs_instance_set_buffer_size(session->instance, kb,
								(int)session->cpus[i]) <
			       0;
	if (code)
		return cs_error_set(
			error, -ENOMEM,
			"buffers: the kernel gives no %u KB for each of %zu CPUs; "
			"try a smaller size with -b",
			kb, session->cpu_count);
	return 0;
}

static int enable(struct cs_session *session, const struct cs_events *events,
		  struct cs_error *error)
{
	for (size_t i = 0; i < events->count; i++) {
		const struct cs_events_item *item = &events->items[i];
		char file[512];
		int code;

		if (item->event)
			snprintf(file, sizeof(file), "events/%s/%s/enable", item->system,
				 item->event);
		else
			snprintf(file, sizeof(file), "events/%s/enable", item->system);
		code = put(session, file, "1");
		if (code)
			return cs_error_set(error, code,
					    "event '%s%s%s': cannot be switched on: %s",
					    item->system, item->event ? ":" : "",
					    item->event ? item->event : "",
					    strerror(-code));
	}
	return 0;
}

static int make(struct cs_session *session, struct cs_error *error)
{
	char name[64];

	snprintf(name, sizeof(name), "ctxsw-%d-%" PRIu64, getpid(), start_time(getpid()));
	errno = 0;
	session->instance = tracefs_instance_create(name);
	if (!session->instance)
		return denied(-(errno ? errno : EIO), tracefs_tracing_dir(), error);
	return 0;
}

int cs_session_open(struct cs_session *session, const struct cs_session_options *options,
		    const struct cs_events *events, struct cs_error *error)
{
	int code;

	*session = (struct cs_session){.tracing_fd = -1};
	code = choose_cpus(session, &options->cpus, error);
	if (!code)
		code = make(session, error);
	if (code)
		return code;
	session->tracing_fd = cs_session_file(session, "tracing_on", O_RDWR);
	if (session->tracing_fd < 0)
		return fail(error, session->tracing_fd, "tracing_on");
	code = cs_session_switch(session, false);
	if (code)
		return fail(error, code, "tracing_on");
	code = set_clock(session, options->clock, error);
	if (!code)
		code = read_page_size(session, error);
	if (!code)
		code = set_buffer(session, options->buffer_kb, error);
	if (!code && !session->all_cpus)
		code = limit_cpus(session, error);
	if (code)
		return code;
	/*
	 * A new instance inherits these from the top level. Only a buffer that
	 * overwrites marks its pages where events were lost
	 * (kernel/trace/ring_buffer.c, ring_buffer_read_page()).
	 */
	put_option(session, "overwrite", "1");
	put_option(session, "markers", "1");
	put_option(session, "stacktrace", "0");
	put_option(session, "userstacktrace", "0");
	put_option(session, "pause-on-trace", "0");
	put_option(session, "event-fork", "0");
	/*
	 * record-tgid stays off: it fills a table of the whole kernel
	 * (kernel/trace/trace.c, trace_alloc_tgid_map()).
	 */
	/* wake the reader when a quarter is full; older kernels have no such file */
	put(session, "buffer_percent", "25");
	return enable(session, events, error);
}

int cs_session_file(const struct cs_session *session, const char *name, int flags)
{
	int fd;

	errno = 0;
	fd = tracefs_instance_file_open(session->instance, name, flags | O_CLOEXEC);
	if (fd < 0)
		return -(errno ? errno : EIO);
	return fd;
}

int cs_session_switch(struct cs_session *session, bool on)
{
	return write(session->tracing_fd, on ? "1" : "0", 1) == 1 ? 0 : -errno;
}

/* ---- statistics ------------------------------------------------------------------------ */

static uint64_t counter(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	/* "overrun" is the end of "commit overrun" too: count from a line's start */
	while (at && at > text && at[-1] != '\n')
		at = strstr(at + 1, name);
	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

char *cs_session_cpu_stats(const struct cs_session *session, uint32_t cpu,
			   struct cs_session_stats *stats)
{
	char *result = NULL;
	char name[64];
	char *text;

	snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", cpu);
	text = tracefs_instance_file_read(session->instance, name, NULL);
	if (!text)
		return NULL;
	if (stats) {
		stats->events += counter(text, "entries:") +
				 counter(text, "read events:");
		stats->lost += counter(text, "overrun:") +
			       counter(text, "commit overrun:") +
			       counter(text, "dropped events:");
	}
	if (asprintf(&result, "CPU: %u\n%s", cpu, text) < 0)
		result = NULL;
	free(text);
	return result;
}

void cs_session_stats(const struct cs_session *session, struct cs_session_stats *stats)
{
	*stats = (struct cs_session_stats){0};
	for (size_t i = 0; i < session->cpu_count; i++)
		free(cs_session_cpu_stats(session, session->cpus[i], stats));
}

char *cs_session_saved_cmdlines(void)
{
	return tracefs_instance_file_read(NULL, "saved_cmdlines", NULL);
}

int cs_session_new_cpu(const struct cs_session *session)
{
	struct cs_ranges online;
	char *text;
	int found = -1;

	if (!session->all_cpus || read_online(&online, &text, NULL))
		return -1;
	for (int cpu = 0; cpu <= UINT16_MAX && found < 0; cpu++) {
		size_t i = 0;

		if (!in(&online, cpu))
			continue;
		while (i < session->cpu_count && session->cpus[i] != (uint32_t)cpu)
			i++;
		if (i == session->cpu_count)
			found = cpu;
	}
	cs_ranges_free(&online);
	free(text);
	return found;
}

int cs_session_close(struct cs_session *session, struct cs_error *error)
{
	const struct timespec nap = {.tv_nsec = 50 * 1000 * 1000};
	int code = 0;

	if (session->tracing_fd >= 0)
		close(session->tracing_fd);
	if (session->instance) {
		/* busy for a moment when somebody looks into it */
		for (int i = 0; i < 20; i++) {
			errno = 0;
			code = tracefs_instance_destroy(session->instance);
			if (!code || errno != EBUSY)
				break;
			nanosleep(&nap, NULL);
		}
		if (code)
			code = cs_error_set(error, -(errno ? errno : EIO),
					    "instance %s: cannot be removed: %s",
					    tracefs_instance_get_name(session->instance),
					    strerror(errno));
		tracefs_instance_free(session->instance);
	}
	free(session->cpus);
	free(session->clock);
	free(session->clocks);
	*session = (struct cs_session){.tracing_fd = -1};
	return code;
}

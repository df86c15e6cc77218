/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel's tracing offers, and whether it really works: an instance
 * is made as a recording makes it, and events must arrive in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "user/doctor/doctor.h"
#include "user/record/events.h"
#include "user/record/session.h"

/* How often a sleep is tried; each is two switches at least. */
#define SLEEPS	 20
#define SLEEP_NS 1000000

struct wanted {
	const char *event;
	const char *use;
};

/* Without the first there is nothing; each of the others is for something. */
static const struct wanted wanted[] = {
	{"sched/sched_switch", NULL},
	{"sched/sched_waking", "wakeup latency from the waking on"},
	{"sched/sched_wakeup", "wakeup latency"},
	{"sched/sched_wakeup_new", "wakeup latency of new tasks"},
	{"sched/sched_migrate_task", "tasks that change the CPU"},
	{"sched/sched_pi_setprio", "priority inheritance"},
	{"sched/sched_process_fork", "processes and threads"},
	{"sched/sched_process_exec", "names of tasks"},
	{"sched/sched_process_exit", "ends of tasks"},
	{"task/task_rename", "names of tasks"},
	{"irq/irq_handler_entry", "interrupts"},
	{"irq/softirq_entry", "soft interrupts"},
	{"irq_vectors/local_timer_entry", "interrupts of the local timer (x86)"},
	{"timer/hrtimer_expire_entry", "timers"},
	{"lock/contention_begin", "blocking on locks"},
};

static bool is_mounted(const char *type, char *where, size_t size)
{
	FILE *mounts = fopen("/proc/self/mounts", "re");
	char line[1024], path[512], kind[64];
	bool found = false;

	while (mounts && !found && fgets(line, sizeof(line), mounts)) {
		found = sscanf(line, "%*s %511s %63s", path, kind) == 2 &&
			!strcmp(kind, type);
		if (found)
			snprintf(where, size, "%s", path);
	}
	if (mounts)
		fclose(mounts);
	return found;
}

/* Where tracefs is, or "". Below debugfs it is mounted when somebody looks. */
static void find_tracefs(char *dir, size_t size)
{
	dir[0] = '\0';
	if (is_mounted("tracefs", dir, size))
		return;
	if (is_mounted("debugfs", dir, size) && strlen(dir) + 9 < size)
		strcat(dir, "/tracing");
	if (dir[0] && access(dir, F_OK))
		dir[0] = '\0';
}

static bool check_tracefs(struct cs_doctor *doctor, const char *dir)
{
	char lockdown[128];

	if (!dir[0]) {
		cs_doctor_found(
			doctor, "tracefs", CS_MISSING,
			"mount -t tracefs nodev /sys/kernel/tracing (as root; a kernel "
			"without CONFIG_TRACING cannot)",
			"is not mounted");
		return false;
	}
	if (access(dir, R_OK | X_OK)) {
		int err = errno;
		bool locked = !cs_doctor_read("/sys/kernel/security/lockdown", lockdown,
					      sizeof(lockdown)) &&
			      strstr(lockdown, "[confidentiality]");

		cs_doctor_found(doctor, "tracefs", CS_MISSING,
				locked ? "boot without lockdown=confidentiality"
				       : "run ctxsw as root: sudo ctxsw doctor",
				"mounted at %s, but not readable: %s", dir,
				strerror(err));
		return false;
	}
	cs_doctor_found(doctor, "tracefs", CS_OK, NULL, "mounted at %s", dir);
	return true;
}

static void check_events(struct cs_doctor *doctor, const char *dir)
{
	char missing[400] = "";
	unsigned int there = 0, absent = 0;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		size_t length = strlen(missing);
		char path[1024];

		snprintf(path, sizeof(path), "%s/events/%s", dir, wanted[i].event);
		if (!access(path, F_OK)) {
			there++;
			continue;
		}
		if (!wanted[i].use) {
			cs_doctor_found(
				doctor, "events", CS_MISSING,
				"a kernel with CONFIG_TRACEPOINTS and CONFIG_EVENT_TRACING",
				"%s is not in this kernel", wanted[i].event);
			return;
		}
		absent++;
		snprintf(missing + length, sizeof(missing) - length, "%s%s (%s)",
			 length ? ", " : "", wanted[i].event, wanted[i].use);
	}
	if (absent)
		cs_doctor_found(doctor, "events", CS_OK, NULL,
				"%u of %u wanted events; not in this kernel: %s", there,
				there + absent, missing);
	else
		cs_doctor_found(doctor, "events", CS_OK, NULL, "all %u wanted events",
				there);
}

static void check_clocks(struct cs_doctor *doctor, const char *dir)
{
	char path[1024], clocks[256];

	snprintf(path, sizeof(path), "%s/trace_clock", dir);
	if (cs_doctor_read(path, clocks, sizeof(clocks)))
		cs_doctor_found(doctor, "trace clocks", CS_WARNING, "run ctxsw as root",
				"cannot be read");
	else if (!strstr(clocks, "mono"))
		cs_doctor_found(
			doctor, "trace clocks", CS_WARNING,
			"a kernel of 4.1 or later; until then CPUs may differ by some us",
			"no mono: %s", clocks);
	else
		cs_doctor_found(doctor, "trace clocks", CS_OK, NULL, "%s", clocks);
}

static void sleep_often(void)
{
	const struct timespec time = {.tv_nsec = SLEEP_NS};

	for (int i = 0; i < SLEEPS; i++)
		nanosleep(&time, NULL);
}

/* As a recording does it, but small. */
static void try_instance(struct cs_doctor *doctor)
{
	const struct cs_session_options options = {.buffer_kb = 64};
	struct cs_error error = {""}, ignored;
	struct cs_session_stats stats = {0};
	struct cs_session session;
	struct cs_events events = {0};
	char *switches[] = {(char *)"sched:sched_switch"};
	int ret;

	if (cs_events_choose(&events, switches, 1, NULL, 0, &error)) {
		cs_doctor_found(doctor, "recording", CS_MISSING, NULL, "%s", error.text);
		cs_events_fini(&events);
		return;
	}
	ret = cs_session_open(&session, &options, &events, &error);
	if (!ret) {
		ret = cs_session_switch(&session, true);
		sleep_often();
		cs_session_switch(&session, false);
		cs_session_stats(&session, &stats);
	}
	cs_session_close(&session, &ignored);
	cs_events_fini(&events);
	if (ret)
		cs_doctor_found(doctor, "recording", CS_MISSING,
				ret == -EACCES || ret == -EPERM
					? "run ctxsw as root: sudo ctxsw doctor"
					: NULL,
				"an instance of its own cannot be made: %s",
				error.text[0] ? error.text : strerror(-ret));
	else if (!stats.events)
		cs_doctor_found(doctor, "recording", CS_MISSING,
				"look for what switched tracing off: "
				"/proc/sys/kernel/ftrace_enabled, the kernel log",
				"an instance was made, but no switch arrived in it");
	else
		cs_doctor_found(doctor, "recording", CS_OK, NULL,
				"tried: %llu switches arrived in an instance of its own",
				(unsigned long long)stats.events);
}

void cs_doctor_tracing(struct cs_doctor *doctor)
{
	struct cs_error error = {""};
	char dir[512];

	find_tracefs(dir, sizeof(dir));
	if (!check_tracefs(doctor, dir))
		return;
	check_events(doctor, dir);
	check_clocks(doctor, dir);
	if (cs_session_find(&error)) {
		cs_doctor_found(doctor, "recording", CS_MISSING,
				"run ctxsw as root: sudo ctxsw doctor", "%s", error.text);
		return;
	}
	try_instance(doctor);
	cs_session_forget();
}

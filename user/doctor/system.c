/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Privileges, real-time settings, the module, and what else of the system
 * bears on a measurement.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/doctor/doctor.h"
#include "user/record/kmod.h"

/* include/uapi/linux/capability.h */
#define CAP_SYS_ADMIN 21
#define CAP_SYS_NICE  23
#define CAP_PERFMON   38

static long long number_in(const char *path, long long otherwise)
{
	char text[64], *end;
	long long number;

	if (cs_doctor_read(path, text, sizeof(text)))
		return otherwise;
	number = strtoll(text, &end, 10);
	return end == text ? otherwise : number;
}

static unsigned long long capabilities(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	unsigned long long set = 0;
	char line[256];

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "CapEff: %llx", &set) == 1)
			break;
	if (status)
		fclose(status);
	return set;
}

static void check_privileges(struct cs_doctor *doctor)
{
	unsigned long long set = capabilities();
	bool admin = set >> CAP_SYS_ADMIN & 1;

	if (geteuid() && !admin)
		cs_doctor_found(doctor, "privileges", CS_WARNING,
				"run ctxsw as root: sudo ctxsw doctor",
				"user %u%s; files of tracefs belong to root", geteuid(),
				set >> CAP_PERFMON & 1 ? " with CAP_PERFMON" : "");
	else if (!admin)
		cs_doctor_found(doctor, "privileges", CS_WARNING,
				"in a container, give it CAP_SYS_ADMIN",
				"root, but without CAP_SYS_ADMIN");
	else
		cs_doctor_found(doctor, "privileges", CS_OK, NULL, "%s",
				geteuid() ? "CAP_SYS_ADMIN" : "root");
}

/* Whether a task may have real-time priority: in a child, which then ends. */
static int try_realtime(void)
{
	const struct sched_param param = {.sched_priority = 1};
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (!pid)
		_exit(sched_setscheduler(0, SCHED_FIFO, &param) ? errno : 0);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return EIO;
	return WEXITSTATUS(status);
}

static void check_realtime(struct cs_doctor *doctor)
{
	struct rlimit limit = {0};
	int err = try_realtime();

	getrlimit(RLIMIT_RTPRIO, &limit);
	if (!err)
		cs_doctor_found(doctor, "real-time priority", CS_OK, NULL,
				"tried: SCHED_FIFO is allowed");
	else
		cs_doctor_found(doctor, "real-time priority", CS_WARNING,
				"run as root, or set rtprio in /etc/security/limits.conf",
				"tried: SCHED_FIFO is refused (%s; limit %llu)",
				strerror(err), (unsigned long long)limit.rlim_cur);
}

static void check_throttling(struct cs_doctor *doctor)
{
	long long runtime = number_in("/proc/sys/kernel/sched_rt_runtime_us", -2);
	long long period = number_in("/proc/sys/kernel/sched_rt_period_us", 0);

	if (runtime == -2)
		cs_doctor_found(doctor, "real-time throttling", CS_OK, NULL,
				"this kernel has no such setting");
	else if (runtime < 0 || runtime >= period)
		cs_doctor_found(doctor, "real-time throttling", CS_OK, NULL, "off");
	else
		cs_doctor_found(
			doctor, "real-time throttling", CS_WARNING,
			"sysctl kernel.sched_rt_runtime_us=-1, if you know that no task "
			"can hold a CPU for ever",
			"real-time tasks may run %lld of %lld us; then they are stopped",
			runtime, period);
}

static void check_kernel(struct cs_doctor *doctor)
{
	struct utsname name;
	const char *model = "not PREEMPT_RT: latencies are those of an ordinary kernel";

	if (uname(&name))
		return;
	if (number_in("/sys/kernel/realtime", 0) == 1 ||
	    strstr(name.version, "PREEMPT_RT") || strstr(name.version, "PREEMPT RT"))
		model = "PREEMPT_RT";
	cs_doctor_found(doctor, "kernel", CS_OK, NULL, "%s %s, %s", name.release,
			name.machine, model);
}

static void check_module(struct cs_doctor *doctor)
{
	struct cs_kmod_obstacle obstacle;
	struct cs_error error = {""};
	struct cs_kmod kmod;
	int ret = cs_kmod_read(&kmod, "", &error);

	if (!ret) {
		cs_doctor_found(doctor, "ctxsw module", CS_OK, NULL,
				"loaded, ABI %ld; phases: %s; its hooks cost %lu ns",
				kmod.abi, *kmod.phases ? kmod.phases : "none",
				kmod.cost_ns);
		return;
	}
	if (ret != -ENOENT) {
		cs_doctor_found(doctor, "ctxsw module", CS_WARNING, NULL,
				"loaded, but not used: %s", error.text);
		return;
	}
	obstacle = cs_kmod_obstacle();
	cs_doctor_found(doctor, "ctxsw module", CS_WARNING, obstacle.mend,
			"not loaded, %s; recording and reports work without it",
			obstacle.found);
}

static void check_ftrace(struct cs_doctor *doctor)
{
	long long enabled = number_in("/proc/sys/kernel/ftrace_enabled", -1);

	if (enabled == 1)
		cs_doctor_found(doctor, "function hooks", CS_OK, NULL,
				"kernel.ftrace_enabled is 1");
	else if (!enabled)
		cs_doctor_found(
			doctor, "function hooks", CS_WARNING,
			"sysctl kernel.ftrace_enabled=1",
			"kernel.ftrace_enabled is 0: events work, hooks of the module "
			"do not");
	else
		cs_doctor_found(
			doctor, "function hooks", CS_WARNING,
			"a kernel with CONFIG_FUNCTION_TRACER",
			"not in this kernel: events work, hooks of the module do not");
}

static void check_latency_device(struct cs_doctor *doctor)
{
	static const char path[] = "/dev/cpu_dma_latency";

	if (access(path, F_OK))
		cs_doctor_found(doctor, "idle states", CS_WARNING, NULL,
				"no %s: deep idle states cannot be kept away", path);
	else if (access(path, W_OK))
		cs_doctor_found(
			doctor, "idle states", CS_WARNING, "run as root",
			"%s is not writable: deep idle states cannot be kept away", path);
	else
		cs_doctor_found(doctor, "idle states", CS_OK, NULL,
				"%s is writable: deep idle states can be kept away",
				path);
}

static void check_perf(struct cs_doctor *doctor)
{
	long long level = number_in("/proc/sys/kernel/perf_event_paranoid", -100);

	if (level == -100)
		cs_doctor_found(
			doctor, "perf events", CS_WARNING,
			"a kernel with CONFIG_PERF_EVENTS; ctxsw does not need them",
			"not in this kernel");
	else if (level > 1 && geteuid() && !(capabilities() >> CAP_PERFMON & 1))
		cs_doctor_found(
			doctor, "perf events", CS_WARNING,
			"sysctl kernel.perf_event_paranoid=1; ctxsw does not need them",
			"kernel.perf_event_paranoid is %lld: not for this user", level);
	else
		cs_doctor_found(doctor, "perf events", CS_OK, NULL,
				"kernel.perf_event_paranoid is %lld", level);
}

static void check_clocksource(struct cs_doctor *doctor)
{
	static const char path[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "pit"};
	char name[64];

	if (cs_doctor_read(path, name, sizeof(name))) {
		cs_doctor_found(doctor, "clock source", CS_WARNING, NULL,
				"cannot be read");
		return;
	}
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		if (strcmp(name, slow[i]))
			continue;
		cs_doctor_found(doctor, "clock source", CS_WARNING,
				"see in the kernel log why the faster one was given up "
				"(dmesg | grep -i clocksource); record with -C local",
				"%s: reading it is slow, each event costs more", name);
		return;
	}
	cs_doctor_found(doctor, "clock source", CS_OK, NULL, "%s", name);
}

void cs_doctor_system(struct cs_doctor *doctor)
{
	check_privileges(doctor);
	check_kernel(doctor);
	check_realtime(doctor);
	check_throttling(doctor);
	check_module(doctor);
	check_ftrace(doctor);
	check_clocksource(doctor);
	check_latency_device(doctor);
	check_perf(doctor);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel module ctxsw: its state in sysfs.
 */
#include "user/record/kmod.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/ctxsw/abi.h"
#include "user/record/io.h"

/* A small file as one line of words; "" when it cannot be read. */
static void read_words(const char *root, const char *path, char *text, size_t size)
{
	char name[512];
	char *content;

	*text = '\0';
	snprintf(name, sizeof(name), "%s%s", root, path);
	if (cs_io_read(name, &content, NULL))
		return;
	for (char *c = content; *c; c++)
		if (*c == '\n')
			*c = c[1] ? ' ' : '\0';
	snprintf(text, size, "%s", content);
	free(content);
}

/* "prepare mm" as "prepare, mm" */
static void take_phases(struct cs_kmod *kmod, const char *text)
{
	size_t used = 0;

	for (; *text && used + 2 < sizeof(kmod->phases); text++) {
		if (*text == ' ')
			kmod->phases[used++] = ',';
		kmod->phases[used++] = *text;
	}
	kmod->phases[used] = '\0';
}

/* "prepare 30 mm 60" as "prepare:30,mm:60" */
static void take_costs(struct cs_kmod *kmod, char *text)
{
	size_t used = 0;
	char *rest;

	for (char *name = strtok_r(text, " ", &rest); name;
	     name = strtok_r(NULL, " ", &rest)) {
		const char *cost = strtok_r(NULL, " ", &rest);

		if (!cost || used >= sizeof(kmod->costs))
			break;
		used += (size_t)snprintf(kmod->costs + used, sizeof(kmod->costs) - used,
					 "%s%s:%s", used ? "," : "", name, cost);
		kmod->cost_ns += strtoul(cost, NULL, 10);
	}
}

int cs_kmod_read(struct cs_kmod *kmod, const char *root, struct cs_error *error)
{
	char text[512];

	memset(kmod, 0, sizeof(*kmod));
	read_words(root, CTXSW_STATE_DIR "/abi_version", text, sizeof(text));
	if (!*text) {
		struct cs_kmod_obstacle obstacle = cs_kmod_obstacle();

		return cs_error_set(error, -ENOENT, "module ctxsw: not loaded, %s; %s",
				    obstacle.found, obstacle.mend);
	}
	kmod->abi = strtol(text, NULL, 10);
	if (kmod->abi != CTXSW_ABI_VERSION)
		return cs_error_set(error, -EPROTO,
				    "module ctxsw: its ABI is %ld, %s than that of this "
				    "ctxsw (%d); use a %s of the same version",
				    kmod->abi,
				    kmod->abi > CTXSW_ABI_VERSION ? "newer" : "older",
				    CTXSW_ABI_VERSION,
				    kmod->abi > CTXSW_ABI_VERSION ? "ctxsw" : "module");
	read_words(root, CTXSW_PARAM_DIR "/phases", text, sizeof(text));
	if (*text == 'N')
		return cs_error_set(error, -EPERM,
				    "module ctxsw: phases are switched off; echo Y "
				    ">" CTXSW_PARAM_DIR "/phases");
	read_words(root, CTXSW_PARAM_DIR "/boosts", text, sizeof(text));
	if (*text == 'N')
		return cs_error_set(error, -EPERM,
				    "module ctxsw: boosts are switched off; echo Y "
				    ">" CTXSW_PARAM_DIR "/boosts");
	read_words(root, "/proc/sys/kernel/ftrace_enabled", text, sizeof(text));
	if (*text == '0')
		return cs_error_set(error, -EPERM,
				    "module ctxsw: its hooks need "
				    "sysctl kernel.ftrace_enabled=1");
	read_words(root, CTXSW_STATE_DIR "/phases", text, sizeof(text));
	take_phases(kmod, text);
	read_words(root, CTXSW_STATE_DIR "/cost_ns", text, sizeof(text));
	take_costs(kmod, text);
	return 0;
}

size_t cs_kmod_marker(const struct cs_kmod *kmod, char *line)
{
	char phases[sizeof(kmod->phases)];
	size_t used = 0;

	for (const char *c = kmod->phases; *c; c++)
		if (*c != ' ')
			phases[used++] = *c;
	phases[used] = '\0';
	return (size_t)snprintf(line, CS_KMOD_MARKER,
				"ctxsw:module abi=%ld phases=%s%s%s\n", kmod->abi, phases,
				*kmod->costs ? " cost_ns=" : "", kmod->costs);
}

struct cs_kmod_obstacle cs_kmod_obstacle(void)
{
	char text[128];

	if (access("/proc/modules", F_OK))
		return (struct cs_kmod_obstacle){"and this kernel loads no modules",
						 "a kernel with CONFIG_MODULES"};
	read_words("", "/proc/sys/kernel/modules_disabled", text, sizeof(text));
	if (*text == '1')
		return (struct cs_kmod_obstacle){
			"and loading was switched off until the next boot",
			"boot without kernel.modules_disabled=1"};
	read_words("", "/sys/kernel/security/lockdown", text, sizeof(text));
	if (strstr(text, "[integrity]") || strstr(text, "[confidentiality]"))
		return (struct cs_kmod_obstacle){
			"and the locked-down kernel takes signed modules only",
			"sign it with a key that the kernel trusts (mokutil), or boot without "
			"lockdown"};
	read_words("", "/sys/module/module/parameters/sig_enforce", text, sizeof(text));
	if (*text == 'Y')
		return (struct cs_kmod_obstacle){
			"and the kernel takes signed modules only (module.sig_enforce)",
			"sign it with a key that the kernel trusts (mokutil)"};
	return (struct cs_kmod_obstacle){"but nothing is in its way", "modprobe ctxsw"};
}

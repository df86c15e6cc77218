// SPDX-License-Identifier: GPL-2.0
/*
 * ctxsw: hooks in the scheduler, ordinary trace events out. Set-up in order, its reverse,
 * parameters, and the module's state in sysfs.
 */
#include <linux/module.h>
#include <linux/sysfs.h>

#include "ctxsw.h"

DEFINE_PER_CPU(u64[CTXSW_COUNTS], ctxsw_counts);

static const char *const phase_names[] = CTXSW_PHASE_NAMES;

/* ---- parameters: which groups may hook ----------------------------------------------- */

static int group_param_set(const char *val, const struct kernel_param *kp)
{
	bool allowed;
	int err;

	err = kstrtobool(val, &allowed);
	if (err)
		return err;
	return ctxsw_group_allow(kp->arg, allowed);
}

static int group_param_get(char *buffer, const struct kernel_param *kp)
{
	const struct ctxsw_group *group = kp->arg;

	return sysfs_emit(buffer, "%c\n", group->allowed ? 'Y' : 'N');
}

static const struct kernel_param_ops group_param_ops = {
	.set = group_param_set,
	.get = group_param_get,
};

module_param_cb(phases, &group_param_ops, &ctxsw_phases_group, 0644);
MODULE_PARM_DESC(phases, "event switch_phases may hook (default Y)");
module_param_cb(boosts, &group_param_ops, &ctxsw_boosts_group, 0644);
MODULE_PARM_DESC(boosts, "event pi_boost may hook (default Y)");
module_param_cb(locks, &group_param_ops, &ctxsw_locks_group, 0644);
MODULE_PARM_DESC(locks, "events lock_block and lock_acquired may hook (default Y)");

/* ---- state: /sys/module/ctxsw/state -------------------------------------------------- */

static ssize_t abi_version_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", CTXSW_ABI_VERSION);
}

static ssize_t phases_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	unsigned int i, n = 0;

	for (i = 0; i < CTXSW_PHASES; i++) {
		if (ctxsw_phases_available & BIT(i))
			n += sysfs_emit_at(buf, n, "%s%s", n ? " " : "", phase_names[i]);
	}
	n += sysfs_emit_at(buf, n, "\n");
	return n;
}

static ssize_t hooks_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s", ctxsw_phases_hooks);
}

static ssize_t cost_ns_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	unsigned int i, n = 0;

	for (i = 0; i < CTXSW_PHASES; i++)
		n += sysfs_emit_at(buf, n, "%s %u\n", phase_names[i], ctxsw_phases_cost_ns[i]);
	return n;
}

static ssize_t active_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct ctxsw_group *const groups[] = {
		&ctxsw_phases_group, &ctxsw_boosts_group, &ctxsw_locks_group,
	};
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		if (ctxsw_group_attached(groups[i]))
			n += sysfs_emit_at(buf, n, "%s%s", n ? " " : "", groups[i]->name);
	}
	n += sysfs_emit_at(buf, n, "\n");
	return n;
}

static const char *const count_names[CTXSW_COUNTS] = {
	[CTXSW_N_SEEN]		 = "seen",
	[CTXSW_N_EMITTED]	 = "emitted",
	[CTXSW_N_DISTURBED]	 = "disturbed",
	[CTXSW_N_NESTED]	 = "nested",
	[CTXSW_N_DROPPED]	 = "dropped",
	[CTXSW_N_BOOSTS]	 = "boosts",
	[CTXSW_N_LOCK_BLOCKS]	 = "lock_blocks",
	[CTXSW_N_LOCK_ACQUIRES]	 = "lock_acquires",
	[CTXSW_N_LOCK_FORGOTTEN] = "lock_forgotten",
};

static ssize_t counters_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	unsigned int i, n = 0;
	int cpu;

	for (i = 0; i < CTXSW_COUNTS; i++) {
		u64 sum = 0;

		for_each_possible_cpu(cpu)
			sum += READ_ONCE(per_cpu(ctxsw_counts, cpu)[i]);
		n += sysfs_emit_at(buf, n, "%s %llu\n", count_names[i], sum);
	}
	return n;
}

static struct kobj_attribute abi_version_attr = __ATTR_RO(abi_version);
static struct kobj_attribute phases_attr = __ATTR_RO(phases);
static struct kobj_attribute hooks_attr = __ATTR_RO(hooks);
static struct kobj_attribute cost_ns_attr = __ATTR_RO(cost_ns);
static struct kobj_attribute active_attr = __ATTR_RO(active);
static struct kobj_attribute counters_attr = __ATTR_RO(counters);

static struct attribute *state_attrs[] = {
	&abi_version_attr.attr,
	&phases_attr.attr,
	&hooks_attr.attr,
	&cost_ns_attr.attr,
	&active_attr.attr,
	&counters_attr.attr,
	NULL
};

static const struct attribute_group state_group = {
	.name = "state",
	.attrs = state_attrs,
};

/* ---- set-up and its reverse ---------------------------------------------------------- */

static int __init ctxsw_init(void)
{
	int err, missing;

	/* All three look, so that one message each names everything that is missing. */
	missing = ctxsw_boosts_init();
	err = ctxsw_locks_init();
	if (err)
		missing = err;
	err = ctxsw_phases_init();
	if (err)
		return err;
	err = missing;
	if (err)
		goto err_phases;
	err = sysfs_create_group(&THIS_MODULE->mkobj.kobj, &state_group);
	if (err)
		goto err_phases;
	ctxsw_groups_start();
	return 0;

err_phases:
	ctxsw_phases_fini();
	return err;
}

static void __exit ctxsw_exit(void)
{
	ctxsw_groups_stop();
	sysfs_remove_group(&THIS_MODULE->mkobj.kobj, &state_group);
	ctxsw_phases_fini();
}

module_init(ctxsw_init);
module_exit(ctxsw_exit);

MODULE_DESCRIPTION("Phases of context switches, priority boosts and lock owners as trace events");
MODULE_LICENSE("GPL");
MODULE_VERSION(CTXSW_VERSION);

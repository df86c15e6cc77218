/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything the module knows of kernel versions and architectures, each with its reason.
 * Built and tested on 6.1 and 6.12, each with and without PREEMPT_RT, x86-64.
 */
#ifndef CTXSW_COMPAT_H
#define CTXSW_COMPAT_H

#include <linux/ftrace.h>
#include <linux/hardirq.h>
#include <linux/kernel_stat.h>
#include <linux/mutex.h>
#include <linux/rtmutex.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/version.h>

/*
 * Floor: sched_switch passes prev_state since 5.18 (include/trace/events/sched.h), the
 * tracepoints contention_begin and contention_end exist since 5.19, LCB_F_MUTEX since 6.0.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 0, 0)
#error "ctxsw needs Linux 6.0 or later"
#endif

/*
 * Ceiling: nobody has looked at what comes later. Building there may work; look at
 * doc/module.md, "a new kernel", and raise it.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0) && !defined(CTXSW_UNTESTED_KERNEL)
#error "ctxsw is not tested on this kernel; EXTRA_CFLAGS=-DCTXSW_UNTESTED_KERNEL tries it"
#endif

/*
 * The address of the traced function's return address. In an ftrace handler at a function's
 * entry the stack pointer stands at it: ftrace_caller, arch/x86/kernel/ftrace_64.S, saves
 * RSP so, also without FTRACE_OPS_FL_SAVE_REGS. The accessor has this name since 6.1.
 */
#ifndef ftrace_regs_get_stack_pointer
#define ftrace_regs_get_stack_pointer(fregs) kernel_stack_pointer(&(fregs)->regs)
#endif

static __always_inline unsigned long *ctxsw_return_slot(struct ftrace_regs *fregs)
{
	return (unsigned long *)ftrace_regs_get_stack_pointer(fregs);
}

/*
 * The clock of the phases: the cheapest that the CPU has. All of one switch happens on one
 * CPU, so nothing has to agree between CPUs; ns come from one multiplication at the end.
 */
#ifdef CONFIG_X86_64
#include <asm/tsc.h>

#define CTXSW_HAVE_PHASES 1

static __always_inline u64 ctxsw_clock(void)
{
	return rdtsc();
}

static inline unsigned int ctxsw_clock_khz(void)
{
	return tsc_khz;
}

/*
 * A number that changes when an interrupt or NMI is taken on this CPU. Device interrupts are
 * counted in kstat.irqs_sum (kernel/irq/internals.h, __kstat_incr_irqs_this_cpu()), those of
 * the local APIC each in its own member of irq_stat (inc_irq_stat() in arch/x86).
 */
static __always_inline unsigned int ctxsw_interrupts(void)
{
	unsigned int n = (unsigned int)__this_cpu_read(kstat.irqs_sum);

	n += __this_cpu_read(irq_stat.__nmi_count);
#ifdef CONFIG_X86_LOCAL_APIC
	n += __this_cpu_read(irq_stat.apic_timer_irqs);
#endif
	n += __this_cpu_read(irq_stat.apic_perf_irqs);
	n += __this_cpu_read(irq_stat.apic_irq_work_irqs);
#ifdef CONFIG_SMP
	n += __this_cpu_read(irq_stat.irq_resched_count);
	n += __this_cpu_read(irq_stat.irq_call_count);
#endif
#if IS_ENABLED(CONFIG_HYPERV)
	n += __this_cpu_read(irq_stat.hyperv_stimer0_count);
#endif
#ifdef CONFIG_X86_HV_CALLBACK_VECTOR
	n += __this_cpu_read(irq_stat.irq_hv_callback_count);
#endif
	return n;
}
#else
/* No phases here yet: records say who switched and when, without durations. */
static inline u64 ctxsw_clock(void)
{
	return 0;
}

static inline unsigned int ctxsw_interrupts(void)
{
	return 0;
}
#endif /* CONFIG_X86_64 */

/*
 * Owners. The words hold a task and flags in the low bits: RT_MUTEX_HAS_WAITERS (1) in
 * kernel/locking/rtmutex_common.h, MUTEX_FLAGS (7) in kernel/locking/mutex.h, RWSEM_READER_OWNED
 * (1) and RWSEM_NONSPINNABLE (2) in kernel/locking/rwsem.c. PREEMPT_RT makes mutex and
 * rw_semaphore of rt_mutex_base (linux/mutex.h, linux/rwbase_rt.h).
 */
#define CTXSW_OWNER_FLAGS	7UL
#define CTXSW_RWSEM_READERS	1UL

static inline unsigned long ctxsw_rt_mutex_owner(const void *lock)
{
	return (unsigned long)READ_ONCE(((const struct rt_mutex_base *)lock)->owner);
}

#ifdef CONFIG_PREEMPT_RT
static inline unsigned long ctxsw_mutex_owner(const void *lock)
{
	return ctxsw_rt_mutex_owner(&((const struct mutex *)lock)->rtmutex);
}

static inline unsigned long ctxsw_rwbase_owner(const void *lock)
{
	return ctxsw_rt_mutex_owner(&((const struct rwbase_rt *)lock)->rtmutex);
}

static inline unsigned long ctxsw_rwsem_owner(const void *lock)
{
	return ctxsw_rwbase_owner(&((const struct rw_semaphore *)lock)->rwbase);
}
#else
static inline unsigned long ctxsw_mutex_owner(const void *lock)
{
	return atomic_long_read(&((const struct mutex *)lock)->owner);
}

static inline unsigned long ctxsw_rwbase_owner(const void *lock)
{
	return 0;
}

static inline unsigned long ctxsw_rwsem_owner(const void *lock)
{
	return atomic_long_read(&((const struct rw_semaphore *)lock)->owner);
}
#endif

/*
 * The lock that a task which is current blocks on: task->pi_blocked_on points to a struct
 * rt_mutex_waiter on its stack, kernel/locking/rtmutex_common.h, which is not among the
 * headers. Its members task and lock stand side by side; before them two tree nodes of 24
 * bytes up to 6.4, of 40 since (and in stable kernels that took "locking/rtmutex: Fix
 * task->pi_waiters integrity"). The member task must be our task, which says which it is.
 */
static inline const void *ctxsw_rt_waiter_lock(const struct task_struct *task)
{
	const unsigned long *waiter = (const unsigned long *)READ_ONCE(task->pi_blocked_on);
	static const unsigned int member_task[] = { 80, 48 };
	unsigned int i;

	for (i = 0; waiter && i < ARRAY_SIZE(member_task); i++) {
		const unsigned long *member = waiter + member_task[i] / sizeof(*waiter);

		if (READ_ONCE(member[0]) == (unsigned long)task)
			return (const void *)READ_ONCE(member[1]);
	}
	return NULL;
}

#endif

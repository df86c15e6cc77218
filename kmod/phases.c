// SPDX-License-Identifier: GPL-2.0
/*
 * The phases of context_switch(), kernel/sched/core.c: a time stamp at each boundary, kept
 * per CPU, and one trace record when the switch is over. doc/module.md has the picture.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/time64.h>
#include <trace/events/sched.h>

#include "calibrate.h"
#include "compat.h"
#include "ctxsw.h"
#include "phases.h"
#include "trace.h"

/*
 * From the sched_switch tracepoint to the return of finish_task_switch() preemption is off
 * (the runqueue lock, then the preempt_disable() of schedule(), or the initial count of a new
 * task), so a CPU is in one switch at a time and its state needs no lock. Interrupts are off
 * until finish_lock_switch(). NMIs touch nothing here.
 */
DEFINE_PER_CPU(struct ctxsw_cpu, ctxsw_cpu);

unsigned int ctxsw_phases_available;
unsigned int ctxsw_phases_cost_ns[CTXSW_PHASES];
char ctxsw_phases_hooks[512];

static u32 cycles_mult;
#define CYCLES_SHIFT 22

/* What fits into a phase's 32 bits of ns; a longer one is cut to that. */
static u32 cycles_max;

static u32 cycles_to_ns(u64 cycles)
{
	return cycles * cycles_mult >> CYCLES_SHIFT;
}

static u32 long_cycles_to_ns(u64 cycles)
{
	return cycles_to_ns(min_t(u64, cycles, cycles_max));
}

/* What must change: kernel threads have no user address space, threads share theirs. */
static u8 kind_of(const struct task_struct *prev, const struct task_struct *next)
{
	if (!prev->pid || !next->pid)
		return CTXSW_KIND_IDLE;
	if ((prev->flags | next->flags) & PF_KTHREAD)
		return CTXSW_KIND_KERNEL;
	if (prev->tgid == next->tgid || prev->mm == next->mm)
		return CTXSW_KIND_THREAD;
	return CTXSW_KIND_PROCESS;
}

/*
 * As __trace_sched_switch_state(), include/trace/events/sched.h, which modules do not see:
 * the same numbers as in sched_switch, so that the same letters belong to them.
 */
static u16 state_of(bool preempt, unsigned int prev_state, const struct task_struct *prev)
{
	unsigned int index;

	if (preempt)
		return TASK_REPORT_MAX;
	index = __task_state_index(prev_state, prev->exit_state);
	return index ? 1 << (index - 1) : 0;
}

static void emit(struct ctxsw_cpu *c)
{
	ctxsw_count_inc(CTXSW_N_EMITTED);
	trace_switch_phases(&c->record);
}

/*
 * __schedule(), just before context_switch(). The clock is read last: what this probe costs
 * lies before the switch.
 */
static void on_switch(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	struct ctxsw_cpu *c = this_cpu_ptr(&ctxsw_cpu);
	struct ctxsw_switch *s = &c->record;

	ctxsw_count_inc(CTXSW_N_SEEN);
	if (unlikely(c->stage))
		ctxsw_count_inc(c->stage == CTXSW_STAGE_FINISH ? CTXSW_N_NESTED : CTXSW_N_DROPPED);
	memcpy(s->prev_comm, prev->comm, TASK_COMM_LEN);
	memcpy(s->next_comm, next->comm, TASK_COMM_LEN);
	s->prev_pid = prev->pid;
	s->next_pid = next->pid;
	s->prev_tgid = prev->tgid;
	s->next_tgid = next->tgid;
	s->prev_prio = prev->prio;
	s->next_prio = next->prio;
	s->prev_state = state_of(preempt, prev_state, prev);
	s->kind = kind_of(prev, next);
	if (unlikely(!(ctxsw_phases_available & CTXSW_F_FINISH))) {
		emit(c);
		return;
	}
	c->interrupts = ctxsw_interrupts();
	c->stage = CTXSW_STAGE_PREPARE;
	c->begin = ctxsw_clock();
}

#ifdef CTXSW_HAVE_PHASES

/* Entry of what changes the address space; its return goes to ctxsw_mm_return. */
static void on_mm(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		  struct ftrace_regs *fregs)
{
	u64 now = ctxsw_clock();
	struct ctxsw_cpu *c = this_cpu_ptr(&ctxsw_cpu);
	unsigned long *slot;

	/* Not in a switch: exec, a kernel thread that takes an mm, an interrupt's flush. */
	if (c->stage != CTXSW_STAGE_PREPARE)
		return;
	c->stage = CTXSW_STAGE_MM;
	c->mm_begin = now;
	slot = ctxsw_return_slot(fregs);
	c->mm_caller = *slot;
	*slot = (unsigned long)ctxsw_mm_return;
}

/* Entry of finish_task_switch(), on the new task's stack; returns to ctxsw_finish_return. */
static void on_finish(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		      struct ftrace_regs *fregs)
{
	u64 now = ctxsw_clock();
	struct ctxsw_cpu *c = this_cpu_ptr(&ctxsw_cpu);
	unsigned long *slot;

	if (c->stage != CTXSW_STAGE_PREPARE && c->stage != CTXSW_STAGE_MM)
		return;
	c->measured = c->stage == CTXSW_STAGE_MM ?
		CTXSW_F_PREPARE | CTXSW_F_MM | CTXSW_F_SWITCH_TO | CTXSW_F_FINISH :
		CTXSW_F_FINISH;
	c->stage = CTXSW_STAGE_FINISH;
	c->finish_begin = now;
	slot = ctxsw_return_slot(fregs);
	c->finish_caller = *slot;
	*slot = (unsigned long)ctxsw_finish_return;
}

/* A boundary was not seen, or the switch took too long for plain multiplication. */
static noinline void unusual_phases(struct ctxsw_cpu *c, u64 now)
{
	u32 *ns = c->record.phase_ns;

	if (c->measured & CTXSW_F_MM) {
		ns[CTXSW_PHASE_PREPARE] = long_cycles_to_ns(c->mm_begin - c->begin);
		ns[CTXSW_PHASE_MM] = long_cycles_to_ns(c->mm_end - c->mm_begin);
		ns[CTXSW_PHASE_SWITCH_TO] = long_cycles_to_ns(c->finish_begin - c->mm_end);
	} else {
		ns[CTXSW_PHASE_PREPARE] = long_cycles_to_ns(c->finish_begin - c->begin);
		ns[CTXSW_PHASE_MM] = 0;
		ns[CTXSW_PHASE_SWITCH_TO] = 0;
	}
	ns[CTXSW_PHASE_FINISH] = long_cycles_to_ns(now - c->finish_begin);
}

/**
 * ctxsw_finish_end() - the switch is over
 * @now:	the clock when finish_task_switch() had returned
 *
 * Called by ctxsw_finish_return, on the new task's stack, interrupts on, preemption off.
 */
asmlinkage void ctxsw_finish_end(u64 now)
{
	struct ctxsw_cpu *c = this_cpu_ptr(&ctxsw_cpu);
	struct ctxsw_switch *s = &c->record;
	u8 flags = c->measured;

	if (likely(flags & CTXSW_F_MM && now - c->begin < cycles_max)) {
		s->phase_ns[CTXSW_PHASE_PREPARE] = cycles_to_ns(c->mm_begin - c->begin);
		s->phase_ns[CTXSW_PHASE_MM] = cycles_to_ns(c->mm_end - c->mm_begin);
		s->phase_ns[CTXSW_PHASE_SWITCH_TO] = cycles_to_ns(c->finish_begin - c->mm_end);
		s->phase_ns[CTXSW_PHASE_FINISH] = cycles_to_ns(now - c->finish_begin);
	} else {
		unusual_phases(c, now);
	}
	if (ctxsw_interrupts() != c->interrupts) {
		flags |= CTXSW_F_DISTURBED;
		ctxsw_count_inc(CTXSW_N_DISTURBED);
	}
	s->flags = flags;
	c->stage = CTXSW_STAGE_NONE;
	if (likely(!c->calibrating))
		emit(c);
}

/*
 * The phases by what bounds them. No FTRACE_OPS_FL_SAVE_REGS: ftrace then saves the fewest
 * registers. No FTRACE_OPS_FL_RECURSION: the handlers call nothing that is traced.
 * PERMANENT: kernel.ftrace_enabled=0 would blind us, so it is refused, and if it is set
 * already attaching fails.
 */
static struct ftrace_ops mm_ops = { .func = on_mm, .flags = FTRACE_OPS_FL_PERMANENT };
static struct ftrace_ops finish_ops = { .func = on_finish, .flags = FTRACE_OPS_FL_PERMANENT };

/*
 * Which functions, tried in this order, all that exist are hooked. Patterns with a glob catch
 * the compiler's suffixes (finish_task_switch.isra.0). mm: context_switch() calls one or the
 * other, by whether the next task has an address space.
 */
static const struct site {
	unsigned int		phases;
	const char		*symbol;
	struct ftrace_ops	*ops;
	bool			own;
} sites[] = {
	{ CTXSW_F_MM, "switch_mm_irqs_off", &mm_ops },
	{ CTXSW_F_MM, "enter_lazy_tlb", &mm_ops },
	{ CTXSW_F_FINISH, "finish_task_switch*", &finish_ops },
	{ 0, "ctxsw_calibrate_mm", &mm_ops, .own = true },
	{ 0, "ctxsw_calibrate_finish", &finish_ops, .own = true },
};

static void find_sites(void)
{
	unsigned int i;
	int err, n = 0;

	for (i = 0; i < ARRAY_SIZE(sites); i++) {
		/* ftrace_set_filter() writes into the pattern. */
		char pattern[KSYM_NAME_LEN];

		strscpy(pattern, sites[i].symbol, sizeof(pattern));
		err = ftrace_set_filter(sites[i].ops, pattern, strlen(pattern), 0);
		if (!err)
			ctxsw_phases_available |= sites[i].phases;
		if (!sites[i].own)
			n += scnprintf(ctxsw_phases_hooks + n, sizeof(ctxsw_phases_hooks) - n,
				       "%s %s %s\n",
				       sites[i].phases == CTXSW_F_MM ? "mm" : "finish",
				       sites[i].symbol, err ? "missing" : "entry,return");
	}
	if (ctxsw_phases_available & CTXSW_F_MM)
		ctxsw_phases_available |= CTXSW_F_PREPARE | CTXSW_F_SWITCH_TO;
	/* Without the end of a switch there is no moment at which to write phases. */
	if (!(ctxsw_phases_available & CTXSW_F_FINISH))
		ctxsw_phases_available = 0;
}

/* The clock's rate is refined a while after boot: it is read whenever hooks go in. */
static int set_clock(void)
{
	unsigned int khz = ctxsw_clock_khz();

	/* Below 1 MHz the numbers would not fit, and phases would be all 0. */
	if (khz < USEC_PER_MSEC) {
		pr_err("the CPU has no clock that is fit for phases\n");
		return -ENODEV;
	}
	cycles_mult = div_u64((u64)USEC_PER_SEC << CYCLES_SHIFT, khz);
	cycles_max = min_t(u64, U32_MAX, div_u64((u64)U32_MAX * khz, USEC_PER_SEC));
	return 0;
}

static int hook_functions(void)
{
	int err;

	err = set_clock();
	if (err)
		return err;
	if (ctxsw_phases_available & CTXSW_F_FINISH) {
		err = register_ftrace_function(&finish_ops);
		if (err)
			return err;
	}
	if (ctxsw_phases_available & CTXSW_F_MM) {
		err = register_ftrace_function(&mm_ops);
		if (err) {
			unregister_ftrace_function(&finish_ops);
			return err;
		}
	}
	return 0;
}

static void unhook_functions(void)
{
	if (ctxsw_phases_available & CTXSW_F_MM)
		unregister_ftrace_function(&mm_ops);
	if (ctxsw_phases_available & CTXSW_F_FINISH)
		unregister_ftrace_function(&finish_ops);
	/*
	 * A function that is hooked returns through our code with preemption off: after a
	 * grace period none is left.
	 */
	synchronize_rcu();
}

/*
 * What the hooks add to each phase: the same hooks on functions that do nothing, each phase's
 * smallest of many. Nothing else runs on this CPU meanwhile.
 */
static int calibrate(void)
{
	unsigned int phase, round;
	unsigned long flags;
	struct ctxsw_cpu *c;
	int err;

	if (!(ctxsw_phases_available & CTXSW_F_FINISH))
		return 0;
	err = hook_functions();
	if (err)
		return err;
	for (phase = 0; phase < CTXSW_PHASES; phase++)
		ctxsw_phases_cost_ns[phase] = U32_MAX;
	for (round = 0; round < 256; round++) {
		local_irq_save(flags);
		c = this_cpu_ptr(&ctxsw_cpu);
		c->calibrating = true;
		c->interrupts = ctxsw_interrupts();
		c->stage = CTXSW_STAGE_PREPARE;
		c->begin = ctxsw_clock();
		ctxsw_calibrate_mm();
		ctxsw_calibrate_finish();
		c->calibrating = false;
		for (phase = 0; phase < CTXSW_PHASES; phase++)
			ctxsw_phases_cost_ns[phase] = min(ctxsw_phases_cost_ns[phase],
							  c->record.phase_ns[phase]);
		c->stage = CTXSW_STAGE_NONE;
		local_irq_restore(flags);
	}
	unhook_functions();
	return 0;
}

static void free_filters(void)
{
	ftrace_free_filter(&mm_ops);
	ftrace_free_filter(&finish_ops);
}

#else /* no CTXSW_HAVE_PHASES: who switched, without how long it took */

static void find_sites(void)
{
	strscpy(ctxsw_phases_hooks, "none on this architecture\n", sizeof(ctxsw_phases_hooks));
}

static int hook_functions(void)
{
	return 0;
}

static void unhook_functions(void)
{
}

static int calibrate(void)
{
	return 0;
}

static void free_filters(void)
{
}
#endif

static struct ctxsw_tracepoint tracepoints[] = {
	{ .name = "sched_switch", .probe = on_switch },
};

static int attach(void)
{
	int err, cpu;

	for_each_possible_cpu(cpu)
		per_cpu(ctxsw_cpu.stage, cpu) = CTXSW_STAGE_NONE;
	err = hook_functions();
	if (err)
		return err;
	err = ctxsw_tracepoints_hook(tracepoints, ARRAY_SIZE(tracepoints));
	if (err)
		unhook_functions();
	return err;
}

/*
 * First no switch begins any more; ctxsw_tracepoints_unhook() waits a grace period, and a
 * switch is shorter than that, so all that began have ended when the functions are unhooked.
 */
static void detach(void)
{
	ctxsw_tracepoints_unhook(tracepoints, ARRAY_SIZE(tracepoints));
	unhook_functions();
}

struct ctxsw_group ctxsw_phases_group = {
	.name = "phases",
	.attach = attach,
	.detach = detach,
	.allowed = true,
};

/**
 * ctxsw_phases_init() - finds the hooks and measures what they cost
 *
 * Return: 0, -ENOENT after a message when a tracepoint is missing, or -errno.
 */
int ctxsw_phases_init(void)
{
	int err;

	check_trace_callback_type_sched_switch(on_switch);
	err = ctxsw_tracepoints_find(tracepoints, ARRAY_SIZE(tracepoints));
	if (err)
		return err;
	find_sites();
	err = calibrate();
	if (err) {
		pr_err("function hooks cannot be registered (%d); is kernel.ftrace_enabled 0?\n",
		       err);
		free_filters();
	}
	return err;
}

/**
 * ctxsw_phases_fini() - the reverse of ctxsw_phases_init()
 */
void ctxsw_phases_fini(void)
{
	free_filters();
}

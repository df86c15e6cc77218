/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract between the kernel module and user space: names, numbers and their
 * meaning. Included by both sides; nothing but macros.
 */
#ifndef CTXSW_ABI_H
#define CTXSW_ABI_H

/*
 * Raised when an event's field changes its meaning or disappears, or when a number below
 * does. New fields, new events and new bits do not raise it: read fields by name.
 */
#define CTXSW_ABI_VERSION 1

/* The module, and where it says what it does; one value in a file. */
#define CTXSW_MODULE	"ctxsw"
#define CTXSW_STATE_DIR "/sys/module/ctxsw/state"
#define CTXSW_PARAM_DIR "/sys/module/ctxsw/parameters"

/* Trace events, group and names. */
#define CTXSW_EVENT_GROUP	  "ctxsw"
#define CTXSW_EVENT_SWITCH_PHASES "switch_phases"
#define CTXSW_EVENT_PI_BOOST	  "pi_boost"
#define CTXSW_EVENT_LOCK_BLOCK	  "lock_block"
#define CTXSW_EVENT_LOCK_ACQUIRED "lock_acquired"

/* Phases of context_switch(), in their order; also the bit numbers in the field flags. */
#define CTXSW_PHASE_PREPARE   0
#define CTXSW_PHASE_MM	      1
#define CTXSW_PHASE_SWITCH_TO 2
#define CTXSW_PHASE_FINISH    3
#define CTXSW_PHASES	      4
#define CTXSW_PHASE_NAMES                              \
	{                                              \
		"prepare", "mm", "switch_to", "finish" \
	}

/*
 * switch_phases, field flags. Bits 0 to 3: the phase was measured. A phase without its bit
 * is 0, or (prepare, when mm was not seen) holds the time up to the next boundary that was
 * seen: the four durations always add up to the whole switch.
 */
#define CTXSW_F_PREPARE	  0x01
#define CTXSW_F_MM	  0x02
#define CTXSW_F_SWITCH_TO 0x04
#define CTXSW_F_FINISH	  0x08
#define CTXSW_F_DISTURBED 0x10 /* an interrupt or NMI came inside */

/* switch_phases, field kind: what had to change. */
#define CTXSW_KIND_THREAD  0 /* nothing: same process, or the same address space */
#define CTXSW_KIND_PROCESS 1 /* the address space */
#define CTXSW_KIND_KERNEL  2 /* to or from a kernel thread */
#define CTXSW_KIND_IDLE	   3 /* to or from the idle task */
#define CTXSW_KINDS	   4
#define CTXSW_KIND_NAMES                              \
	{                                             \
		"thread", "process", "kernel", "idle" \
	}

/* pi_boost, field type. */
#define CTXSW_BOOST_END	  0 /* back at the task's own priority */
#define CTXSW_BOOST_BEGIN 1 /* lent a priority above its own, or lent another one */

/* lock_block and lock_acquired, field kind. */
#define CTXSW_LOCK_OTHER    0
#define CTXSW_LOCK_MUTEX    1 /* struct mutex (not on PREEMPT_RT: there it is an rt_mutex) */
#define CTXSW_LOCK_RWSEM    2 /* struct rw_semaphore (not on PREEMPT_RT) */
#define CTXSW_LOCK_PERCPU   3 /* struct percpu_rw_semaphore */
#define CTXSW_LOCK_RT_MUTEX 4 /* rt_mutex; on PREEMPT_RT also struct mutex */
#define CTXSW_LOCK_RTLOCK   5 /* PREEMPT_RT: spinlock_t, which sleeps */
#define CTXSW_LOCK_RT_RW    6 /* PREEMPT_RT: rw_semaphore or rwlock_t */
#define CTXSW_LOCK_PI_FUTEX 7 /* rt_mutex behind a futex of user space (FUTEX_LOCK_PI) */

/* lock_block, field flags. */
#define CTXSW_L_SPIN	0x01 /* spins for now, hoping that the owner runs */
#define CTXSW_L_READ	0x02 /* wants to read */
#define CTXSW_L_WRITE	0x04 /* wants to write */
#define CTXSW_L_READERS 0x08 /* held by readers: there is no one owner */

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The canonical event: what every reader delivers, whatever it reads. Decoded
 * once; everything behind a reader sees only this.
 */
#ifndef CS_ANALYSIS_EVENT_H
#define CS_ANALYSIS_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* TASK_COMM_LEN of include/linux/sched.h */
#define CS_COMM_LEN 16

/* A pid that the source does not tell. 0 is idle, negative pids do not exist. */
#define CS_PID_UNKNOWN (-1)

/* A priority that the source does not tell; -1 is SCHED_DEADLINE. */
#define CS_PRIO_UNKNOWN INT32_MIN

/* A CPU that the source does not tell. */
#define CS_CPU_UNKNOWN (-1)

/* CPU numbers are below this; NR_CPUS of no distribution is larger. */
#define CS_CPUS_MAX 8192

enum cs_event_type {
	CS_EVENT_OTHER,	     /* any record that no analysis uses; counted */
	CS_EVENT_SWITCH,     /* sched:sched_switch */
	CS_EVENT_WAKING,     /* sched:sched_waking */
	CS_EVENT_WAKEUP,     /* sched:sched_wakeup */
	CS_EVENT_WAKEUP_NEW, /* sched:sched_wakeup_new */
	CS_EVENT_MIGRATE,    /* sched:sched_migrate_task */
	CS_EVENT_PRIO,	     /* sched:sched_pi_setprio, ctxsw:pi_boost */
	CS_EVENT_FORK,	     /* sched:sched_process_fork, task:task_newtask */
	CS_EVENT_EXEC,	     /* sched:sched_process_exec */
	CS_EVENT_EXIT,	     /* sched:sched_process_exit */
	CS_EVENT_RENAME,     /* task:task_rename */
	CS_EVENT_IRQ,	     /* irq:irq_handler_*, irq:softirq_*, ... */
	CS_EVENT_MARKER,     /* ftrace:print */
	CS_EVENT_LOST,	     /* the ring buffer's missed-events flag */
	CS_EVENT_PHASES,     /* ctxsw:switch_phases */
	CS_EVENT_TYPES,
};

/* What the CPU was doing when it wrote the record, from common_flags. */
enum cs_context {
	CS_CONTEXT_TASK,
	CS_CONTEXT_SOFTIRQ,
	CS_CONTEXT_HARDIRQ,
	CS_CONTEXT_NMI,
	CS_CONTEXT_UNKNOWN,
};

/*
 * A task state, the same for every kernel: a set of the letters that the
 * trace's own print format gives ('A'..'Z' are bits 0..25, 'a'..'z' 26..51).
 * The empty set is runnable (R).
 */
typedef uint64_t cs_state;

#define CS_STATE_RUNNABLE ((cs_state)0)
/* A bit was set that the print format has no letter for. */
#define CS_STATE_UNKNOWN ((cs_state)1 << 62)
/* Runnable and taken off the CPU: the "+" of the print format. */
#define CS_STATE_PREEMPTED ((cs_state)1 << 63)

/**
 * cs_state_of - the state that one letter stands for
 * @letter: A to Z or a to z; 'R' is the empty set
 *
 * Return: the state, CS_STATE_UNKNOWN for any other character.
 */
static inline cs_state cs_state_of(char letter)
{
	if (letter == 'R')
		return CS_STATE_RUNNABLE;
	if (letter >= 'A' && letter <= 'Z')
		return (cs_state)1 << (letter - 'A');
	if (letter >= 'a' && letter <= 'z')
		return (cs_state)1 << (26 + letter - 'a');
	return CS_STATE_UNKNOWN;
}

/* Longest text of a state: 53 letters, '|' between them, '+', NUL. */
#define CS_STATE_TEXT 112

/**
 * cs_state_text - write a state as "R", "R+", "S", "D|W", "?"
 * @state: the state
 * @text: at least CS_STATE_TEXT bytes
 *
 * Return: @text.
 */
const char *cs_state_text(cs_state state, char *text);

/**
 * cs_state_parse - read what cs_state_text() writes
 * @text: the text; need not end with NUL
 * @length: its bytes
 * @state: the state read
 *
 * Return: whether @text was a state.
 */
bool cs_state_parse(const char *text, unsigned int length, cs_state *state);

enum cs_irq_kind {
	CS_IRQ_HARD,	/* irq:irq_handler_entry / exit: @nr is the irq */
	CS_IRQ_SOFT,	/* irq:softirq_entry / exit: @nr is the vector */
	CS_IRQ_VECTOR,	/* irq_vectors:*_entry / exit: @name tells */
	CS_IRQ_HRTIMER, /* timer:hrtimer_expire_entry / exit */
};

/* The kind of a switch, by what must change. */
enum cs_switch_kind {
	CS_KIND_THREAD,	 /* same process */
	CS_KIND_PROCESS, /* other address space */
	CS_KIND_KERNEL,	 /* to or from a kernel thread */
	CS_KIND_IDLE,	 /* to or from idle */
	CS_KIND_UNKNOWN,
	CS_KINDS,
};

/* What a switch does, one after the other; see doc/definitions.md. */
enum cs_phase {
	CS_PHASE_PREPARE,
	CS_PHASE_MM,
	CS_PHASE_SWITCH_TO,
	CS_PHASE_FINISH,
	CS_PHASES,
};

/**
 * struct cs_event - one record of the trace
 * @ts: time of the trace clock, ns
 * @cpu: the CPU that wrote it
 * @pid: the task it interrupted or that ran: common_pid, or CS_PID_UNKNOWN
 * @type: enum cs_event_type, says which member of the union is valid
 * @context: enum cs_context
 *
 * Comms point to CS_COMM_LEN bytes, not always NUL-terminated; they and all
 * other pointers live until the reader is asked for the next event. A comm
 * that the source does not tell is NULL.
 */
struct cs_event {
	uint64_t ts;
	int32_t cpu;
	int32_t pid;
	uint8_t type;
	uint8_t context;
	union {
		struct { /* SWITCH, PHASES */
			cs_state prev_state;
			const char *prev_comm;
			const char *next_comm;
			int32_t prev_pid;
			int32_t prev_prio;
			int32_t next_pid;
			int32_t next_prio;
			/* bits of the raw state that have no letter */
			uint32_t prev_unknown;
			/* PHASES only, from here on: or CS_PID_UNKNOWN */
			int32_t prev_tgid;
			int32_t next_tgid;
			/* they add up to the switch; ns that was not measured by
			   itself is in the phase before it */
			uint32_t phase_ns[CS_PHASES];
			uint8_t measured; /* 1 << enum cs_phase */
			uint8_t kind;	  /* enum cs_switch_kind */
			bool disturbed;	  /* an interrupt came inside */
		} sw;
		struct { /* WAKING, WAKEUP, WAKEUP_NEW: the task woken */
			const char *comm;
			int32_t pid;
			int32_t prio;
			int32_t target_cpu;
		} wake;
		struct {
			const char *comm;
			int32_t pid;
			int32_t from;
			int32_t to;
		} migrate;
		struct {
			const char *comm;
			int32_t pid;
			int32_t old_prio;
			int32_t new_prio;
			int32_t base_prio; /* without inheritance */
			int32_t donor;	   /* 0: none; or CS_PID_UNKNOWN */
		} prio;
		struct { /* FORK: the child; EXEC, EXIT, RENAME: the task */
			const char *comm; /* its comm after the event */
			int32_t pid;
			int32_t parent;	    /* FORK only */
			int8_t same_thread; /* FORK: CLONE_THREAD 1, not 0, unknown -1 */
		} task;
		struct {
			const char *name; /* NUL-terminated, or NULL */
			int32_t nr;
			uint8_t kind; /* enum cs_irq_kind */
			bool enter;
		} irq;
		struct {
			const char *text; /* @length bytes, no NUL */
			uint32_t length;
		} marker;
		struct {
			uint64_t count; /* 0: the number is unknown */
		} lost;
	};
};

#endif

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest: the module's promises, one check after the other. The guest side of
# module-check.sh. Prints TAP; exit status 1 when a check failed.
# usage: module-guest.sh SECTION...   counts groups locks hotplug tracers unload
tracing=/sys/kernel/tracing
state=/sys/module/ctxsw/state
failed=0
number=0

ok() { # ok STATUS NAME
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		failed=1
	fi
}

counter() {
	sed -n "s/^$1 //p" $state/counters
}

switch_on() { # FILE
	echo 1 >"$1"
}

instance() { # a fresh one with room
	mkdir $tracing/instances/t
	echo 16384 >$tracing/instances/t/buffer_size_kb
}

drop_instance() {
	echo 0 >$tracing/instances/t/events/enable
	rmdir $tracing/instances/t
}

workload_mix() {
	pingpong 300 >/dev/null
	pingpong -t 300 >/dev/null
	workload forks 20
	workload threads 200
	workload migrate 50
	workload sleep 50
	workload locks 20
	workload chain 3 >/dev/null
}

# ---- load, state ------------------------------------------------------------------------

load() {
	insmod /in/ctxsw.ko
	ok $? "loads"
	[ "$(cat $state/phases)" = "prepare mm switch_to finish" ]
	ok $? "all four phases are there"
	[ "$(cat $state/active)" = "" ]
	ok $? "no hook is in while nobody listens"
	! insmod /in/ctxsw.ko 2>/dev/null
	ok $? "loading twice is refused"
	awk '$2 < 5 || $2 > 2000 { exit 1 }' $state/cost_ns
	ok $? "the cost was measured: $(paste -sd' ' $state/cost_ns)"
}

# ---- every switch has one record --------------------------------------------------------

counts() {
	instance
	echo 1 >$tracing/instances/t/events/ctxsw/switch_phases/enable
	[ "$(cat $state/active)" = phases ]
	ok $? "the first user brings the hooks in"
	for load in "pingpong 500" "pingpong -t 500" "workload forks 30" "workload threads 300" \
		"workload migrate 100" "workload sleep 100" "workload locks 30" "workload pi 5" \
		"workload chain 5" "sleep 0.3"; do
		# shellcheck disable=SC2086 # a command line
		count-switches $load >/tmp/counts
		ok $? "every switch counted: $load: $(tail -n 1 /tmp/counts)"
	done
	drop_instance
	[ "$(cat $state/active)" = "" ]
	ok $? "the last user takes the hooks out"

	# Beside sched_switch in one buffer: per CPU, each sched_switch and then its switch_phases.
	instance
	echo 1 >$tracing/instances/t/events/sched/sched_switch/enable
	echo 1 >$tracing/instances/t/events/ctxsw/switch_phases/enable
	workload_mix
	echo 0 >$tracing/instances/t/tracing_on
	cat $tracing/instances/t/trace | sed -n '
		s/.*\[\(0*\)\([0-9][0-9]*\)\].* \(sched_switch\|switch_phases\): .*prev_pid=\([0-9]*\) prev_prio=\([-0-9]*\) prev_state=\([^ ]*\) .*next_pid=\([0-9]*\) next_prio=\([-0-9]*\).*/\2 \3 \4 \5 \6 \7 \8/p' |
		awk '
		# A zombie can be reaped between the two: Z and X are the same here.
		$5 == "Z" { $5 = "X" }
		$2 == "sched_switch" { if (open[$1] && started[$1]) lone++; open[$1] = $3 " " $4 " " $5 " " $6 " " $7; next }
		{ n++; if (open[$1] == $3 " " $4 " " $5 " " $6 " " $7) pairs++
		  else if (started[$1]) { wrong++; print "# wrong: " open[$1] " | " $0 }
		  open[$1] = ""; started[$1] = 1 }
		END { print "# " pairs + 0 " pairs, " lone + 0 " without record, " wrong + 0 " wrong"
		      exit !(pairs > 1000 && lone == 0 && wrong == 0) }' >/tmp/pairs
	ok $? "each sched_switch has its record, same tasks, priorities and state: $(tail -n 1 /tmp/pairs)"
	grep wrong: /tmp/pairs | head -n 5
	drop_instance
}

# ---- groups ------------------------------------------------------------------------------

groups() {
	instance
	echo 1 >$tracing/instances/t/events/ctxsw/enable
	[ "$(cat $state/active)" = "phases boosts locks" ]
	ok $? "all groups are in"
	echo 0 >/sys/module/ctxsw/parameters/locks
	[ "$(cat $state/active)" = "phases boosts" ]
	ok $? "a group can be taken out while its event is on"
	echo 1 >/sys/module/ctxsw/parameters/locks
	[ "$(cat $state/active)" = "phases boosts locks" ]
	ok $? "and brought back"
	drop_instance
}

# ---- boosts and locks --------------------------------------------------------------------

locks() {
	instance
	echo 1 >$tracing/instances/t/events/ctxsw/enable
	workload chain 3 >/tmp/tids
	cat $tracing/instances/t/trace >chain.txt
	low=$(sed -n 's/^low //p' /tmp/tids)
	mid=$(sed -n 's/^mid //p' /tmp/tids)
	high=$(sed -n 's/^high //p' /tmp/tids)
	[ "$(grep -c "pi_boost: .* pid=$low base_prio=89 .*new_prio=69 type=boost .*donor_prio=69" chain.txt)" = 3 ]
	ok $? "the end of the chain is boosted to its head's priority, three times"
	[ "$(grep -c "pi_boost: .* pid=$mid base_prio=79 old_prio=79 new_prio=69 type=boost .* donor_pid=$high" chain.txt)" = 3 ]
	ok $? "the middle is boosted, and the donor is named"
	[ "$(grep -c "pi_boost: .* pid=$low base_prio=89 .*new_prio=89 type=end" chain.txt)" -ge 3 ]
	ok $? "boosts end"
	[ "$(grep -c "lock_block: pid=$high prio=69 .*kind=pi_futex .* owner_pid=$mid owner_prio=[67]9 owner_base_prio=79" chain.txt)" = 3 ]
	ok $? "the head waits for a lock that the middle owns"
	[ "$(grep -c "lock_block: pid=$mid prio=79 .*kind=pi_futex .* owner_pid=$low owner_prio=.9 owner_base_prio=89" chain.txt)" = 3 ]
	ok $? "the middle waits for a lock that the last owns"
	echo >$tracing/instances/t/trace
	workload locks 60
	cat $tracing/instances/t/trace >locks.txt
	grep -q 'lock_block: ' locks.txt
	ok $? "kernel locks: $(sed -n 's/.*lock_block: .* kind=\([a-z_]*\).*/\1/p' locks.txt | sort | uniq -c | paste -sd' ')"
	grep 'lock_block: .* kind=rwsem.* owner_pid=[1-9]\|lock_block: .* kind=rt_.* owner_pid=[1-9]\|lock_block: .* kind=rtlock.* owner_pid=[1-9]' locks.txt | head -n 1 | grep -q .
	ok $? "with their owners"
	awk '/lock_block: / { for (i = 1; i < NF; i++) if ($i ~ /^pid=/) b[$i $(i + 2)] = 1 }
	     /lock_acquired: / { n++; for (i = 1; i < NF; i++) if ($i ~ /^pid=/ && !($i $(i + 2) in b)) lone++ }
	     END { exit !(n > 0 && lone <= 4) }' locks.txt
	ok $? "each lock_acquired has its lock_block before"
	drop_instance
}

# ---- other tracers on the same functions -------------------------------------------------

tracers() {
	if [ -e $tracing/kprobe_events ]; then
		finish=$(sed -n 's/^\(finish_task_switch[^ ]*\).*/\1/p' $tracing/available_filter_functions | head -n 1)
		{
			echo "p:k/finish $finish"
			echo "r:k/finish_ret $finish"
			echo "p:k/mm switch_mm_irqs_off"
			echo "r:k/mm_ret switch_mm_irqs_off"
		} >$tracing/kprobe_events
		for order in "ctxsw k" "k ctxsw"; do
			instance
			for group in $order; do
				echo 1 >$tracing/instances/t/events/"$group"/enable
			done
			count-switches pingpong 200 >/tmp/counts
			ok $? "beside kprobes and kretprobes, order $order: $(tail -n 1 /tmp/counts)"
			drop_instance
		done
		echo >$tracing/kprobe_events
	fi
	for tracer in function function_graph; do
		grep -qw $tracer $tracing/available_tracers || continue
		for order in "tracer first" "module first"; do
			echo 'finish_task_switch*' >$tracing/set_ftrace_filter
			echo 'switch_mm_irqs_off' >>$tracing/set_ftrace_filter
			echo 'enter_lazy_tlb' >>$tracing/set_ftrace_filter
			[ "$order" = "tracer first" ] && echo $tracer >$tracing/current_tracer
			instance
			echo 1 >$tracing/instances/t/events/ctxsw/switch_phases/enable
			[ "$order" = "module first" ] && echo $tracer >$tracing/current_tracer
			count-switches pingpong 200 >/tmp/counts
			ok $? "beside the $tracer tracer, $order: $(tail -n 1 /tmp/counts)"
			drop_instance
			echo nop >$tracing/current_tracer
			echo >$tracing/set_ftrace_filter
		done
	done
	instance
	echo function >$tracing/current_tracer
	echo 1 >$tracing/instances/t/events/ctxsw/enable
	count-switches pingpong 20 >/tmp/counts
	ok $? "beside the function tracer on everything: $(tail -n 1 /tmp/counts)"
	echo nop >$tracing/current_tracer
	drop_instance
	echo 0 >/proc/sys/kernel/ftrace_enabled 2>/dev/null
	instance
	! switch_on $tracing/instances/t/events/ctxsw/switch_phases/enable 2>/dev/null
	ok $? "kernel.ftrace_enabled 0: the event cannot be switched on"
	echo 1 >/proc/sys/kernel/ftrace_enabled
	switch_on $tracing/instances/t/events/ctxsw/switch_phases/enable
	ok $? "and can again with 1"
	drop_instance
}

# ---- CPU hotplug -------------------------------------------------------------------------

hotplug() {
	if [ -e /sys/devices/system/cpu/cpu1/online ]; then
		instance
		echo 1 >$tracing/instances/t/events/ctxsw/enable
		before=$(counter dropped)$(counter nested)
		for i in 1 2 3; do
			echo 0 >/sys/devices/system/cpu/cpu1/online
			workload forks 3
			echo 1 >/sys/devices/system/cpu/cpu1/online
			workload threads 20
		done
		[ "$(counter dropped)$(counter nested)" = "$before" ]
		ok $? "a CPU goes and comes three times"
		drop_instance
	fi
}

# ---- unload ------------------------------------------------------------------------------

unload() {
	instance
	echo 1 >$tracing/instances/t/events/ctxsw/enable
	! rmmod ctxsw 2>/dev/null && [ -d /sys/module/ctxsw ]
	ok $? "unloading while an event is on is refused"
	cat $tracing/instances/t/trace_pipe >/tmp/pipe &
	reader=$!
	workload forks 3
	echo 0 >$tracing/instances/t/events/ctxsw/enable
	rmmod ctxsw
	ok $? "unloads with a reader open"
	workload forks 3
	insmod /in/ctxsw.ko
	ok $? "and loads again"
	kill $reader
	wait $reader 2>/dev/null
	drop_instance
	rmmod ctxsw

	workload forks 100000 &
	load1=$!
	pingpong 100000000 >/dev/null &
	load2=$!
	rounds=${ROUNDS:-100}
	i=0
	while [ $i -lt "$rounds" ]; do
		insmod /in/ctxsw.ko || break
		[ $((i % 2)) = 0 ] && echo 1 >$tracing/events/ctxsw/enable
		# The module's record must not be shorter than it takes to write some.
		[ $((i % 10)) = 0 ] && sleep 0.05
		echo 0 >$tracing/events/ctxsw/enable
		rmmod ctxsw || break
		i=$((i + 1))
	done
	kill $load1 $load2
	[ $i = "$rounds" ]
	ok $? "loaded and unloaded $i times under load, half of them recording"
}

load
for section; do
	[ -d /sys/module/ctxsw ] || insmod /in/ctxsw.ko
	case $section in
	counts) counts ;;
	groups) groups ;;
	locks) locks ;;
	hotplug) hotplug ;;
	tracers) tracers ;;
	unload) unload ;;
	esac
done
echo "1..$number"
exit $failed

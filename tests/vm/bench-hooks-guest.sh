#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest whose clock counts instructions: what each kind of tracing adds to a switch.
# One line each: name, instructions per switch. The guest side of scripts/bench-hooks.
events=/sys/kernel/tracing/events
rounds=${1:-5000}

switches() {
	sed -n 's/^ctxt //p' /proc/stat
}

# measure NAME SWITCH...: with these switches (files that take 1 and 0) on.
measure() {
	name=$1
	shift
	for file; do echo 1 >"$file" || echo "cannot switch on $file" >&2; done
	pingpong 200 >/dev/null
	before=$(switches)
	pingpong "$rounds" >/tmp/pingpong
	after=$(switches)
	# A round takes two switches at least; where a wakeup preempts at once it takes four.
	awk -v name="$name" -v rounds="$rounds" -v n=$((after - before)) \
		'{ print name, $2 * 2 * rounds / n }' /tmp/pingpong
	for file; do echo 0 >"$file"; done
	echo >/sys/kernel/tracing/trace
}

# Let the boot finish: until the TSC is the clock source each clock read is expensive.
sleep 10
measure nothing
measure sched_switch $events/sched/sched_switch/enable
measure sched_waking $events/sched/sched_waking/enable
measure sched_wakeup $events/sched/sched_wakeup/enable
echo 0 >/sys/kernel/tracing/options/record-cmd
measure sched_switch_no_cmd $events/sched/sched_switch/enable
echo 1 >/sys/kernel/tracing/options/record-cmd
insmod /in/ctxsw.ko || exit
sleep 1
measure module_loaded
measure switch_phases $events/ctxsw/switch_phases/enable
echo 0 >/sys/kernel/tracing/options/record-cmd
measure switch_phases_no_cmd $events/ctxsw/switch_phases/enable
echo 1 >/sys/kernel/tracing/options/record-cmd
measure pi_boost $events/ctxsw/pi_boost/enable
measure locks $events/ctxsw/lock_block/enable $events/ctxsw/lock_acquired/enable
measure all_of_ctxsw $events/ctxsw/enable
measure both_switch_events $events/sched/sched_switch/enable $events/ctxsw/switch_phases/enable
sed 's/^/cost_/' /sys/module/ctxsw/state/cost_ns
rmmod ctxsw
sleep 1
measure module_unloaded

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# trace-cmd opens what we record, without a warning, and counts what we counted.
# shellcheck disable=SC1091,SC2154 # variables of record-lib.bash
set -euo pipefail
source "$(dirname "$0")/record-lib.bash"

need_tracing
need_tool trace-cmd

# The events that our summary tells.
summary_events() {
	sed -nE 's/^ctxsw: .* s, ([0-9,]+) events, .*/\1/p' out.err | tr -d ,
}

expect 0 "$CTXSW" record -o all.dat -D 500ms
said "ctxsw: all.dat: 0.5 s, "
said " 0 lost, own CPU "
[[ ! -e all.dat.part ]] || fail "all.dat.part was left"
[[ -z $(find . -name '*.cpu*') ]] || fail "pages were left"
count=$(events_in all.dat)
[[ ! -s report.err ]] || fail "trace-cmd warns: $(cat report.err)"
((count == $(summary_events))) || fail "trace-cmd finds $count events"
((count > 0)) || fail "no events"

trace-cmd report all.dat 2>/dev/null | awk '$3 + 0 < last { exit 1 } { last = $3 + 0 }' ||
	fail "the times are not in order"
trace-cmd report --stat all.dat >stat.txt 2>/dev/null
grep -q '^CPU: 0' stat.txt || fail "no statistics of CPU 0"
grep -a -q 'ctxsw ' all.dat || fail "no version"
grep -a -q "$(uname -s) $(uname -n) $(uname -r) $(uname -m)" all.dat || fail "no uname"

# The clock: user space's own, so that what it stamps fits in.
if grep -q -w mono "$tracing/trace_clock"; then
	grep -a -q -F '[mono]' all.dat || fail "the clock is not mono"
fi
expect 0 "$CTXSW" record -o local.dat -C local -D 100ms
grep -a -q -F '[local]' local.dat || fail "-C local: another clock"

# A process ends up in the file with its name, its threads and its tgid.
expect 0 "$CTXSW" record -o command.dat -- sleep 0.2
trace-cmd report command.dat 2>/dev/null >command.txt
grep -q 'sched_process_exec:.*sleep' command.txt || fail "the exec of the command is missing"
grep -q 'ctxsw:tasks .*[0-9]/[0-9]' command.txt || fail "no tgids"
grep -q "ctxsw:tasks .*2/2k" command.txt || fail "kthreadd is no kernel thread"
me=$$
grep -q -E "ctxsw:tasks .* $me/$me( |\$)" command.txt || fail "we are missing"
if awk 'length($0) > 1100' command.txt | grep -q ctxsw:tasks; then
	fail "a line of tgids is too long"
fi

# One CPU, its events only; the numbers of the CPUs may have a hole below.
last=$(sed -E 's/.*[-,]//' /sys/devices/system/cpu/online)
expect 0 "$CTXSW" record -o one.dat --cpu "$last" -D 300ms -e sched
count=$(events_in one.dat)
((count == $(summary_events))) || fail "one CPU: trace-cmd finds $count events"
cpus=$(trace-cmd report one.dat 2>/dev/null |
	sed -nE 's/.* \[([0-9]{3})\] +[0-9]+\.[0-9]+: .*/\1/p' | sort -u | tr '\n' ' ')
[[ $cpus == "$(printf '%03d ' "$last")" ]] || fail "CPUs $cpus instead of $last"
grep -q "ctxsw:tasks" <(trace-cmd report one.dat 2>/dev/null) || fail "one CPU: no tgids"

# An event that prints addresses has the symbols in.
if [[ -d $tracing/events/timer/hrtimer_start ]]; then
	expect 0 "$CTXSW" record -o symbols.dat -D 200ms -e timer:hrtimer_start
	trace-cmd report symbols.dat 2>/dev/null >symbols.txt
	grep -q 'hrtimer_start:.*function=[a-z]' symbols.txt || fail "addresses without symbols"
	if grep -q 'sched_waking' symbols.txt; then
		fail "-e took more than it was given"
	fi
	grep -q 'sched_switch' symbols.txt || fail "-e lost sched_switch"
fi

# What an analysis needs.
expect 0 "$CTXSW" record -o for.dat -D 200ms --for switches
trace-cmd report for.dat 2>/dev/null >for.txt
! grep -q 'sched_waking:' for.txt || fail "--for switches took sched_waking"
expect 0 "$CTXSW" record -o for.dat -D 200ms --for switches,latency -q
[[ ! -s out.err ]] || fail "-q said something"
trace-cmd report for.dat 2>/dev/null >for.txt
grep -q 'sched_waking:' for.txt || fail "--for latency took no sched_waking"

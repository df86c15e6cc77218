#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Against an independent tool: trace-cmd decodes the raw fields of real traces, a small awk
# program applies the definitions to them, and every figure must be that of ctxsw.
# usage: tests/cli/oracle.sh [TRACE.dat...]
# default: those in tests/data/traces and $CTXSW_TRACES
#
# Exact: switches by class, run and wait of each task, busy and idle of each CPU, preempted
# times, wakeup latencies (count, min, max, mean). Not compared: percentiles (the histogram
# is within 1 %), blocked times where the trace has no wakeups. A trace with losses, or with
# holes in the chain of switches, is refused: what to drop is a definition of its own.
set -euo pipefail

cd "$(dirname "$0")/../.."
ctxsw=${CTXSW:-build/ctxsw}
traces=${CTXSW_TRACES:-../shared/traces}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

skip() {
	echo "oracle: $*"
	exit 77
}

command -v trace-cmd >/dev/null || skip "no trace-cmd to compare with"
command -v jq >/dev/null || skip "no jq to read the report with"
files=("$@")
if ((!${#files[@]})); then
	for file in tests/data/traces/*.dat "$traces"/*.dat; do
		[[ ! -e $file ]] || files+=("$file")
	done
fi
((${#files[@]})) || skip "no traces in tests/data/traces and $traces"

# The bit that says "preempted", from the print format of the trace itself.
plus_bit() {
	local expression
	expression=$(trace-cmd dump --events -i "$1" 2>/dev/null |
		sed -n 's/.*REC->prev_state & \([^?"]*\) ? "+" : "".*/\1/p' | head -n 1)
	[[ $expression =~ ^[-0-9a-fx\|\&+\<\ \(\)]+$ ]] || return 1
	echo "$((expression))"
}

# The definitions once more, on "CPU TIME EVENT key=value..." lines.
cat >"$tmp/oracle.awk" <<'AWK'
function field(name,    at, text) {
	at = index($0, " " name "=")
	if (!at)
		return ""
	text = substr($0, at + length(name) + 2)
	sub(/ .*/, "", text)
	return text
}

function number(text,    value, i) {
	if (text !~ /^0x/)
		return text + 0
	value = 0
	for (i = 3; i <= length(text); i++)
		value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value
}

function sample(what, ns) {
	if (!(what in count) || ns < least[what])
		least[what] = ns
	if (!(what in count) || ns > most[what])
		most[what] = ns
	count[what]++
	total[what] += ns
}

function show(what, name) {
	if (!count[what])
		printf "%s 0\n", name
	else
		printf "%s %.0f %.0f %.0f %.0f\n", name, count[what], least[what], most[what],
			int(total[what] / count[what] + 0.5)
}

# pid runs from now on, having waited
function comes(pid,    ns) {
	if (state[pid] == "asleep" && early[pid]) {
		state[pid] = "woken"	# it was woken before it left
	}
	if (state[pid] == "woken" || state[pid] == "preempted") {
		ns = now - since[pid]
		wait[pid] += ns
		if (state[pid] == "woken") {
			sample("wakeup", ns)
			sample("wakeup of " pid, ns)
			woken_pids[pid] = 1
		} else {
			sample("preempted", ns)
		}
	}
	if (state[pid] != "preempted")
		early[pid] = 0
	state[pid] = "running"
	since[pid] = now
}

function leaves(pid, raw) {
	if (state[pid] == "running")
		run[pid] += now - since[pid]
	tasks[pid] = 1
	switches[pid]++
	if (int(raw / plus) % 2) {
		state[pid] = "preempted"
		preempted[pid]++
	} else if (raw == 0) {
		state[pid] = "preempted"
		runnable[pid]++
		raced[pid] = next_pid == 0
	} else {
		state[pid] = "asleep"
		voluntary[pid]++
	}
	since[pid] = now
}

function wakes(pid, waking) {
	tasks[pid] = 1
	if (state[pid] == "running") {
		if (waking)
			early[pid] = 1
	} else if (state[pid] == "woken" || (state[pid] == "preempted" && !raced[pid])) {
		return
	} else if (!waking && (seen_waking && state[pid] != "asleep" || early[pid])) {
		return
	} else {
		state[pid] = "woken"
		since[pid] = now
		early[pid] = 0
	}
	raced[pid] = 0
}

{
	# what stands before "[cpu] time: event:" may hold anything but a bracket and digits
	if (!match($0, /\[[0-9]+\] +[0-9]+\.[0-9]+: +[^ ]+: /))
		next
	split(substr($0, RSTART, RLENGTH), head, /[][ :]+/)
	cpu = head[2] + 0
	split(head[3], parts, ".")
	now = parts[1] * 1000000000 + parts[2]
	event = head[4]
	if (!(cpu in begin))
		begin[cpu] = now
	if (now < last[cpu])
		bad = "time goes backwards"
	last[cpu] = now
	if (now > end)
		end = now
}

event == "sched_switch" {
	prev_pid = number(field("prev_pid"))
	next_pid = number(field("next_pid"))
	if (cpu in current) {
		if (current[cpu] != prev_pid)
			bad = "a hole in the chain of switches"
		if (prev_pid)
			busy[cpu] += now - switched[cpu]
		else
			idle[cpu] += now - switched[cpu]
	}
	all[cpu]++
	if (prev_pid)
		leaves(prev_pid, number(field("prev_state")))
	else
		from_idle++
	if (next_pid) {
		tasks[next_pid] = 1
		comes(next_pid)
	}
	current[cpu] = next_pid
	switched[cpu] = now
}

event == "sched_waking" { seen_waking = 1; wakes(number(field("pid")), 1) }
event == "sched_wakeup" && field("success") != "0" { wakes(number(field("pid")), 0) }
event == "sched_wakeup_new" && field("success") != "0" {
	pid = number(field("pid"))
	tasks[pid] = 1
	state[pid] = "woken"
	since[pid] = now
	early[pid] = 0
}

END {
	if (bad) {
		print "refused: " bad
		exit
	}
	for (cpu in begin) {
		if (cpu in current) {
			if (current[cpu])
				busy[cpu] += end - switched[cpu]
			else
				idle[cpu] += end - switched[cpu]
		}
		printf "cpu %d %.0f %.0f %.0f %.0f\n", cpu, all[cpu], busy[cpu], idle[cpu],
			end - begin[cpu]
	}
	for (pid in tasks) {
		if (pid == 0)
			continue
		if (state[pid] == "running")
			run[pid] += end - since[pid]
		if (state[pid] == "woken" || state[pid] == "preempted")
			wait[pid] += end - since[pid]
		if (switches[pid] + run[pid] + wait[pid] > 0)
			printf "task %d %.0f %.0f %.0f %.0f %.0f %.0f\n", pid, switches[pid],
				voluntary[pid], preempted[pid], runnable[pid], run[pid],
				wait[pid]
	}
	printf "from_idle %.0f\n", from_idle
	show("preempted", "preempted")
	show("wakeup", "wakeup")
	for (pid in woken_pids)
		show("wakeup of " pid, "wakeup of " pid)
}
AWK

# The same lines from our report. A pid of two lives is added up, as above.
cat >"$tmp/ours.jq" <<'JQ'
def stat: if . == null or .count == 0 then "0" else "\(.count) \(.min_ns) \(.max_ns) \(.mean_ns)" end;
def sum(f): map(f) | add;
(.health.cpus | map({key: "\(.cpu)", value: .begin_ns}) | from_entries) as $begin |
.source.end_ns as $last |
(.switches.per_cpu[] | "cpu \(.cpu) \(.total) \(.busy_ns) \(.idle_ns) \($last - $begin["\(.cpu)"])"),
(.switches.per_task | group_by(.pid)[] | select(sum(.switches) + sum(.run_ns) + sum(.wait_ns) > 0) |
	"task \(.[0].pid) \(sum(.switches)) \(sum(.voluntary)) \(sum(.preempted)) \(sum(.runnable)) \(sum(.run_ns)) \(sum(.wait_ns))"),
"from_idle \(.switches.from_idle)",
"preempted \(.preemption.preempted | stat)",
"wakeup \(.latency.wakeup | stat)",
(.latency | select(.) | .per_task | group_by(.pid)[] | select(length == 1) | .[0] |
	"wakeup of \(.pid) \(.wakeup | stat)")
JQ

compared=0 failed=0
for file in "${files[@]}"; do
	if ! plus=$(plus_bit "$file"); then
		echo "oracle: $file: no preempted bit in its print format, not compared"
		continue
	fi
	trace-cmd report -t -R -i "$file" 2>/dev/null | awk -v plus="$plus" -f "$tmp/oracle.awk" |
		sort >"$tmp/theirs"
	if grep '^refused' "$tmp/theirs"; then
		echo "oracle: $file: not compared"
		continue
	fi
	if ! "$ctxsw" report -i "$file" -f json >"$tmp/report" 2>"$tmp/error"; then
		echo "oracle: $file: $(cat "$tmp/error")"
		failed=$((failed + 1))
		continue
	fi
	jq -r -f "$tmp/ours.jq" "$tmp/report" | sort >"$tmp/ours"
	if ! diff -u --label oracle --label ctxsw "$tmp/theirs" "$tmp/ours"; then
		failed=$((failed + 1))
		echo "oracle: $file: differs"
	fi
	compared=$((compared + 1))
	echo "oracle: $file: $(wc -l <"$tmp/theirs") lines compared"
done
((compared + failed)) || skip "none of ${#files[@]} traces could be compared"
echo "oracle: $compared traces, $failed failed"
((failed == 0))

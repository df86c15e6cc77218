#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The interrupts in the stories of a real recording: kind, number, count and time of each are
# what trace-cmd's reading of the raw events and a small awk program make of them.
set -euo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"

command -v trace-cmd >/dev/null || skip 'no trace-cmd to compare with'
trace=$root/tests/data/traces/guest-6.12.dat

# "CPU KIND NUMBER BEGIN END" of each interrupt, by pairs of entry and exit on a CPU.
trace-cmd report -t -R -i "$trace" 2>/dev/null | awk '
	match($0, /\[[0-9]+\] +[0-9]+\.[0-9]+: +[^ ]+_(entry|exit): /) {
		split(substr($0, RSTART, RLENGTH), head, /[][ :]+/)
		cpu = head[2] + 0
		split(head[3], time, ".")
		ns = time[1] * 1000000000 + time[2]
		number = substr($0, RSTART + RLENGTH)
		sub(/^[^=]*=/, "", number)
		number += 0
		kind = head[4] ~ /^softirq/ ? "softirq" : head[4] ~ /^irq_/ ? "irq" : "vector"
		key = cpu " " kind " " number
		if (head[4] ~ /_entry$/)
			begin[key] = ns
		else if (key in begin)
			printf "%s %.0f %.0f\n", key, begin[key], ns
	}' >served
(($(wc -l <served) > 500)) || fail "only $(wc -l <served) interrupts in $trace"

# The same of the stories of the 20 worst wakeups.
expect 0 '' report -f json -a latency --worst 20 "$trace"
is 'wakeups with a story' "$(number '.latency.worst | length')" 20
# Of a task that was pulled the story is told on two CPUs; here are the others.
jq -r '.latency.worst[] | select(.cpu == .queued_cpu) | . as $w | .interrupts // [] | .[] |
	"\($w.cpu) \($w.begin_ns) \($w.end_ns) \(.kind) \(.nr) \(.count) \(.ns)"' out | sort >ours
jq -r '.latency.worst[] | select(.cpu == .queued_cpu) |
	"\(.cpu) \(.begin_ns) \(.end_ns)"' out | awk '
	NR == FNR {
		cpu[NR] = $1; what[NR] = $2 " " $3; begin[NR] = $4; end[NR] = $5
		served = NR
		next
	}
	{
		split("", count)
		for (i = 1; i <= served; i++) {
			if (cpu[i] != $1)
				continue
			from = begin[i] > $2 ? begin[i] : $2
			to = end[i] < $3 ? end[i] : $3
			if (to > from) {
				if (!(what[i] in count))
					ns[what[i]] = 0
				count[what[i]]++
				ns[what[i]] += to - from
			}
		}
		for (key in count)
			printf "%s %s %d %.0f\n", $0, key, count[key], ns[key]
	}' served - | sort >theirs
(($(wc -l <theirs) > 30)) || fail "only $(wc -l <theirs) lines to compare"
diff -u --label trace-cmd --label ctxsw theirs ours >difference || fail "$(<difference)"
checks=$((checks + $(wc -l <theirs)))
passed

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# report: the options that filter reach the filter as the user means them.
set -euo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"

make_trace t

# switches OPTIONS...: how many pass, of 7
switches() {
	expect 0 '' report -f json "$@" t
	number .switches.total
}

# none OPTIONS...: nothing passes, and that is said
none() {
	expect 0 "$nothing" report -f json "$@" t
	number .switches.total
}
nothing='ctxsw: filter: nothing in t matches; its CPUs, tasks and times are in a report without filters'

is 'all' "$(switches)" 7
is 'CPU 0' "$(switches --cpu 0)" 5
is 'CPUs 0-1' "$(switches --cpu 0-1)" 7
is 'CPUs 1,5' "$(switches --cpu 1,5)" 2
is 'CPU 0 and CPU 1, given twice' "$(switches --cpu 0 --cpu 1)" 7
is 'pid 50' "$(switches --pid 50)" 2
is 'pids 50,60' "$(switches --pid 50,60)" 4
is 'comm fifo' "$(switches --comm fifo)" 2
is 'comm *o*er' "$(switches --comm '*o*er')" 3
is 'comm fifo and other' "$(switches --comm fifo --comm other)" 3
is 'comm none' "$(none --comm Fifo)" 0
is 'a CPU that is not in the trace' "$(none --cpu 99)" 0
is 'priority 9' "$(switches --prio 9)" 2
is 'priority -1-99' "$(switches --prio -1-99)" 2
is 'from 1020 us on' "$(switches --time 1020us,)" 4
is 'from 1020 us on, in s' "$(switches --time 0.00102,)" 4
is 'up to 1020 us' "$(switches --time ,1020us)" 3
is 'from 20 us after the begin on' "$(switches --time +20us,)" 4
is '20 to 36 us after the begin' "$(switches --time +20us,+36us)" 2
is 'relative begin, absolute end' "$(switches --time +20us,1036us)" 2
is 'far behind the end' "$(none --time +1h,)" 0
is 'far end' "$(switches --time ,5000h)" 7
is 'an end that no clock reaches' "$(switches --time +0,+5124095h)" 7
is 'all of them together' "$(switches --cpu 0 --pid 60 --comm 'w*' --prio 120 --time 1ms,2ms)" 2

expect 0 '' report -f json -a latency t
is 'analyses with -a latency' "$(jq -c 'keys - ["format", "version", "source", "health"]' out)" \
	'["latency"]'
expect 0 '' report -f json -a switches,preemption t
is 'analyses with -a switches,preemption' \
	"$(jq -c 'keys - ["format", "version", "source", "health"]' out)" \
	'["preemption","switches"]'
expect 0 '' report -f json --worst 0 t
is 'no worst cases' "$(number '.latency.worst | length')" 0
expect 0 '' report --rows 1 t
grep -q ' more (all of them: -f json)' out || fail '--rows 1 shows all rows'
expect 0 '' report --rows 1000 t
! grep -q ' more (all of them: -f json)' out || fail '--rows 1000 does not show all rows'
passed

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# report -f json and text: well formed and harmless whatever bytes a task's name holds; the
# keys of doc/json.md are there; the text fits the line.
set -euo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"

make_trace t
expect 0 '' report -f json t
jq -e . out >/dev/null
is 'format' "$(number '.format, .version' | tr '\n' ' ')" 'ctxsw-report 1 '
has() {
	jq -e "$1 | ($2 | split(\" \")) - keys == []" out >/dev/null ||
		fail "$1 lacks some of: $2; it has $(jq -c "$1 | keys" out)"
	checks=$((checks + 1))
}
has . '"source health switches latency preemption"'
has .source '"path reader kernel arch clock cpus begin_ns end_ns"'
has .health '"events switches lost lost_unknown late unexpected dropped_spans open_spans"'
has .switches '"total voluntary preempted runnable from_idle kinds per_cpu per_task per_pair"'
has .switches.kinds '"thread process kernel idle unknown"'
has '.switches.per_cpu[0]' \
	'"cpu total voluntary preempted runnable from_idle busy_ns idle_ns unknown_ns"'
has '.switches.per_task[0]' \
	'"pid comm prio switches voluntary preempted runnable run_ns wait_ns block_ns"'
has '.switches.per_pair[0]' '"prev next count"'
has .latency '"wakeup found per_task worst"'
has .latency.found '"idle lower same_or_higher"'
has .latency.wakeup \
	'"count min_ns mean_ns max_ns stddev_ns p50_ns p90_ns p99_ns p99_9_ns p99_99_ns"'
has '.latency.per_task[0]' '"pid comm prio wakeup"'
has '.latency.worst[0]' '"pid comm begin_ns end_ns latency_ns cpu waker ran"'
has .preemption '"latency preempted by"'
has '.preemption.by[0]' '"pid comm victim count total_ns"'
is 'a statistic without samples' "$(number '.latency.found.idle | [.count, .max_ns] | tostring')" \
	'[0,null]'

# A name of every byte, four at a time; a name is never more than 16 bytes.
{
	echo '# ctxsw events 1'
	for ((i = 0; i < 256; i += 2)); do
		printf '%d 0 SW "\\x%02x\\x%02x%s":%d/120/S > "\\x%02x\\xff%s":%d/120\n' \
			$((i * 10)) $i $((i + 1)) '\\\"' $((i + 1)) $((i + 2 < 256 ? i + 2 : 1)) \
			'é\n' $((i + 3))
	done
	echo '9998 0 SW "a prev_pid=1 ==>":257/120/S > "<b>&amp;":999/120'
	echo '9999 0 SW "<b>&amp;":999/120/S > "":998/120'
} >odd
expect 0 '' report -f json odd
jq -e . out >/dev/null || fail 'jq does not read the names'
iconv -f UTF-8 -t UTF-8 out >/dev/null || fail 'not UTF-8'
is 'control characters in JSON' "$(LC_ALL=C tr -d '\n' <out | LC_ALL=C tr -cd '\0-\37\177' | wc -c)" 0
is 'a name with markup' "$(number '[.. | .comm? // empty | select(startswith("<b"))] | unique[]')" \
	'<b>&amp;'
if command -v python3 >/dev/null; then
	python3 -c 'import json, sys; json.load(open("out", encoding="utf-8"))' ||
		fail 'python does not read the names'
fi
expect 0 '' report --rows 1000 odd
is 'bytes that are not printable in text' \
	"$(LC_ALL=C tr -d '\n' <out | LC_ALL=C tr -d ' -~' | wc -c)" 0
is 'spaces at the end of a line' "$(grep -c ' $' out || true)" 0

# 80 columns where no terminal says otherwise.
for trace in t "$traces"/lisa-rtapp.dat "$traces"/isolbench-v7-zstd.dat; do
	[[ -f $trace ]] || continue
	expect 0 '' report "$trace"
	is "lines wider than 80 for $trace" "$(awk 'length > 80' out)" ''
	is "heads with health for $trace" "$(head -n 1 out | grep -c Health)" 1
done
passed

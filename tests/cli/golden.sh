#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Golden cases: each tests/golden/*.events holds events, what the case is about, and lines
# "#= EXPRESSION" of jq that must be true of its report; "#! OPTIONS" go to the command.
# usage: tests/cli/golden.sh [FILE...]
set -euo pipefail

cd "$(dirname "$0")/../.."
ctxsw=${CTXSW:-build/ctxsw}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
files=("$@")
((${#files[@]})) || files=(tests/golden/*.events)

# Short names for expectations.
cat >"$tmp/prelude" <<'JQ'
def task($pid): .switches.per_task[] | select(.pid == $pid);
def times($pid): task($pid) | [.run_ns, .wait_ns, .block_ns, .unknown_ns];
def cpu($nr): .switches.per_cpu[] | select(.cpu == $nr);
def wake($pid): .latency.per_task[] | select(.pid == $pid) | .wakeup;
def by($pid; $victim):
	[.preemption.by[] | select(.pid == $pid and .victim == $victim) | [.count, .total_ns]];
JQ

# What is true of every report: classes, kinds and tables add up, latencies too.
cat >"$tmp/always" <<'JQ'
.format == "ctxsw-report"
.switches | .voluntary + .preempted + .runnable + .from_idle - .total == 0
.switches | (.kinds | add) - .total == 0
.switches | ([.per_cpu[].total] | add // 0) - .total == 0
.switches | ([.per_pair[].count] | add // 0) - .total == 0
.switches | (.per_second.counts | add // 0) - .total == 0
[.latency // empty | .wakeup.count - ([.found[].count] | add)] - [0] == []
[.latency // empty | .wakeup.count - ([.per_task[].wakeup.count] | add // 0)] - [0] == []
[.latency // empty | .wakeup.count - ([.per_cpu[].wakeup.count] | add // 0)] - [0] == []
[.latency // empty | .worst | map(.latency_ns - ([.ran[].ns] | add // 0)) | .[]] - [0] == []
[.latency // empty | .found.lower.count] - [.preemption.latency.count] == []
.preemption | .preempted.count - ([.by[].count] | add // 0) == 0
[.. | numbers | select(. < -1)] == []
JQ
# Of a report that is not filtered: the times of each CPU are what was observed, and the
# times of each task its life, where no clock went backwards.
cat >"$tmp/whole" <<'JQ'
.switches.total - .health.switches == 0
[.switches.per_cpu[] | .busy_ns + .idle_ns + .unknown_ns - .observed_ns] - [0] == []
.source.end_ns as $last | if .health | .late + .negative > 0 then [] else [.switches.per_task[] | select(.run_ns + .wait_ns + .block_ns + .unknown_ns != (.end_ns // $last) - .begin_ns) | .pid] end == []
JQ

# "PLACE<tab>EXPRESSION" on stdin as members of a jq array. What stands before the last
# "==" is the value to show when the expression is not true.
wrap() {
	awk -F '\t' '
	function balanced(text) {
		return gsub(/[(]/, "", text) == gsub(/[)]/, "", text) &&
			gsub(/[[]/, "", text) == gsub(/[]]/, "", text)
	}
	{
		expression = $0
		sub(/^[^\t]*\t/, "", expression)
		left = expression
		if (match(expression, /.* == /) && balanced(substr(expression, 1, RLENGTH - 4)))
			left = substr(expression, 1, RLENGTH - 4)
		printf ", {at: \"%s\", ok: (try ([%s] == [true]) catch false), ", $1, expression
		printf "got: (try [%s] catch [\"error: \" + .])}\n", left
	}'
}

for name in always whole; do
	awk -v name="$name" '{ print name ":" NR "\t" $0 }' "$tmp/$name" | wrap >"$tmp/$name.jq"
done

# program FILE: the jq program that judges the report of a file.
program() {
	cat "$tmp/prelude"
	echo '[{ok: true}'
	awk '/^#= / { print NR "\t" substr($0, 4) }' "$1" | wrap
	cat "$tmp/always.jq"
	grep -q '^#! ' "$1" || cat "$tmp/whole.jq"
	printf '%s\n' '] | .[] | select(.ok | not) | "\(.at)\t\(.got | map(tojson) | join(", "))"'
}

# The text of an expectation at a place such as 12, always:3 or whole:1.
text_at() {
	case $2 in
	*:*) sed -n "${2#*:}p" "$tmp/${2%:*}" ;;
	*) sed -n "${2}s/^#= //p" "$1" ;;
	esac
}

# judge FILE: prints what fails; whether all holds.
judge() {
	local file=$1 options=() line at got bad=0
	if ! grep -q '^#= ' "$file"; then
		echo "$file: it has no expectation"
		return 1
	fi
	while read -r line; do
		read -r -a line <<<"${line#\#! }"
		options+=("${line[@]}")
	done < <(grep '^#! ' "$file")
	if ! "$ctxsw" report -i "$file" -f json "${options[@]}" >"$tmp/report" 2>"$tmp/error"; then
		echo "$file: report failed: $(cat "$tmp/error")"
		return 1
	fi
	program "$file" >"$tmp/program"
	if ! jq -r -f "$tmp/program" "$tmp/report" >"$tmp/failed" 2>"$tmp/error"; then
		echo "$file: jq failed: $(head -n 1 "$tmp/error")"
		return 1
	fi
	while IFS=$'\t' read -r at got; do
		echo "$file:$at: $(text_at "$file" "$at")"
		echo "	got: $got"
		bad=1
	done <"$tmp/failed"
	return "$bad"
}

failed=0
for file in "${files[@]}"; do
	if [[ ! -e $file ]]; then
		echo "golden: $file: no such file"
		exit 1
	fi
	judge "$file" || failed=$((failed + 1))
done
echo "golden: ${#files[@]} cases, $failed failed"
((failed == 0))

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What the record-*.sh tests share: a directory of their own that goes away, checks that
# say what they saw, and a skip where this machine does not let us trace.
# shellcheck disable=SC2034 # not every test uses every variable

CTXSW=$(realpath "${CTXSW:-build/ctxsw}")
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
tracing=/sys/kernel/tracing
dir=$(mktemp -d)
cd "$dir" || exit 1
leave_hooks=()

leave() {
	local hook
	for hook in "${leave_hooks[@]}"; do
		$hook || true
	done
	cd /
	rm -rf "$dir"
}
trap leave EXIT

fail() {
	echo "FAILED: $*" >&2
	for log in "$dir"/*.err; do
		[[ ! -s $log ]] || sed "s|^|${log##*/}: |" "$log" >&2
	done
	exit 1
}

skip() {
	echo "skipped: $*"
	exit 77
}

# Tracing through an instance works here.
need_tracing() {
	local probe=$tracing/instances/test-$$
	((EUID == 0)) || skip "needs root"
	[[ -d $tracing/events/sched ]] || skip "tracefs is not mounted at $tracing"
	mkdir "$probe" 2>/dev/null || skip "tracefs gives us no instance"
	rmdir "$probe"
}

need_tool() {
	command -v "$1" >/dev/null || skip "needs $1"
}

# expect STATUS COMMAND...: its output to out.err (stderr) and out.txt.
expect() {
	local want=$1 got=0
	shift
	"$@" >out.txt 2>out.err || got=$?
	((got == want)) || fail "exit status $got instead of $want: $*"
}

# said TEXT: the last command said so on stderr.
said() {
	grep -a -q -F -e "$1" out.err || fail "not said: $1"
}

not_said() {
	! grep -a -q -F -e "$1" out.err || fail "said: $1"
}

# One line on stderr, an error of ours.
one_error() {
	(($(wc -l <out.err) == 1)) || fail "not one line"
	grep -q '^ctxsw: ' out.err || fail "does not begin with ctxsw:"
}

# Instances of the recorder with a pid; nothing when it left none.
instances_of() {
	find $tracing/instances -maxdepth 1 -name "ctxsw-$1-*" -printf '%f\n'
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
	local tenths=$(($1 * 10))
	shift
	until "$@"; do
		((tenths-- > 0)) || return 1
		sleep 0.1
	done
}

# Events that trace-cmd finds in a file.
events_in() {
	trace-cmd report "$1" 2>report.err | grep -c -v '^cpus='
}

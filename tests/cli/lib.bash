#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What the tests of report, doctor, top and of the command itself share: a directory that
# goes away, small traces, and checks that say what they saw.
# shellcheck disable=SC2034 # not every test uses every variable

CTXSW=$(realpath "${CTXSW:-build/ctxsw}")
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
traces=${CTXSW_TRACES:-$root/../shared/traces}
dir=$(mktemp -d)
trap 'cd /; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
checks=0

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

skip() {
	echo "skipped: $*"
	exit 77
}

# expect STATUS 'STDERR, EXACTLY' ARGUMENTS...: runs ctxsw; stdout goes to ./out.
expect() {
	local status=0 wanted=$1 message=$2
	shift 2
	"$CTXSW" "$@" >out 2>err || status=$?
	[[ $status == "$wanted" ]] ||
		fail "ctxsw $*: exit status $status, not $wanted: $(cat err)"
	[[ $(<err) == "$message" ]] ||
		fail "ctxsw $*: said '$(<err)' instead of '$message'"
	checks=$((checks + 1))
}

# expect_like STATUS 'REGULAR EXPRESSION' ARGUMENTS...: the message is one line like this.
expect_like() {
	local status=0 wanted=$1 pattern=$2
	shift 2
	"$CTXSW" "$@" >out 2>err || status=$?
	[[ $status == "$wanted" ]] ||
		fail "ctxsw $*: exit status $status, not $wanted: $(cat err)"
	[[ $(wc -l <err) == 1 ]] || fail "ctxsw $*: not one line: $(cat err)"
	[[ $(<err) =~ $pattern ]] || fail "ctxsw $*: said '$(<err)', not like '$pattern'"
	checks=$((checks + 1))
}

# is WHAT VALUE EXPECTED
is() {
	[[ $2 == "$3" ]] || fail "$1: '$2' instead of '$3'"
	checks=$((checks + 1))
}

# number FILTER: a number of the JSON report in ./out
number() {
	jq -r "$1" out
}

# Two tasks and an interrupt on two CPUs, in us from 1000 on: fifo:50 waits 5 us once and is
# woken while it runs; worker:60 is preempted for 10 us.
make_trace() {
	cat >"$1" <<-'EOT'
	# ctxsw events 1
	! kernel 6.1.0
	! unit us
	! cpus 2
	1000 0 SW swapper/0:0/120/R > fifo:50/9
	1001 1 SW swapper/1:0/120/R > other:70/120
	1010 0 SW fifo:50/9/S > worker:60/120
	1020 1 WG fifo:50/9 @0 by 70
	1025 0 SW worker:60/120/R+ > fifo:50/9
	1035 0 SW fifo:50/9/S > worker:60/120
	1040 1 SW other:70/120/S > swapper/1:0/120
	1050 0 SW worker:60/120/S > swapper/0:0/120
	1060 1 OT
	EOT
}

passed() {
	echo "$checks checks passed"
}

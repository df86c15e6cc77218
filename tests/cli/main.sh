#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The command itself: help, version, commands that do not exist.
set -euo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"

expect 0 '' --help
grep -q '^  report ' out || fail "the help lists no report"
expect 0 '' -h
expect 0 '' help
expect 0 '' --version
[[ $(<out) =~ ^ctxsw\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "version: $(<out)"
expect 2 'ctxsw: nothing: no such command; see: ctxsw help' nothing
expect 2 'ctxsw: --nothing: no such option; see: ctxsw help' --nothing
expect 2 'ctxsw: : no such command; see: ctxsw help' ''
expect 2 'ctxsw: a?[31m: no such command; see: ctxsw help' $'a\x1b[31m'
expect 2 'ctxsw: nothing: no such command; see: ctxsw help' help nothing
status=0
"$CTXSW" >out 2>err || status=$?
is 'status without a command' $status 2
is 'nothing on stdout without a command' "$(<out)" ''
for command in record report top doctor; do
	expect 0 '' help $command
	head -n 1 out | grep -q "^Usage: ctxsw $command" || fail "help $command: $(head -n 1 out)"
	cp out help
	expect 0 '' $command --help
	cmp -s out help || fail "$command --help is not help $command"
	expect 0 '' $command -h
	[[ $(wc -L <out) -le 90 ]] || fail "help $command is wider than 90"
	expect 2 "ctxsw: $command: option --nothing is not known; see: ctxsw help $command" \
		$command --nothing
done
for words in help '--version' 'help record' 'help report' 'help top' 'help doctor'; do
	status=0
	# shellcheck disable=SC2086 # words
	"$CTXSW" $words >/dev/full 2>err || status=$?
	is "status of $words on a full disk" $status 1
	is "lines about $words on a full disk" "$(grep -c '^ctxsw: .*No space left' err)" 1
done
passed

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# KernelShark's library opens what we record and finds as many events as we say.
# shellcheck disable=SC1091,SC2154 # variables of record-lib.bash
set -euo pipefail
source "$(dirname "$0")/record-lib.bash"

need_tracing
need_tool cc
need_tool pkg-config
pkg-config --exists libkshark 2>/dev/null ||
	skip "needs KernelShark's library: apt-get install libkshark-dev libjson-c-dev"

# shellcheck disable=SC2046 # words, not one name
cc -Wall -Werror -o kernelshark "$root/tests/cli/kernelshark.c" \
	$(pkg-config --cflags --libs libkshark) 2>cc.err ||
	fail "the test program does not compile"

expect 0 "$CTXSW" record -o shark.dat -- sh -c 'for i in 1 2 3 4 5; do sleep 0.05; done'
ours=$(sed -nE 's/^ctxsw: .* s, ([0-9,]+) events, .*/\1/p' out.err | tr -d ,)
expect 0 ./kernelshark shark.dat
[[ ! -s out.err ]] || fail "KernelShark's library warns"
theirs=$(cat out.txt)
((theirs == ours)) || fail "KernelShark finds $theirs events, we say $ours"

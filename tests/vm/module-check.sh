#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module's promises, checked in guests with stock kernels; prints TAP.
# usage: tests/vm/module-check.sh [KERNEL...]   6.1 6.1-rt 6.12 6.12-rt (all)
# Variable: ROUNDS how often to load and unload under load (100)
set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source=tests/vm/module-tools.sh
. tests/vm/module-tools.sh
kernels=("$@")
((${#kernels[@]})) || kernels=(6.1 6.1-rt 6.12 6.12-rt)

number=0 bad=0
ok() { # ok STATUS NAME
	number=$((number + 1))
	if [[ $1 == 0 ]]; then
		echo "ok $number - $kernel: $2"
	else
		bad=1
		echo "not ok $number - $kernel: $2"
	fi
}

# guest SMP SECTION...: the checks of these sections, each as one of ours.
guest() {
	local smp=$1 line status=0
	shift
	nice scripts/vm --kernel "$kernel" --smp "$smp" --timeout 900 --in "$module" \
		"${module_tools[@]}" --in tests/vm/module-guest.sh \
		-- env ROUNDS="${ROUNDS:-100}" sh /in/module-guest.sh "$@" \
		>"$work/output" 2>&1 || status=$?
	while read -r line; do
		case $line in
		"ok "*) ok 0 "${line#ok * - }" ;;
		"not ok "*) ok 1 "${line#not ok * - }" ;;
		1..*) ;;
		*) echo "# $line" ;;
		esac
	done <"$work/output"
	ok "$status" "the guest ends and its kernel has no complaint ($*)"
}

# golden FILE: the phases of a ping-pong where the clock counts instructions.
golden() {
	nice scripts/vm --kernel "$kernel" --icount --timeout 300 --in "$module" \
		"${module_tools[@]}" --in tests/vm/golden-guest.sh \
		-- sh /in/golden-guest.sh 2>&1 | grep -v '^vm: ' >"$1"
}

work=$(mktemp -d "${TMPDIR:-/tmp}/ctxsw-module.XXXXXX")
trap 'rm -rf "$work"' EXIT
build_module_tools
for kernel in "${kernels[@]}"; do
	echo "# $kernel"
	module=$(scripts/kmod-build --strict --path "$kernel") && status=0 || status=1
	ok "$status" "builds without a warning (W=1, sparse)"
	((status == 0)) || continue
	guest 2 counts groups locks hotplug
	# On one CPU: QEMU 7.2's TCG can go on executing an instruction that another CPU has
	# just patched, and int3 then loops for ever; tracers patch a lot.
	guest 1 tracers
	guest 1 unload
	golden "$work/first" && golden "$work/second" && cmp -s "$work/first" "$work/second" &&
		grep -q '^process prepare [0-9]' "$work/first" && status=0 || status=1
	ok "$status" "phases repeat to the instruction"
	sed 's/^/# /' "$work/first"
done
echo "1..$number"
exit $bad

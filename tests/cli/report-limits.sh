#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# report --fail-above: status 3 above a limit, 1 where it cannot be told, and always the
# report itself.
set -euo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"

make_trace t
max=latency.wakeup.max_ns

expect 0 '' report --fail-above $max=5us t
expect 0 '' report --fail-above $max=5000 t
expect 0 '' report --fail-above $max=1s --fail-above switches.total=7 t
expect 3 "ctxsw: $max: 5000 is above the limit of 4999" report --fail-above $max=4999ns t
grep -q '^Health' out || fail 'no report beside an exceeded limit'
expect 3 "ctxsw: $max: 5000 is above the limit of 4999.5" report --fail-above $max=4999.5 t
expect 3 'ctxsw: switches.total: 7 is above the limit of 6' report --fail-above switches.total=6 t
expect 3 $'ctxsw: switches.total: 7 is above the limit of 6\nctxsw: health.switches: 7 is above the limit of 0' \
	report --fail-above switches.total=6 --fail-above health.switches=0 -f json t
jq -e . out >/dev/null || fail 'no JSON beside an exceeded limit'

expect 1 'ctxsw: nothing.at.all: no such metric in this report; see -f json' \
	report --fail-above nothing.at.all=1 t
expect 1 "ctxsw: $max: no such metric in this report; see -f json" \
	report -a switches --fail-above $max=1s t
expect 1 'ctxsw: latency.wakeup: is not a number; name one below it, as in -f json' \
	report --fail-above latency.wakeup=1 t
expect 1 'ctxsw: source.path: is not a number; name one below it, as in -f json' \
	report --fail-above source.path=1 t
expect 1 "ctxsw: $max: has no samples, so its limit cannot be checked" \
	report --fail-above $max=1s --pid 70 t
grep -q '^Health' out || fail 'no report beside a limit that cannot be checked'
# What cannot be checked outweighs what is exceeded, in either order.
for order in 'switches.total=6 none=1' 'none=1 switches.total=6'; do
	read -r a b <<<"$order"
	status=0
	"$CTXSW" report --fail-above "$a" --fail-above "$b" t >out 2>err || status=$?
	is "status of $order" $status 1
	is "lines of $order" "$(wc -l <err)" 2
done
passed

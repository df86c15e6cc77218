#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What guests that try the module need, for the scripts that start them (sourced).

module_tools=()

# Builds the workloads, static, and leaves --in options for scripts/vm in module_tools.
build_module_tools() {
	local tool out=${BUILD:-build}/vm-tools
	mkdir -p "$out"
	for tool in pingpong workload count-switches; do
		if [[ ! $out/$tool -nt tests/vm/$tool.c ]]; then
			"${CC:-gcc}" -O2 -Wall -Wextra -Werror -static -pthread \
				-o "$out/$tool" "tests/vm/$tool.c"
		fi
		module_tools+=(--in "$out/$tool")
	done
}

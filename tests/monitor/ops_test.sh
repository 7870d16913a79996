#!/usr/bin/env bash
# What lies in examples/ops: systemd accepts the unit, and the commands of unit and container are some of this ridge.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need cc python3
ops=$root/examples/ops ridge=$(realpath "$RIDGE")
sed "s|/usr/bin/ridge|$ridge|" "$ops/ridge-monitor.service" >ridge-monitor.service
if command -v systemd-analyze >/dev/null; then
    systemd-analyze verify "$work/ridge-monitor.service" >verify.txt 2>&1
    pass 'systemd accepts the unit' $? verify.txt
else
    echo 'skip - systemd accepts the unit: systemd-analyze is not here'
fi

cc -std=gnu17 -fPIC -shared -o "$work/libnvidia-ml.so.1" "$root/tests/monitor/fake_nvml.c"
: >state
export FAKE_NVML=$work/state
command_runs() { # ARGUMENTS: but for the address and the canary, which need a port and a GPU that computes
    LD_LIBRARY_PATH=$work "$RIDGE" "$@" --once >out.txt 2>err.txt
}
read -ra unit < <(sed -nE 's|^ExecStart=/usr/bin/ridge (.*) --serve.*|\1|p' "$ops/ridge-monitor.service")
command_runs "${unit[@]}"
pass 'the command of the unit runs' $? err.txt
mapfile -t words < <(sed -n 's/^CMD //p' "$ops/Containerfile" | python3 -c 'import json, sys; print("\n".join(json.load(sys.stdin)))')
[[ ${words[*]} == 'monitor --interval 5s --serve 0.0.0.0:9400' ]] && command_runs "${words[@]:0:3}"
pass 'so does that of the container' $? err.txt
finish

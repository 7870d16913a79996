#!/usr/bin/env bash
# ridge monitor --serve under load, on a fake NVML of 8 GPUs: 1,000 connections that ask without pause, for the text of a
# scrape (about 135 KB) and for /healthz; then the memory that it has taken. SECONDS_EACH=5; SOAK=60 for a longer look
# at the memory. The client runs on the same machine and takes its share of the processors.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
seconds=${SECONDS_EACH:-5} soak=${SOAK:-0}
ridge=${RIDGE:-build/ridge}
work=$(mktemp -d)
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
make -s "${BUILD:-build}/bench/monitor/load"
load=${BUILD:-build}/bench/monitor/load
cc -std=gnu17 -O2 -fPIC -shared -o "$work/libnvidia-ml.so.1" tests/monitor/fake_nvml.c
echo 'gpus 8' >"$work/state"
FAKE_NVML=$work/state LD_LIBRARY_PATH=$work "$ridge" monitor --serve :0 --interval 5s 2>"$work/said" &
server=$!
for _ in $(seq 100); do
    port=$(sed -n 's|^serving http://127.0.0.1:\([0-9]*\)/$|\1|p' "$work/said")
    [[ -n $port ]] && break
    sleep 0.1
done
[[ -n $port ]] || { tail -n 1 "$work/said"; exit 77; }
memory() { awk '/VmRSS/ {print $2 " KiB"}' "/proc/$server/status"; }
echo "$(nproc) processors; memory before: $(memory)"
echo "/metrics, 1000 connections: $("$load" "$port" 1000 "$seconds" /metrics || true)"
echo "/metrics, 8 connections: $("$load" "$port" 8 "$seconds" /metrics || true)"
echo "/healthz, 1000 connections: $("$load" "$port" 1000 "$seconds" /healthz || true)"
echo "memory after: $(memory)"
if ((soak > 0)); then
    for _ in 1 2 3 4; do
        "$load" "$port" 200 $((soak / 4)) /metrics >/dev/null || true
        echo "soak, $((soak / 4)) s of 200 connections: memory $(memory)"
    done
fi

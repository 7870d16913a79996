#!/usr/bin/env bash
# The CUDA backend on a real GPU: a run whose times are measured, and faults that cost only the
# variant that has them. Skips where there is no GPU. run-alone: it measures.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/gpu.sh"
need_gpu 'cuda backend'

check() { # name, and a command
    local name=$1
    shift
    if "$@"; then
        echo "ok - $name"
    else
        echo "not ok - $name"
    fi
}

# Status, error or median of a variant in a JSON file, on one line.
of() { # file variant key
    python3 -c '
import json, sys
for r in json.load(open(sys.argv[1]))["results"]:
    if r["variant"] == sys.argv[2]:
        print(eval(sys.argv[3], {"r": r}))' "$@"
}

ran() { # file variant
    [ "$(of "$1" "$2" 'r["status"], r["time_ns"]["provenance"], r["verified"]')" = \
        "('ok', 'measured', True)" ]
}
failed() { # file variant words
    of "$1" "$2" 'r["status"], r["error"]' | grep -Eq "$3"
}
untimed() {
    [ "$(of "$1" "$2" 'r["time_ns"]')" = None ]
}

run() {
    "$RIDGE" run "$here/faults" --device cuda:0 --no-journal --json -q --time-limit 1 --timeout 6 "$@"
}

if ! command -v python3 >/dev/null; then
    echo "skip - faults: no python3 to read JSON"
    exit 0
fi

run >"$work/faults.json" 2>"$work/faults.err"
check run_with_faults_exits_with_1 [ $? = 1 ]
f=$work/faults.json
check variant_before_the_faults_is_measured ran "$f" before
check variant_after_the_faults_is_measured ran "$f" after
check hang_is_stopped_after_the_timeout failed "$f" hang 'did not end within 6 s'
check write_where_no_memory_is_names_the_kernel failed "$f" wild "kernel 'wild' .*ILLEGAL_ADDRESS"
check assert_is_reported_with_its_text failed "$f" assertion "assert.*in\[i\] > 2"
check wrong_result_is_never_timed untimed "$f" wrong
check wrong_result_names_the_element failed "$f" wrong 'out\[4711\]'
check doing_nothing_after_the_first_run_is_found failed "$f" once 'a second run, straight after'
check doing_nothing_after_the_first_run_has_no_time untimed "$f" once
check kernel_that_knows_addresses_is_found failed "$f" knows 'on inputs that it has seen'
check crash_while_measured_costs_only_that_variant failed "$f" later 'while it was measured|a counted run failed'
check too_much_shared_memory_names_the_limit failed "$f" huge-shared 'shared_bytes is 300000'
check printf_is_kept [ "$(of "$f" printing 'r["printed"]')" = "N is 65536" ]
check like_with_like_is_no_difference [ "$(of "$f" after 'r["speedup"]["verdict"]')" = "no difference" ]

# Simulation on the side: there is a model of some chips only, and a note says so of the others.
aside() { # what a variant that can be simulated has of it
    of "$f" "$1" '(("side" in r and r["stalls"]["long_scoreboard"]["provenance"] == "modelled"
                   and r["facts"]["loads"]["provenance"] == "simulated"
                   and r["counterfactuals_ns"]["as_is"]["value"] > 0 and len(r["lines"]) > 0)
                  or "there is no model of" in (r["note"] or ""))'
}
check measured_kernel_is_simulated_on_the_side [ "$(aside before)" = True ]
check and_its_twin [ "$(aside after)" = True ]
check times_are_taken_before_it [ "$(of "$f" before 'sorted((p["at_s"], p["name"]) for p in r["phases"])[-1][1]')" = \
    simulating ]

# What the hardware counted is what the simulated one counts of the same kernels: every family of metrics, the patched
# ones (flops, needed sectors) too.
for device in cuda:0 sim:h200; do
    "$RIDGE" run vector --device $device --no-journal --json -q --time-limit 0.2 -p n=262144 >"$work/$device.json"
done
counted_alike() {
    python3 - "$work/cuda:0.json" "$work/sim:h200.json" <<'PY'
import json, sys
measured, simulated = ({r["variant"]: r["counters"] for r in json.load(open(f))["results"]} for f in sys.argv[1:])
exact = ["global_load_requests", "global_load_sectors", "global_load_sectors_ideal", "global_store_requests",
         "global_store_sectors", "global_store_sectors_ideal", "flops_f32", "ffma_f32", "shared_load_requests"]
wrong = [(v, k, measured[v].get(k), c[k]) for v, c in simulated.items() for k in exact
         if k in c and (measured[v].get(k, {}).get("provenance") != "measured" or
                        abs(measured[v][k]["value"] - c[k]["value"]) > 0.001 * c[k]["value"])]
print(*wrong, sep="\n")
sys.exit(1 if wrong or not any(c["flops_f32"]["value"] > 0 for c in simulated.values()) else 0)
PY
}
check counters_are_the_simulated_ones counted_alike

# PTX of a version that no driver knows yet.
mkdir "$work/new"
cp "$here"/faults/* "$work/new/"
sed -i 's/^source: .*/source: new.ptx/' "$work/new/experiment.yaml"
cat >"$work/new/new.ptx" <<'PTX'
.version 99.0
.target sm_50
.address_size 64
.visible .entry plain(.param .u64 out, .param .u64 in, .param .u32 N)
{
    ret;
}
PTX
"$RIDGE" run "$work/new" --device cuda:0 --no-journal --json -q --variant before >"$work/new.json" 2>&1
check ptx_too_new_for_the_driver_says_what_to_do failed "$work/new.json" before 'PTX 99.0.*update the driver'

"$RIDGE" run "$here/faults" --no-journal --json -q --time-limit 0.2 --variant before >"$work/auto.json"
check auto_is_the_real_gpu grep -q '"id": "cuda:0"' "$work/auto.json"

# Memory runs out: another process holds all but 256 MB of it.
python3 - "$work/held" <<'PY' &
import ctypes, sys, time
cu = ctypes.CDLL("libcuda.so.1")
device, context, address = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
left, total = ctypes.c_size_t(), ctypes.c_size_t()
cu.cuInit(0)
cu.cuDeviceGet(ctypes.byref(device), 0)
cu.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
cu.cuCtxSetCurrent(context)
cu.cuMemGetInfo_v2(ctypes.byref(left), ctypes.byref(total))
while left.value > 1 << 30:
    size = left.value - (1 << 30)
    while size > 1 << 20 and cu.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)):
        size //= 2
    if size <= 1 << 20:
        break
    cu.cuMemGetInfo_v2(ctypes.byref(left), ctypes.byref(total))
open(sys.argv[1], "w").close()
time.sleep(60)
PY
holder=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -e "$work/held" ] && break
    sleep 0.5
done
timeout 60 "$RIDGE" run "$here/faults" --device cuda:0 --no-journal --json -q --variant before \
    -p N=400000000 >"$work/memory.json" 2>"$work/memory.err"
check memory_exhausted_is_reported_with_figures failed "$work/memory.json" before 'has no room for'
kill $holder
wait $holder 2>/dev/null

# A worker killed from outside costs the variant it worked on: the process that the variants share, and then the one
# in which the variant is judged again by itself.
"$RIDGE" run "$here/faults" --device cuda:0 --no-journal --json -q --time-limit 1 --timeout 60 \
    --variant hang --variant after >"$work/killed.json" 2>"$work/killed.err" &
ridge=$!
for _ in 1 2; do
    sleep 5
    for child in $(ps -o pid= --ppid $ridge); do
        kill -9 "$child"
    done
done
wait $ridge
check worker_killed_from_outside_is_reported failed "$work/killed.json" hang 'killed from outside'
check variant_after_a_killed_worker_is_measured ran "$work/killed.json" after

if [ "${KEEP:-}" ]; then cp "$work"/*.json "$work"/*.err "$KEEP"; fi

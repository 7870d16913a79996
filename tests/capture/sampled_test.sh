#!/usr/bin/env bash
# `ridge capture --list` without --exact: every launch is counted, and some are timed, without CUPTI. The fake driver has a clock of its own.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
case $(uname -m) in
x86_64 | aarch64) ;;
*)
    echo 'skip - launches are timed by sample on x86-64 and aarch64 only'
    exit 0
    ;;
esac
rm "$work/libcupti.so.13" # nobody asks for it

capture --list -- "$work/program" 7
tr '\n' ' ' <"$work/out" >"$work/flat"
check the_program_prints_what_it_prints '^sum 4032$' "$work/out"
check its_exit_status_is_ours '^status 7$' "$work/status"
check disk_and_memory_are_said_before 'at most 1 GiB of disk and 40 MiB of memory per process' "$work/err"
check kernels_are_listed '^ *0?[0-9.]+ % +30\.0 us +0\.0 % +3 +3 +10\.0 us +10\.0 us +10\.0 us +2,1,1 x 32,1,1 +twice$' "$work/out"
check a_graph_has_a_row '^ *[0-9.]+ % +20\.0 us +0\.0 % +1 +1 +20\.0 us +graph [0-9]+ of process [0-9]+$' "$work/out"
check copies_are_counted ' 1 +0 +256 B +copy host to device$' "$work/out"
check the_gpu_is_named 'GPU 0 Fake GPU' "$work/out"
check what_is_not_known_is_said 'Not known this way: time without work, .* --exact' "$work/flat"
check nothing_is_left_in_the_cache '^0$' <(find "$work/cache" -name '*.ridgecap' | wc -l)

# Of 400,000 launches of 5 to 15 us each some hundred are timed: nearly every interval of 95 % has what all of them took. How many of
# them stand for most of the launches hangs on the host's speed: ± 10 to 50 % on fast and slow ones.
within=0 narrow=0 exact=0
for ((run = 0; run < 12; run++)); do
    FAKE_SPREAD=1 FAKE_TRUE=$work/true capture --list --json -- "$work/program" many
    counted=$(grep -E '"launches": 400003' "$work/out" | wc -l)
    read -r least most total timed < <(awk -F'[:,]' '/"kernels"/ { on = 1 } on && /"timed"/ { n = $2 } on && /total_ns_least/ { a = $2 } on && /total_ns_most/ { b = $2 } on && /"total_ns"/ { c = $2; } on && a && b && c && n { print a, b, c, n; exit }' "$work/out")
    awk -v a="${least:-0}" -v b="${most:-0}" -v t="$(cat "$work/true")" 'BEGIN { exit !(a <= t && t <= b) }' && within=$((within + 1))
    awk -v a="${least:-0}" -v b="${most:-0}" -v c="${total:-0}" 'BEGIN { exit !(c > 0 && b - a < c) }' && narrow=$((narrow + 1))
    exact=$((exact + counted))
    echo "# $least $total $most of $timed, true $(cat "$work/true")"
done
check every_launch_is_counted '^12$' <(echo "$exact")
check the_interval_is_narrow '^([89]|1[012])$' <(echo "$narrow")
check the_interval_has_the_true_total '^([89]|1[012])$' <(echo "$within")

capture --list -- "$work/program" graphs
check launches_of_graphs_are_counted '^ *99\.9 % +20\.0 ms +0\.0 % +1000 +[0-9]+ +20\.0 us +graph' "$work/out"
capture --list -- "$work/program" captures
check what_goes_into_a_graph_is_no_launch ' 3 \+ 20 by graphs +3 .* twice$' "$work/out"
check and_is_counted_by_the_graph_s_launches ' 10 +[0-9]+ +[0-9.]+ us +graph 1 of process' "$work/out"
check and_its_capture_is_left_alone '^status 0$' "$work/status"
capture --list -- "$work/program" asks
check functions_that_the_driver_is_asked_for_are_ours_too ' 3 +3 .* twice$' "$work/out"
cat >"$work/linked.c" <<'C'
#include <stddef.h>
#include <stdint.h>
int cuInit(unsigned), cuCtxSynchronize(void), cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int main(void)
{
    void *module, *f;
    float in[1] = {1}, out[1];
    float *a = in, *b = out;
    int n = 1;
    void *values[] = {&a, &b, &n};
    cuInit(0);
    cuModuleLoadData(&module, "");
    cuModuleGetFunction(&f, module, "twice");
    for (int i = 0; i < 5; i++)
        cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL);
    cuCtxSynchronize(); // what is not over when the program ends has no time
    return out[0] != 2;
}
C
"${cc[@]}" -o "$work/linked" "$work/linked.c" "$work/libcuda.so.1" && capture --list -- "$work/linked"
check a_program_that_is_linked_with_the_driver_too ' 5 +[1-5] .* twice$' "$work/out"
check and_its_result_is_right '^status 0$' "$work/status"

capture --list -- "$work/program" abort
check a_signal_is_the_program_s '^status 134$' "$work/status"
check and_what_it_did_is_listed ' 3 +[0-3] .* twice$' "$work/out"
capture --list --json -- "$work/program" kill
check a_killed_program_keeps_its_counts '"launches": 3,' "$work/out"
check and_that_it_was_killed '"ended": false' "$work/out"
capture --list --json -- "$work/program" child
check processes_are_counted_together '"launches": 6,' "$work/out"
capture --list -- "$work/program" fork
check a_child_of_fork_counts_nothing ' 3 +3 .* twice$' "$work/out"

for run in 1 2 3; do
    capture --list -- "$work/program" threads
    check "launches_of_threads_are_counted_exactly_$run" ' 40003 +[1-9][0-9]* .* twice$' "$work/out"
done
RIDGE_CAPTURE_SAMPLED=counts capture --list -- "$work/program" many
check they_may_be_counted_only '^ *- +- +- +400003 +0 .* twice$' "$work/out"

capture --list -- env -u LD_PRELOAD "$work/program"
check a_process_without_the_preloaded_library_is_said 'Not recorded: launches of process [0-9]+: LD_PRELOAD was taken away' <(tr '\n' ' ' <"$work/out")
check and_runs_as_it_would '^sum 4032$' "$work/out"

# What others have in the process goes on: libraries before the C library, and their way to the next function.
cat >"$work/around.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int puts(const char *words)
{
    int (*next)(const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "puts");
    return next == puts ? -1 : next(words) + printf("around\n");
}
C
printf '#include <stdio.h>\nint main(void) { return puts("words") < 0; }\n' >"$work/says.c"
"${cc[@]}" -shared -fPIC -o "$work/around.so" "$work/around.c" && "${cc[@]}" -fno-builtin -o "$work/says" "$work/says.c"
LD_PRELOAD=$work/around.so capture --list -- "$work/says"
check what_the_user_preloads_stays '^around$' "$work/out"
check and_finds_what_it_stands_before '^words$' "$work/out"
check and_ends_as_it_does '^status 0$' "$work/status"

# Recorded programs, their kernels launched by the same names and shapes and for as long: the same counts, and totals within the interval
# (chance leaves one of twenty out, and a clock of 500 ns adds to it) or within 10 %.
build play play.c || check the_player_compiles '^ok' <(echo no)
for file in "$here"/h200-streams.ridgecap "$here"/h200-streams-calls.ridgecap; do
    name=${file##*/} name=${name%.ridgecap}
    "$RIDGE" capture --list --json --from "$file" >"$work/recorded.json" 2>"$work/err"
    capture --list --json -o "$work/sampled.json" -- "$work/play" "$file" launches
    check "recording_${name}_is_launched" '^played [1-9][0-9]+ launches' "$work/out"
    if command -v python3 >"$work/python"; then
        python3 - "$work/recorded.json" "$work/sampled.json" >"$work/said" 2>&1 <<'PY'
import json, sys
recorded, sampled = ({k["name"]: k for k in json.load(open(f))["kernels"]} for f in sys.argv[1:])
assert recorded.keys() == sampled.keys(), (recorded.keys(), sampled.keys())
for name, k in recorded.items():
    s = sampled[name]
    assert k["launches"] == s["launches"] and k["shapes"] == s["shapes"], (name, k, s)
    assert s["timed"] > 0, name
    assert abs(s["total_ns"] / k["total_ns"] - 1) < 0.1 or s["total_ns_least"] <= k["total_ns"] <= s["total_ns_most"], (k, s)
print("as wanted")
PY
        check "recording_${name}_has_the_same_counts_and_totals" '^as wanted$' "$work/said"
    else
        echo "skip - recording_${name}_has_the_same_counts_and_totals: python3 is not here"
    fi
done

mkdir "$work/kept"
LD_LIBRARY_PATH=$work LD_PRELOAD=$recorder CUDA_INJECTION64_PATH=$recorder RIDGE_CAPTURE_SAMPLED=1 RIDGE_CAPTURE_FOLDER=$work/kept "$work/program" >"$work/out"
capture --list --from "$work/kept"
check recordings_are_read ' 3 +3 .* twice$' "$work/out"
capture --list --from "$work/kept" --trace "$work/trace"
check they_have_no_timeline 'no timeline.*record with --exact' "$work/err"
capture --list --plain --from "$work/kept"
check plain_has_a_fact_per_line 'kernel twice$' "$work/out"
cp "$root/fuzz/corpus/capture_stream/list" "$work/kept/1.ridgecap"
capture --list --from "$work/kept"
check both_kinds_are_no_one_list 'are no one list' "$work/err"
capture --list --exact --from "$work/kept"
check exact_is_of_a_program 'is of a program that --list runs' "$work/err"
exit $failures

#!/usr/bin/env bash
# Stalls sampled on a GPU, here the fake one: what a run, annotate, the page and JSON have of them, beside what is simulated on the
# side, and what is said where they cannot be had.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
export RIDGE_HOME=$work/home RIDGE_CACHE=$work/cache RIDGE_JOURNAL=$work/journal.db COLUMNS=300
export RIDGE_CUDA_PATH=$work/toolkit

fake_driver && mkdir "$work/toolkit" && build toolkit/libcupti.so.13 -shared "$here/fake_pcsampling.c" || {
    echo "not ok - the fake driver and CUPTI compile"
    exit 1
}
cp -r "$here/side" "$work/side"
echo 'not run here' >"$work/side/machine.cubin"

ridge() {
    env LD_LIBRARY_PATH="$work/driver" "$RIDGE" "$@"
}
run() {
    ridge run "$work/side" --device cuda:0 --time-limit 0.2 --timeout 300 --side-limit 200 --seed 7 \
        --variant plain "$@"
}

# ---- beside the simulation ---------------------------------------------------------------------------
run --pc-sampling kernel >"$work/out" 2>"$work/err"
check a_run_with_samples_is_measured 'plain: verified, .* measured' "$work/err"
ridge explain side:plain --plain >"$work/out" 2>&1
check explain_has_the_shares_as_measured "warps' time: long_scoreboard .*selected .*\(measured\)" "$work/out"
ridge annotate side:plain >"$work/out" 2>&1
check annotate_says_that_time_is_measured 'kernels.cu, variant plain.*\(counters simulated; time by line measured\)' "$work/out"
check annotate_has_the_reason_at_the_line ' long_scoreboard .* 10 .*endless' "$work/out"
check annotate_has_the_other_line ' selected .* 11 ' "$work/out"
check annotate_has_the_counts_of_the_side ' [0-9.]+( k| M)? +[0-9]+ .* 7 .*out\[i\] = in\[i\]' "$work/out"
ridge report --html -o "$work/page.html" >"$work/out" 2>&1 || ridge report >"$work/page.html" 2>"$work/out"
check the_page_has_them 'long_scoreboard' "$work/page.html"
ridge show --json >"$work/json" 2>&1
check the_journal_keeps_how_they_were_sampled '"mode": ?"kernel"' "$work/json"
check the_journal_keeps_how_many '"dropped": ?0' "$work/json"

# enabled once for all passes, and before the modules with lines are loaded: else an H200 gave no samples
rm -f "$work/loads"
FAKE_LOADS=$work/loads run --pc-sampling kernel --side-limit 0 --no-journal -q >"$work/out" 2>&1
tr "\n" " " <"$work/loads" >"$work/order"
check modules_are_loaded_after_sampling_is_enabled "^load load enable load " "$work/order"
grep -c enable "$work/loads" >"$work/out"
check sampling_is_enabled_once_for_all_passes '^1$' "$work/out"

# ---- on their own ------------------------------------------------------------------------------------
run --pc-sampling continuous --side-limit 0 --json --no-journal -q >"$work/json" 2>&1
check continuous_sampling_is_started_and_stopped '"mode": ?"continuous"' "$work/json"
lacks samples_of_other_functions_are_left_out '"other"' "$work/json"
run --pc-sampling kernel --side-limit 0 -q >"$work/out" 2>&1
ridge annotate side:plain >"$work/out" 2>&1
check a_line_that_was_only_sampled_has_no_counts '^ {44} +[0-9.]+ +long_scoreboard .* 10 ' "$work/out"
run --side-limit 0 --json --no-journal -q >"$work/json" 2>&1
lacks without_the_option_nothing_is_sampled 'stall_sampling' "$work/json"
run --pc-sampling often >"$work/out" 2>&1
check an_unknown_mode_is_an_error "option --pc-sampling: 'often' is none of kernel, continuous and off" "$work/out"

# ---- what is missing -----------------------------------------------------------------------------------
missing() { # name, words, environment
    env LD_LIBRARY_PATH="$work/driver" "${@:3}" "$RIDGE" run "$work/side" --device cuda:0 --time-limit 0.2 --seed 7 \
        --variant plain --side-limit 0 --pc-sampling kernel --no-journal --json -q >"$work/json" 2>&1
    check "$1" "stalls were not sampled: $2" "$work/json"
    check "$1 (and the time is there)" '"status": ?"ok"' "$work/json"
}
missing no_permission_is_said '.*NVreg_RestrictProfilingToAdminUsers=0' FAKE_PC=denied
missing a_profiler_in_use_is_said 'another profiler is using the GPU' FAKE_PC=busy
missing an_old_driver_is_said "NVIDIA's driver is too old for this libcupti" FAKE_PC=old
missing a_full_buffer_is_said "the GPU's buffer of samples is full" FAKE_PC=full
missing a_kernel_without_samples_is_said 'no sample fell into these kernels' FAKE_PC=short
missing samples_of_other_kernels_only_are_none 'all [0-9]+ samples fell into code' FAKE_PC_FUNCTION=elsewhere
missing a_linker_that_fails_is_said 'cannot compile with lines' FAKE_NO_LINKER=999
missing cut_machine_code_is_said 'the cubin is cut off' FAKE_CUT_CUBIN=1

#!/usr/bin/env bash
# Variants that call a library: cuBLAS and a plug-in, both fakes, on the fake driver; and what is said
# where they, or a CUDA device, are not there.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
export RIDGE_HOME=$work/home RIDGE_CACHE=$work/cache RIDGE_COMPILER=clang COLUMNS=300
command -v clang >/dev/null || {
    echo 'skip - libraries: clang is not here'
    exit 0
}

build() { # output, flags and sources
    "${cc[@]}" -std=gnu17 -fPIC -I"$here/../../src" -I"$here/../../include" -o "$work/$1" "${@:2}"
}
mkdir "$work/driver" "$work/cublas" "$work/peers"
{
    build driver/rest.o -c -DFAKE_REST "$here/fake_driver.c" &&
        build driver/fake.o -c "$here/fake_driver.c" &&
        build driver/libcuda.so.1 -shared -Wl,-soname,libcuda.so.1 "$work"/driver/{fake,rest}.o &&
        build cublas/libcublas.so.13 -shared "$here/fake_cublas.c" -L"$work/driver" -l:libcuda.so.1 &&
        build peers/fake_peer.so -shared "$here/fake_peer.c" -L"$work/driver" -l:libcuda.so.1
} || {
    echo "not ok - the fakes compile"
    exit 1
}

exits() { # name, wanted, got
    if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}
run() {
    env LD_LIBRARY_PATH="$work/driver" RIDGE_CUDA_PATH="$work/cublas" RIDGE_PEERS="$work/peers" \
        "$RIDGE" run "$here/peers" --device cuda:0 --no-journal --time-limit 0.2 --timeout 20 "$@"
}

run >"$work/out" 2>"$work/err"
status=$?
out=$work/out err=$work/err
exits wrong_libraries_fail_the_run 1 $status
check library_s_call_is_verified_and_measured 'cublas: verified, 50\.. us measured' "$err"
check kernel_beside_it_is_measured 'own: verified, 50\.. us measured' "$err"
check kernel_is_compared_with_the_library '^own .* same ' "$out"
check matrices_by_rows_are_turned_for_cublas 'not-turned: WRONG RESULT' "$err"
check f32_stays_f32_unless_tf32_is_asked_for 'tf32: WRONG RESULT' "$err"
check steps_of_a_library_and_a_fill_are_one_variant 'two-steps: verified, 100 us measured' "$err"
check plug_in_is_verified_and_measured 'plug-in: verified, 50\.. us measured' "$err"
check version_is_reported 'cublas: cublas:sgemm of cuBLAS 13.7.7' "$out"
check plug_in_s_version_is_reported 'plug-in: fake_peer.so:product of Fake 1.2' "$out"
check plug_in_that_refuses_is_reported "'fake_peer.so:product' refuses: product takes six arguments" "$out"
check plug_in_that_crashes_costs_its_row 'crashing: FAILED' "$err"
check plug_in_of_another_abi_is_not_available 'its ABI is 0, not 1' "$out"
check plug_in_without_the_function_is_a_mistake "fake_peer.so has no function 'nothing'" "$out"
check and_fails 'without-function: FAILED' "$err"
check missing_plug_in_says_how_to_get_it 'there is no nowhere.so: bench/peers/build.sh builds' "$out"
check missing_plug_in_costs_its_row 'not-there: skipped' "$err"
check next_step_is_about_our_own_kernels '^(Next step)? +(own:|no finding promises a gain for own|none needed|Let neighbouring lanes read|Use more, smaller blocks|Give each row that a thread walks along)' "$out"

good=(--variant own --variant cublas --variant plug-in --variant not-there)
run -q --json "${good[@]}" >"$work/json" 2>"$err"
exits missing_library_does_not_fail_the_run 0 $?
check json_names_the_library '"library": "cublas:sgemm"' "$work/json"
check json_has_its_version '"library_version": "cuBLAS 13.7.7"' "$work/json"
run -q --markdown "${good[@]}" >"$work/md" 2>"$err"
check markdown_names_the_library 'Calls .cublas:sgemm. of cuBLAS 13.7.7' "$work/md"

FAKE_CUBLAS_STATUS=3 run --variant cublas --variant own >"$out" 2>"$err"
check cublas_that_does_not_start_is_reported 'cuBLAS cannot start: no memory' "$out"
check and_costs_its_rows_only 'own: verified, 50\.. us measured' "$err"

"$RIDGE" verify "$here/peers" --device sim:h200 "${good[@]}" >"$out" 2>"$err"
exits simulated_gpu_passes_over_libraries 0 $?
check simulated_gpu_says_what_is_needed "'cublas:sgemm' needs a CUDA device" "$out"
check reference_takes_its_arguments_from_a_kernel 'own  +verified' "$out"

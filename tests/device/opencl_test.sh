#!/usr/bin/env bash
# OpenCL devices: kernels that are right, and all that can be wrong, on the first one that is here (PoCL's CPU in
# CI); and what is said where there is none.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
export RIDGE_HOME=$work/home RIDGE_CACHE=$work/cache POCL_CACHE_DIR=$work/pocl COLUMNS=100
mkdir "$work/pocl" "$work/broken"
cp -r "$here/opencl" "$work/faults"

check() { # name, words that must appear, file
    if grep -Eq -- "$2" "$3"; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        head -40 "$3" | sed 's/^/# /'
    fi
}

# ---- without a device -----------------------------------------------------------------------------------
echo 'no library' >"$work/broken/libOpenCL.so.1"
LD_LIBRARY_PATH=$work/broken "$RIDGE" verify "$work/faults" --device opencl:0 >"$work/said" 2>&1
check no_library_is_one_line "^ridge: no device 'opencl:0': libOpenCL.so.1 is not here .*ridge devices" "$work/said"
LD_LIBRARY_PATH=$work/broken "$RIDGE" devices >"$work/said" 2>&1
check devices_say_how_to_get_it 'apt install ocl-icd-libopencl1 and a vendor' "$work/said"
check simulated_devices_need_none '^ +sim:h200 ' "$work/said"
"$RIDGE" verify "$work/faults" --device sim:h200 >"$work/said" 2>&1
check other_devices_do_not_take_cl 'sim:h200 does not take .cl files: --device opencl:0 does' "$work/said"

if ! "$RIDGE" verify "$work/faults" --device opencl:0 --variant right >"$work/said" 2>&1; then
    if grep -Eq "no device 'opencl:0'" "$work/said"; then
        echo "skip - kernels: $(head -1 "$work/said")"
        exit 0
    fi
fi
check right_variant_is_verified 'right: verified' "$work/said"

OCL_ICD_VENDORS=$work/none "$RIDGE" verify "$work/faults" --device opencl:0 >"$work/said" 2>&1
check no_driver_is_one_line "no device 'opencl:0': .*no vendor's driver is installed" "$work/said"
"$RIDGE" verify "$work/faults" --device opencl:99 >"$work/said" 2>&1
check number_too_high_says_how_many_there_are "no device 'opencl:99': OpenCL has [0-9]+ here" "$work/said"

# ---- kernels --------------------------------------------------------------------------------------------
mapfile -t variants < <(sed -n 's/^  - name: //p' "$work/faults/experiment.yaml" | grep -vx hang)
"$RIDGE" verify "$work/faults" --device opencl:0 "${variants[@]/#/--variant=}" >"$work/out" 2>"$work/err"
"$RIDGE" verify "$work/faults" --device opencl:0 --variant hang --timeout 5 >>"$work/out" 2>>"$work/err"
sed ':a;N;$!ba;s/\n  */ /g' "$work/out" >"$work/said" # messages in one line
for variant in right local zeroed defined again; do
    check "${variant}_is_verified" "^ *.* $variant +verified" "$work/said"
done
check wrong_result_is_caught 'wrong: wrong result wrong result: out\[[0-9]+\]' "$work/said"
check hang_is_stopped "hang: failed variant 'hang' did not end within 5 s" "$work/said"
check pointer_to_local_memory_needs_shared_bytes "no-local: failed .*'shared_bytes' says how much" "$work/said"
check two_pointers_to_local_memory_are_refused 'takes 2 pointers to local memory' "$work/said"
check too_few_arguments_are_named "kernel 'twice' takes 3 arguments, this launch gives 2" "$work/said"
check argument_of_another_kind_is_named "argument 3 of kernel 'twice' is i32 in the kernel, but a buffer here" \
    "$work/said"
check graphs_are_refused 'graph: failed .*OpenCL backend has no graphs' "$work/said"
check clusters_are_refused 'clusters: failed .*opencl:0: ridge has no clusters there' "$work/said"
"$RIDGE" devices >"$work/devices" 2>&1
if grep -q 'opencl:0 .*(a CPU device of OpenCL)' "$work/devices"; then
    check access_outside_costs_its_variant 'wild: failed .*crashed its process \(Segmentation fault\)' "$work/said"
    cpu=1
fi

"$RIDGE" verify "$work/faults" --device opencl:0 -p n=34359738368 >"$work/said" 2>&1
check too_much_memory_is_refused 'the buffers need 275 GB and opencl:0 has .*--param' "$work/said"
sed -i 's/int i = get_global_id(0);/int i = get_global_id(0)/' "$work/faults/opencl.cl"
"$RIDGE" verify "$work/faults" --device opencl:0 --variant right >"$work/said" 2>&1
check compiler_s_messages_have_the_user_s_lines "opencl.cl:6:29: expected ';'" "$work/said"
cp "$here/opencl/opencl.cl" "$work/faults"
"$RIDGE" check "$work/faults" --device opencl:0 >"$work/said" 2>&1
check ridge_check_holds_launches_against_the_kernels "takes 3 arguments, this launch gives 2" "$work/said"

# ---- times ----------------------------------------------------------------------------------------------
portable=$here/../../experiments/portable
"$RIDGE" run "$portable" --device opencl:0 --cache warm --time-limit 0.2 -p n=262144 --json >"$work/run" 2>"$work/err"
check shipped_experiment_is_measured '"provenance": "measured"' "$work/run"
check its_opencl_source_is_named '"source": "portable.cl"' "$work/run"
check no_chip_s_figures_are_made_up '"floor_ns": null' "$work/run"
check shapes_of_launches_are_known '"block_threads": \{' "$work/run"
"$RIDGE" show >"$work/said" 2>&1
check journal_has_the_run 'sized-at-launch +yes +[0-9.]+ [mu]s' "$work/said"
check no_counters_is_said 'no hardware counters: OpenCL has none' "$work/said"
if [[ -n ${cpu-} ]]; then
    check times_of_a_cpu_are_labelled 'measured on a CPU device: its times are a CPU' "$work/said"
    check label_is_in_json '"times": "measured on a CPU device"' "$work/run"
fi
"$RIDGE" probe --device opencl:0 >"$work/said" 2>&1
check roofs_are_not_probed 'opencl:0 cannot be probed' "$work/said"

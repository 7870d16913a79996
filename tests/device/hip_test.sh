#!/usr/bin/env bash
# AMD's GPUs where there is none: the backend with a fake runtime and a fake hipRTC, errors included; and with the real
# hipRTC, where it is installed, whose machine code needs no GPU to be made.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
source=$here/../../src
export RIDGE_HOME=$work/home RIDGE_CACHE=$work/cache COLUMNS=100

check() { # name, words that must appear, then the command
    local name=$1 words=$2
    shift 2
    if "$@" >"$work/said" 2>&1 || true; sed ':a;N;$!ba;s/\n  */ /g' "$work/said" | grep -Eq -- "$words"; then
        echo "ok - $name"
    else
        echo "not ok - $name"
        head -30 "$work/said" | sed 's/^/# /'
    fi
}

# ---- the fake: CUDA's, under the names of hip.def ----------------------------------------------------------
mapfile -t names < <(sed -nE 's/^HIP(_OPTIONAL)?\((\w+), (\w+)\)$/-D\2=\3/p' "$source/device/hip/hip.def" |
    grep -v DeviceGetAttribute)
flags=(-std=gnu17 -O1 -fPIC -I"$source")
mkdir "$work/fake" "$work/old"
{
    "${cc[@]}" "${flags[@]}" "${names[@]}" -c -o "$work/fake.o" "$here/fake_driver.c" &&
        "${cc[@]}" "${flags[@]}" "${names[@]}" -DFAKE_REST -c -o "$work/rest.o" "$here/fake_driver.c" &&
        "${cc[@]}" "${flags[@]}" -c -o "$work/hip.o" "$here/fake_hip.c" &&
        "${cc[@]}" -shared -o "$work/fake/libamdhip64.so.7" "$work"/{fake,rest,hip}.o &&
        "${cc[@]}" -shared -o "$work/old/libamdhip64.so.7" "$work/hip.o" &&
        "${cc[@]}" "${flags[@]}" -DFAKE_HIPRTC -shared -o "$work/fake/libhiprtc.so.7" "$here/fake_hip.c"
} || {
    echo 'not ok - fake runtime compiles'
    exit 1
}
on() { # a command on the fake GPU
    env FAKE_NAME="${gpu-AMD Instinct MI250X}" FAKE_DRIVER=60032830 LD_LIBRARY_PATH="$work/fake" "$@"
}

check gpu_is_listed '^ *.*hip:0 +AMD Instinct MI250X, 110 SMs' on "$RIDGE" devices
check what_was_not_tried_is_said "warning: .*AMD's GPUs were not tried on hardware .*docs/amd.md" on "$RIDGE" devices
check figures_of_its_file_are_known 'registers_per_sm +131072 ' on "$RIDGE" devices -v
check version_is_named 'here +HIP \(libamdhip64\): ROCm.s HIP 6.0' on "$RIDGE" devices
check missing_rocprofiler_is_a_part 'missing +rocprofiler-sdk: librocprofiler-sdk is not here' on "$RIDGE" devices
check several_gpus_are_listed ' hip:2 ' on env FAKE_COUNT=3 "$RIDGE" devices
check number_too_high_says_how_many_there_are "no device 'hip:7': AMD's runtime has 1" \
    on "$RIDGE" verify portable --device hip:7
check no_gpu_is_one_line "no device 'hip:0': libamdhip64 was found, but hipInit fails \(hipErrorNoDevice, no ROCm" \
    on env FAKE_INIT=100 "$RIDGE" verify portable --device hip:0
check crash_is_one_line "no device 'hip:0': AMD's runtime crashes when asked" \
    on env FAKE_CRASH=1 "$RIDGE" verify portable --device hip:0
check runtime_too_old_is_said 'older than ROCm 5: update it' \
    env LD_LIBRARY_PATH="$work/old" "$RIDGE" devices
echo 'no library' >"$work/old/libamdhip64.so.7"
check gpu_without_an_architecture_is_a_warning 'does not say which architecture' on env FAKE_GFX=- "$RIDGE" devices

# ---- the loop on it ---------------------------------------------------------------------------------------
run() {
    on "$RIDGE" run "$here/faults" --device hip:0 --no-journal --time-limit 0.3 --timeout 10 -p N=8192 "$@"
}
FAKE_RTC_LOG=$work/options run --variant before --variant wild --variant wrong --variant fades --variant after \
    >"$work/out" 2>&1
said() { cat "$work/out"; }
check right_variant_is_measured 'before: verified, 50\.. us measured' said
check variant_after_the_faults_is_measured 'after: verified, 50\.. us measured' said
check fault_names_kernel_and_device "kernel 'wild' .*hip:0" said
check wrong_result_is_reported 'out\[4711\] is 0' said
check kernel_that_stops_working_is_found 'in a timed launch: wrong result' said
check missing_counters_are_a_note 'no hardware counters: librocprofiler-sdk is not here: it comes with ROCm from 6.2 on' said
check compiler_is_asked_for_the_gpu_s_architecture '^--offload-arch=gfx90a' cat "$work/options"
check hang_costs_its_variant "'hang' did not end within 2 s" \
    on "$RIDGE" verify "$here/faults" --device hip:0 --variant hang --timeout 2 -p N=8192
check no_memory_says_what_is_free 'hip:0 has no room for buffer' \
    on env FAKE_NO_MEMORY=1 "$RIDGE" verify "$here/faults" --device hip:0 --variant before -p N=8192
check device_that_cannot_be_opened_leaves_nothing_open '^context released, 0 handles open' \
    bash -c 'FAKE_LEDGER=$1 FAKE_NO_FUNCTION=500 LD_LIBRARY_PATH=$2 "$0" verify "$3" --device hip:0 --variant before; cat "$1"' \
    "$RIDGE" "$work/ledger" "$work/fake" "$here/faults"
gpu='AMD Radeon 9999'
check unknown_chip_has_no_bounds 'ridge knows no rates of this device' run --variant before
unset gpu
steps() {
    on "$RIDGE" run "$here/steps" --device hip:0 --no-journal --plain --time-limit 0.2 --timeout 20 "$@"
}
check streams_and_mapped_memory_work 'streams: verified, .*measured' steps --variant mapped --variant streams
check textures_are_refused 'hip:0: ridge has no textures and surfaces there' steps --variant texture
check windows_are_refused "hip:0 has no L2 that keeps a window" steps --variant window
cp -r "$here/faults" "$work/bad"
sed -i '3s/.*/#error refused/' "$work/bad/faults.cu"
check compiler_s_messages_have_the_user_s_lines 'bad/faults.cu:3:2: error: refused' \
    on "$RIDGE" verify "$work/bad" --device hip:0 --variant before
check compiler_that_crashes_is_one_line 'hipRTC crashed on' \
    on env FAKE_RTC_CRASH=1 RIDGE_CACHE="$work/empty" "$RIDGE" verify "$here/faults" --device hip:0 --variant before
echo 'extern "C" __global__ void k(int *x) {} int main() { k<<<1, 1>>>(0); }' >"$work/bad/faults.cu"
check host_code_is_refused 'hipRTC takes the device.s side only' \
    on "$RIDGE" verify "$work/bad" --device hip:0 --variant before

# ---- counters: a fake rocprofiler-sdk that holds ridge to the order of its calls ------------------------------
mkdir "$work/counted"
"${cc[@]}" "${flags[@]}" -shared -o "$work/counted/librocprofiler-sdk.so.0" "$here/fake_rocprofiler.c" || {
    echo 'not ok - fake rocprofiler compiles'
    exit 1
}
cp "$work"/fake/*.so.7 "$work/counted"
check rocprofiler_is_a_part 'here +rocprofiler-sdk: has what ridge calls' env LD_LIBRARY_PATH="$work/counted" "$RIDGE" devices
"${cc[@]}" "${flags[@]}" -shared -o "$work/counted/librocm_smi64.so.7" "$here/fake_rocm_smi.c"
check rocm_smi_is_a_part 'here +ROCm SMI \(librocm_smi64\): watches 2 GPUs' env LD_LIBRARY_PATH="$work/counted" "$RIDGE" devices
rm "$work/counted/librocm_smi64.so.7"
counted() { # the counters of a variant: name=value provenance, a line each
    env FAKE_NAME='AMD Instinct MI250X' FAKE_DRIVER=60032830 FAKE_PASSES="$work/passes" LD_LIBRARY_PATH="$work/counted" "$@" \
        "$RIDGE" run "$here/faults" --device hip:0 --no-journal --time-limit 0.3 --timeout 10 -p N=8192 \
        --variant before --json 2>"$work/counted.err" | jq -r '.results[0] | .counters | to_entries[] | "\(.key)=\(.value.value) \(.value.provenance)"'
    cat "$work/counted.err"
}
if command -v jq >/dev/null; then
    for form in '' FAKE_LATER_RECORDS=1; do # records of both forms
        rm -f "$work/passes"
        check "instances_are_summed${form:+_in_the_later_form}" 'warp_instructions=1024 measured' counted $form
        check "kilobytes_are_bytes${form:+_in_the_later_form}" 'dram_read_bytes=65536 measured' counted $form
    done
    check counters_of_the_second_pass_are_there '^vector_instructions=500 measured' counted
    check counters_of_the_last_pass_are_there '^lds_instructions=7 measured' counted
    ! counted | grep -q dram_write_bytes
    check counter_that_no_pass_takes_is_absent '^0$' echo $?
    check two_counters_fit_in_a_pass '^2$' bash -c "sort -u '$work/passes' | wc -l"
    check counters_are_left_by_the_environment 'no hardware counters: RIDGE_ROCPROFILER is 0' \
        env FAKE_NAME='AMD Instinct MI250X' LD_LIBRARY_PATH="$work/counted" RIDGE_ROCPROFILER=0 "$RIDGE" run "$here/faults" \
        --device hip:0 --no-journal --time-limit 0.3 --timeout 10 -p N=8192 --variant before
    check tool_that_comes_too_late_is_said 'takes no tool any more \(status 15\)' \
        env FAKE_NAME='AMD Instinct MI250X' LD_LIBRARY_PATH="$work/counted" LD_PRELOAD="$work/counted/libamdhip64.so.7" "$RIDGE" run \
        "$here/faults" --device hip:0 --no-journal --time-limit 0.3 --timeout 10 -p N=8192 --variant before
    "${cc[@]}" "${flags[@]}" -Drocprofiler_sample_device_counting_service=older -shared -o "$work/counted/librocprofiler-sdk.so.0" \
        "$here/fake_rocprofiler.c"
    check library_that_is_too_old_is_said 'has no rocprofiler_sample_device_counting_service: update' \
        env FAKE_NAME='AMD Instinct MI250X' LD_LIBRARY_PATH="$work/counted" "$RIDGE" run "$here/faults" \
        --device hip:0 --no-journal --time-limit 0.3 --timeout 10 -p N=8192 --variant before
else
    echo 'skip - counters: no jq'
fi

# ---- the library -------------------------------------------------------------------------------------------
cat >"$work/program.c" <<'END'
#include <ridge.h>
#include <stdio.h>
int main(int count, char **words)
{
    struct ridge *r = NULL;
    struct ridge_module *m = NULL;
    if (ridge_open(words[1], NULL, &r) || (count > 2 && ridge_compile(r, words[2], NULL, 0, &m)))
        return printf("refused: %s\n", ridge_error()), 1;
    return printf("compiled on %s\n", ridge_device(r)), ridge_close(r);
}
END
built=$(dirname "$RIDGE")
if [[ -e $built/libridge.so ]]; then
    "${cc[@]}" -I"$here/../../include" -o "$work/program" "$work/program.c" "$built/libridge.so" -Wl,-rpath,"$(realpath "$built")"
    export RIDGE_DATA_DIR=$built/share/ridge
    check program_s_kernels_are_compiled_by_hiprtc 'compiled on hip:0' on "$work/program" hip:0 "$here/faults/faults.cu"
    gpu='AMD Radeon 9999'
    check program_runs_on_a_chip_without_a_file 'compiled on hip:0' on "$work/program" hip:0 "$here/faults/faults.cu"
    unset gpu
    "$RIDGE" devices >"$work/devices.txt"
    ! grep -q '^ *opencl:0 ' "$work/devices.txt" ||
        check library_refuses_devices_without_regions 'refused: ridge_open: opencl:0 is a device for experiments' \
            "$work/program" opencl:0
    unset RIDGE_DATA_DIR
else
    echo 'skip - library: libridge.so is not built'
fi

# ---- the real hipRTC: shipped experiments to machine code ---------------------------------------------------
real=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -nE 's/.*=> (.*lib(hiprtc|amdhip64)\.so\.[567])$/\1/p' | head -1)
if [[ -z $real ]]; then
    echo 'skip - sources: no hipRTC is here (apt install libamdhip64-5)'
    exit 0
fi
mkdir "$work/compile" # the fake GPU, compiled for by the real hipRTC
cp "$work/fake/libamdhip64.so.7" "$work/compile"
ln -s "$real" "$work/compile/libhiprtc.so.7"
compiled() { # EXPERIMENT: "N compiled, M not", by variants and cases
    env FAKE_NAME='AMD Instinct MI250X' LD_LIBRARY_PATH="$work/compile" \
        "$RIDGE" check "$here/../../experiments/$1" --device hip:0 >"$work/compiled" 2>&1
    echo "$(grep -c 'compiled by hipRTC' "$work/compiled") compiled, $(grep -c 'does not compile' "$work/compiled") not"
}
for experiment in portable vector math fusion histogram-f32; do
    check "hiprtc_compiles_$experiment" '^[1-9][0-9]* compiled, 0 not' compiled "$experiment"
done

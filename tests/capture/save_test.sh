#!/usr/bin/env bash
# `ridge capture -o FOLDER`: a launch of a program on the fake driver is saved, the simulated GPU replays it, and variants
# answer it.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
replay() { # folder, options …
    "$RIDGE" run "$1" --device sim:h200 "${@:2}" >"$work/out" 2>"$work/err"
    echo "status $?" >"$work/status"
}

capture -o "$work/saved" -- "$work/program" 7
check a_first_run_finds_the_kernels '^first run' "$work/err"
check the_program_runs_twice '^sum 4032$' "$work/out"
check limits_are_said_before 'saving in .*: at most .* of files, 1 GiB of code and 67 MiB of memory' "$work/err"
check what_was_saved_is_said '^twice: launch 1, 2 buffers \(1 changed\), 576 B, PTX: ridge run .*/saved/twice$' "$work/out"
check the_exit_status_is_the_program_s '^status 7$' "$work/status"
check nothing_else_is_left '^twice$' <(ls -A "$work/saved")
file=$work/saved/twice/experiment.yaml
check types_come_from_the_ptx '^  p0: \{type: f32, count: 64, fill: npy\(p0.npy\)\}$' "$file"
check what_changed_is_the_output '^  p1: \{type: f32, count: 80, fill: npy\(p1.npy\), output: true\}$' "$file"
check a_pointer_may_lie_inside '^      - \{value: p1, offset: 64\}$' "$file"
check scalars_have_their_types '^      - \{value: 64, type: i32\}$' "$file"
check the_shape_is_the_launch_s '^    grid: \[2, 1, 1\]$' "$file"
replay "$work/saved/twice"
check the_simulated_gpu_replays_it '^status 0$' "$work/status"
check and_finds_it_right 'captured .*(ok|yes|✓)' "$work/out"

# Variants of one's own, in PTX as no compiler for .cu is sure to be here.
sed 's/add.f32 %f2, %f1, %f1/mul.f32 %f2, %f1, 0f40000000/' "$work/saved/twice/kernel.ptx" >"$work/saved/twice/times.ptx"
sed 's/add.f32 %f2, %f1, %f1/mul.f32 %f2, %f1, 0f40400000/' "$work/saved/twice/kernel.ptx" >"$work/saved/twice/wrong.ptx"
for name in times wrong; do
    awk -v name=$name '/^  - name: captured/ { on = 1 } on { sub("captured", name "\n    from: captured\n    source: " name ".ptx"); print }' \
        "$file" >"$work/$name.yaml"
done
cp "$file" "$work/first.yaml"
cat "$work/first.yaml" "$work/times.yaml" >"$file"
replay "$work/saved/twice"
check a_variant_that_computes_the_same_is_right '^status 0$' "$work/status"
check and_is_compared_with_the_captured_one 'times' "$work/out"
cat "$work/first.yaml" "$work/wrong.yaml" >"$file"
replay "$work/saved/twice"
check a_wrong_variant_is_refused '^status 1$' "$work/status"
check with_the_element_that_is_wrong 'wrong.*p1' <(cat "$work/out" "$work/err")

# As docs/capture.md shows it.
if command -v clang >"$work/clang"; then
    cat >"$work/saved/twice/wide.cu" <<'CU'
extern "C" __global__ void twice4(const float *in, float *out, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = i; k < i + 4 && k < n; k++)
        out[k] = 2 * in[k];
}
CU
    cat "$work/first.yaml" - >"$file" <<'YAML'
  - name: wide
    from: captured
    hypothesis: Four elements per thread need a quarter of the instructions.
    source: wide.cu
    kernel: twice4
    grid: [1]
    block: [16]
    args: [p0, {value: p1, offset: 64}, 64]
YAML
    replay "$work/saved/twice" --compiler clang
    check a_cu_variant_answers_it '^status 0$' "$work/status"
    check and_both_are_in_the_table 'wide' "$work/out"
else
    echo 'skip - a_cu_variant_answers_it: no clang'
fi

# Input and output in one allocation, as those of PyTorch's allocator: one buffer, two places in it.
capture -o "$work/together" --kernel twice -- "$work/program" together
check one_allocation_is_one_buffer '^twice: launch 1, 1 buffer \(1 changed\), 768 B, PTX' "$work/out"
file=$work/together/twice/experiment.yaml
check it_is_input_and_output '^  p0: \{type: f32, count: 192, fill: npy\(p0.npy\), output: true\}$' "$file"
check pointers_have_their_places '^      - p0 - \{value: p0, offset: 512\} - \{' <(grep -A9 args: "$file" | sed 's/^ *//' | tr '\n' ' ' | sed 's/^args: /      /')
replay "$work/together/twice"
check it_replays_right '^status 0$' "$work/status"
sed -i 's/offset: 512/offset: 508/' "$file"
replay "$work/together/twice"
check at_another_place_it_would_not '^status 1$' "$work/status"

# Machine code alone: PTX lies in Triton's cache beside it, or nowhere.
mkdir -p "$work/triton/0/ABC"
cp "$work/saved/twice/kernel.ptx" "$work/triton/0/ABC/twice.ptx"
FAKE_MACHINE_CODE=$work/triton/0/ABC/twice.cubin TRITON_CACHE_DIR=$work/triton capture -o "$work/cached" --kernel twice -- "$work/program"
check ptx_of_triton_s_cache_is_found '^twice: launch 1, 2 buffers \(1 changed\), 576 B, PTX' "$work/out"
FAKE_MACHINE_CODE=$work/triton/0/ABC/twice.cubin TRITON_CACHE_DIR=$work/home capture -o "$work/machine" --kernel twice -- "$work/program"
check without_it_machine_code_is_saved '^twice: launch 1, 2 buffers \(1 changed\), 576 B, machine code' "$work/out"
check as_it_was_loaded '^same$' <(cmp "$work/machine/twice/kernel.cubin" "$work/triton/0/ABC/twice.cubin" && echo same)

# A variable of the module that the program has set: its bytes come with the launch, and the replay sets them.
sed 's/^\.visible/.visible .global .align 4 .f32 factor = 0f40000000;\n&/; s/add.f32 %f2, %f1, %f1/ld.global.f32 %f2, [factor]; mul.f32 %f2, %f1, %f2/' \
    "$work/saved/twice/kernel.ptx" >"$work/triton/0/ABC/twice.ptx"
FAKE_MACHINE_CODE=$work/triton/0/ABC/twice.cubin TRITON_CACHE_DIR=$work/triton capture -o "$work/variable" --kernel twice -- "$work/program" factor
check the_program_has_set_it '^sum 6048$' "$work/out"
file=$work/variable/twice/experiment.yaml
check a_variable_of_the_module_is_saved '^    set: \{"factor": file\(variable0.bin\)\}$' "$file"
check with_what_the_program_put_there '^ *3$' <(od -An -tfF "$work/variable/twice/variable0.bin")
replay "$work/variable/twice"
check and_set_when_it_is_replayed '^status 0$' "$work/status"
sed -i '/^    set:/d' "$file"
replay "$work/variable/twice"
check without_it_the_result_is_another '^status 1$' "$work/status"
# With --anonymise too, with other contents. One that is 0 unless it is set would make every output 0, as it was before.
sed -i 's/ factor = 0f40000000;/ factor;/' "$work/triton/0/ABC/twice.ptx"
FAKE_MACHINE_CODE=$work/triton/0/ABC/twice.cubin TRITON_CACHE_DIR=$work/triton capture -o "$work/hidden" --anonymise --kernel twice -- "$work/program" factor
file=$work/hidden/twice/experiment.yaml
check other_data_is_put_into_variables '^    set: \{"factor": file\(variable0.bin\)\}$' "$file"
check and_that_is_said '^  variable factor: random floats of the same distribution$' "$work/out"
replay "$work/hidden/twice"
check so_that_the_outputs_change '^status 0$' "$work/status"
sed -i '/^    set:/d' "$file"
replay "$work/hidden/twice"
check or_an_error_says_that_they_do_not "^ridge: .*the reference 'captured' leaves the output 'p1' as it was before: .*fill it, or what the kernel computes it of, with other data$" "$work/err"
FAKE_MACHINE_CODE=$work/triton/0/ABC/twice.cubin TRITON_CACHE_DIR=$work/home capture -o "$work/unset" --kernel twice -- "$work/program" factor
check without_ptx_that_is_said 'variables of its module are not set: without PTX' "$work/out"

# Other data: what it holds is said, the captured kernel computes what is right, and the program's numbers are gone.
capture -o "$work/other" --anonymise --pack --kernel twice -- "$work/program"
check other_data_is_said_by_buffer '^  p0: random floats of the same distribution$' "$work/out"
check and_from_where_on '^  p1 from byte 64 on: random floats of the same distribution$' "$work/out"
check and_what_stays '^  parameters that are no addresses, names and code are as they were$' "$work/out"
file=$work/other/twice/experiment.yaml
check the_captured_kernel_is_the_reference '^reference: \{variant: captured\}$' "$file"
check the_command_line_is_left_out '^none$' <(grep -q "$work/program" "$file" || echo none)
check outputs_of_the_program_are_left_out '^experiment.yaml kernel.ptx p0.npy p1.npy $' <(ls "$work/other/twice" | tr '\n' ' ')
check data_is_another '^another$' <(cmp -s "$work/other/twice/p0.npy" "$work/saved/twice/p0.npy" || echo another)
replay "$work/other/twice"
check it_replays '^status 0$' "$work/status"
for name in times wrong; do
    sed -E '/^variants/,$!d; /^variants/d; s/captured/'$name'\n    from: captured\n    source: '$name.ptx'/' "$file" >"$work/$name.yaml"
    cp "$work/saved/twice/$name.ptx" "$work/other/twice"
done
cp "$file" "$work/first.yaml"
cat "$work/first.yaml" "$work/times.yaml" >"$file"
replay "$work/other/twice"
check a_variant_is_compared_on_other_data '^status 0$' "$work/status"
cat "$work/first.yaml" "$work/wrong.yaml" >"$file"
replay "$work/other/twice"
check and_refused_if_wrong '^status 1$' "$work/status"
FAKE_MACHINE_CODE=$work/triton/other.cubin TRITON_CACHE_DIR=$work/home capture -o "$work/zeros" --anonymise --kernel twice -- "$work/program"
check what_is_not_known_becomes_zeros '^  p0: zeros: of what type it is, is not plain to see$' "$work/out"
check all_of_it '^0$' <(tail -c +129 "$work/zeros/twice/p0.npy" | tr -d '\0' | wc -c)

capture -o "$work/third" --kernel '^twi' --launch 3 -q --json -- "$work/program"
check one_run_where_kernels_are_named '^1$' <(grep -c '^sum 4032$' "$work/err")
check json_says_what_was_saved '"launch": 3' "$work/out"
check a_launch_that_changed_nothing_is_said 'changed no byte' "$work/out"
capture -o "$work/none" --kernel nothing -- "$work/program"
check no_kernel_is_a_warning 'no kernel was saved' "$work/err"
check and_leaves_no_folder '^gone$' <([[ -e $work/none ]] || echo gone)
capture -o "$work/saved" --kernel twice -- "$work/program"
check a_folder_is_not_overwritten "has an experiment already" "$work/err"
capture -o "$work/many" --kernel twice -- "$work/program" child
check of_several_processes_the_first_is_kept '^twice$' <(ls -A "$work/many")
capture -o "$work/aborted" --kernel twice -- "$work/program" abort
check a_program_that_a_signal_ends_has_its_launches_saved '^twice: launch 1' "$work/out"
check and_its_status '^status 134$' "$work/status"
for name in one two; do
    mkdir "$work/$name"
    (cd "$work/$name" && capture -o saved --pack --kernel twice -- "$work/program")
done
check a_pack_is_made '^packed: saved.tar$' "$work/out"
tar -xf "$work/one/saved.tar" -C "$work/one" && tar -tf "$work/one/saved.tar" >"$work/list"
check its_contents_come_first '^CONTENTS twice/experiment.yaml twice/kernel.ptx twice/p0.npy twice/p1.after.npy twice/p1.npy $' <(tr '\n' ' ' <"$work/list")
check with_bytes_and_hashes '^ +384  [0-9a-f]{32}  twice/p0.npy$' "$work/one/CONTENTS"
check the_same_launch_packs_the_same '^same$' <(cmp "$work/one/saved.tar" "$work/two/saved.tar" && echo same)
capture -o "$work/one/saved2" --pack --kernel nothing -- "$work/program"
check nothing_saved_is_not_packed '^none$' <([[ -e $work/one/saved2.tar ]] || echo none)
capture -- "$work/program"
check a_folder_is_needed 'ridge capture -o FOLDER' "$work/err"
capture -o "$work/bad" --kernel '(' -- "$work/program"
check a_bad_expression_is_refused 'no extended regular expression' "$work/err"
exit $failures

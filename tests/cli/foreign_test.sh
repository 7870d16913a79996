#!/usr/bin/env bash
# Other compilers' PTX: kernels of ours as Triton, Numba, Rust, tinygrad and CUTLASS made them (bench/foreign), and by hand in
# CUDA.jl's form, run on the simulated GPU, each verified against C with every check on; lines are the Python source's.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
stage foreign

for file in foreign/*.yaml; do
    name=${file##*/} name=${name%.yaml}
    "$RIDGE" verify "$file" --device sim:h200 --check --seed 7 -q >out.txt 2>&1
    status=$?
    grep -q verified out.txt || status=1
    ! grep -qE 'failed|wrong|uninitialised|race' out.txt || status=1
    pass "$name is verified" $status out.txt
done

# An index beyond an array ends the kernel as CUDA.jl's exceptions do.
sed 's/- {struct: \[x, {value: 20000, type: i64}, {value: 5000, type: i64}, {value: 5000/- {struct: [x, {value: 20000, type: i64}, {value: 5000, type: i64}, {value: 4000/' \
    foreign/julia_axpy.yaml >foreign/julia_short.yaml
"$RIDGE" verify foreign/julia_short.yaml --device sim:h200 --check --seed 7 -q >out.txt 2>&1
[[ $? == 1 ]] && grep -q 'trap' out.txt
pass 'an exception of CUDA.jl ends the kernel' $? out.txt

"$RIDGE" run foreign/triton_matmul.yaml --device sim:h200 --no-journal -q --json >run.json
[[ $(tr -d ' \n' <run.json | grep -oE '"flops_tensor":\{"value":4194304[,.}]' | wc -l) == 2 ]]
pass 'mma.sync and wgmma count the same tensor flops' $? run.json
"$RIDGE" run foreign/triton_softmax.yaml --device sim:h200 -q >/dev/null
"$RIDGE" annotate triton_softmax:triton >annotated.txt 2>&1 || "$RIDGE" show --json >annotated.txt
grep -q 'make_triton.py' annotated.txt
pass 'counters stand beside lines of the Python source' $? annotated.txt
finish

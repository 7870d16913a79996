#!/usr/bin/env bash
# What the right result may come from, on the simulated GPU.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need cc
need clang
need python3

fresh() {
    rm -rf reference calls.txt
    cp -r "$here/reference" .
}
run_verify() {
    timeout 300 "$RIDGE" verify reference --device sim:h200 -q --plain "$@" >said.txt 2>&1
}
verified() { # NAME [OPTION...]
    run_verify "${@:2}" && grep -q ' verified' said.txt
    pass "$1" $? said.txt
}
refused() { # NAME WORDS [OPTION...]
    ! run_verify "${@:3}" && tr '\n' ' ' <said.txt | sed 's/  */ /g' | found -F -- "$2"
    pass "$1" $? said.txt
}
calls() { wc -l <calls.txt; }

fresh
verified 'rows of a reference are computed apart'
[[ $(calls) -gt 1 ]]
pass '... by several calls' $?
edit reference/experiment.yaml 's/sums_ref, args|sums_ref", args/range_ref", args/; s/args: \[y, x, rows, cols\], parallel/args: [y, x, first_row, end_row, cols], parallel/'
verified 'a reference may get the first and the last row'
fresh
edit reference/experiment.yaml 's/parallel: rows/parallel: {rows: rows, split: [y]}/'
refused 'rows of a buffer that is not split are those of the whole' 'wrong result'
fresh
edit reference/experiment.yaml 's/parallel: rows/parallel: {rows: rows, split: [y, x]}/'
verified 'which buffers have rows may be stated'
edit reference/experiment.yaml 's/split: \[y, x\]/split: [y, z]/'
refused 'a buffer that is none is named' "unknown buffer 'z'"
fresh
edit reference/experiment.yaml 's/parallel: rows/parallel: lines/'
refused 'rows must be counted by a parameter' "'parallel' must be the parameter that counts the rows, and 'lines' is none"
fresh
edit reference/experiment.yaml 's/\[y, x, rows, cols\], parallel/[y, x, 500, cols], parallel/'
refused 'a reference that does not get the number of rows is refused' 'the reference does not get the number of rows to compute'
fresh
edit reference/experiment.yaml 's/count: rows,/count: rows+1,/'
refused 'a buffer without whole rows is refused' "buffer 'y' has 501 elements with rows=500 cols=100: no whole rows"
for how in crash:'crashed its process (Segmentation fault)' exit:'must not call exit()'; do
    fresh
    edit reference/experiment.yaml "s/sums_ref/${how%%:*}_ref/"
    refused "a part that ends its process (${how%%:*}) is reported" "${how#*:}"
done

fresh
edit reference/experiment.yaml 's/sums_ref/slow_ref/; s/, parallel: rows//'
verified 'a slow reference on other data' --seed 1
verified '... and on the same again' --seed 1
[[ $(calls) == 1 ]]
pass 'its output is kept' $?
verified '... and on others' --seed 2
[[ $(calls) == 2 ]]
pass 'for the same data only' $?
verified '... with other arguments' --seed 1 --param cols=50
[[ $(calls) == 3 ]]
pass 'and the same arguments' $?
for f in "$RIDGE_CACHE"/reference-outputs/*/*.1; do printf x | dd of="$f" bs=1 seek=8 conv=notrunc status=none; done
verified 'a damaged output is computed anew' --seed 1
[[ $(calls) == 4 ]]
pass '... by a call' $?
sed -i 's/usleep(700000)/usleep(600000)/' reference/reference.c
verified 'an edited reference' --seed 1
[[ $(calls) == 5 ]]
pass '... is called' $?
verified 'random data' && verified 'random data again'
[[ $(calls) == 7 ]]
pass 'are not kept' $?

# ---- other sources of what is right ----
npy() { # FILE TYPE SHAPE STRUCT-FORMAT NUMBER...: as numpy.save writes it
    python3 - "$@" <<'END'
import struct, sys
path, kind, shape, form, *numbers = sys.argv[1:]
header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
header += ' ' * (63 - (len(header) + 10) % 64) + '\n'
values = [float(x) if form in 'fd' else int(x) for x in numbers]
with open(path, 'wb') as f:
    f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode())
    f.write(struct.pack('<%d%s' % (len(values), form), *values))
END
}
fresh
cat >reference/experiment.yaml <<'END'
experiment: files
source: k.cu
reference: {expected: {y: "sums_{rows}.npy"}}
params: {rows: [2, 3], cols: 4}
buffers:
  x: {type: f32, count: rows*cols, fill: "npy(x_{rows}.npy)"}
  y: {type: f32, count: rows, output: true}
variants:
  - {name: plain, kernel: row_sums, grid: 1, block: 32, args: [y, x, rows, cols]}
END
npy reference/x_2.npy '<f4' '(2, 4)' f 1 2 3 4 5 6 7 8
npy reference/x_3.npy '<f8' '(12,)' d 1 2 3 4 5 6 7 8 9 10 11 12
npy reference/sums_2.npy '<f8' '(2,)' d 10 26
npy reference/sums_3.npy '<f4' '(3,)' f 10 26 42
verified 'inputs and results from .npy files, by case, of another float type'
[[ $(grep -c ' verified' said.txt) == 2 ]]
pass '... both cases' $?
npy reference/sums_3.npy '<f4' '(3,)' f 10 26 43
refused 'a result that differs from the file is wrong' 'y[2] is 42, the reference says 43'
npy reference/sums_3.npy '<f4' '(4,)' f 10 26 42 1
refused 'a file of another size is refused' "it has 4 elements, and buffer 'y' has 3"
npy reference/sums_3.npy '<i4' '(3,)' i 10 26 42
refused 'a file of whole numbers is refused for floats' "its elements are i32 and buffer 'y' has f32"
npy reference/sums_3.npy '<c8' '(3,)' f 10 26 42
refused 'a type that no buffer has is refused' 'its elements are of no type that a buffer has'
head -c 100 reference/sums_2.npy >reference/sums_3.npy
refused 'a cut file is refused' 'longer than the file'
edit reference/experiment.yaml 's/sums_\{rows\}/none/'
refused 'a file that is not there is named' "none.npy' does not exist"

fresh
edit reference/experiment.yaml 's/^reference: .*/reference: {variant: plain}/'
cat >>reference/experiment.yaml <<'END'
  - {name: small, kernel: row_sums, grid: "ceil_div(rows,32)", block: 32, args: [y, x, rows, cols]}
  - {name: short, kernel: row_sums, grid: "ceil_div(rows,128)", block: 128, args: [y, x, rows, cols-1]}
END
verified 'a variant is the reference of others' --variant small
refused 'one that differs from it is wrong' 'the reference says' --variant short
verified 'it need not run itself' --variant small
edit reference/experiment.yaml 's/variant: plain/variant: plane/'
refused 'a variant that is none is named' "there is no variant 'plane' (did you mean 'plain'?)"
edit reference/experiment.yaml 's/variant: plane/variant: plain/; s/args: \[y, x, rows, cols\]\}$/args: [y, x, 0, cols]}/'
refused 'a variant that writes nothing is no reference' 'leaves 500 of 500 elements of the output'

# ---- orders, and fills that need them ----
fresh
cat >>reference/k.cu <<'END'
extern "C" __global__ void turned(unsigned *y, const unsigned *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[n - 1 - i] = x[i];
}
extern "C" __global__ void spmv(float *y, const int *rows, const int *columns, const float *v, const float *x, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = r < n ? rows[r] : 0; r < n && i < rows[r + 1]; i++)
        sum += v[i] * x[columns[i]];
    if (r < n)
        y[r] = sum;
}
END
cat >>reference/reference.c <<'END'
void copy_ref(unsigned *y, const unsigned *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i];
}
void spmv_ref(float *y, const int *rows, const int *columns, const float *v, const float *x, int n, int m)
{
    for (int r = 0; r < n; r++) {
        double sum = 0;
        for (int i = rows[r]; i < rows[r + 1]; i++) {
            if (columns[i] < 0 || columns[i] >= m || (i > rows[r] && columns[i] <= columns[i - 1]))
                abort();
            sum += (double)v[i] * (double)x[columns[i]];
        }
        y[r] = (float)sum;
    }
    if (rows[0] != 0 || rows[n] != 2000)
        abort();
}
END
cat >reference/experiment.yaml <<'END'
experiment: orders
source: k.cu
reference: {call: "reference.c:copy_ref", args: [y, x, N]}
params: {N: 1000}
buffers:
  x: {type: u32, count: N, fill: permutation}
  y: {type: u32, count: N, output: true, compare: set}
variants:
  - {name: turned, kernel: turned, grid: "ceil_div(N,128)", block: 128, args: [y, x, N]}
END
verified 'the same elements in another order are a set'
edit reference/experiment.yaml 's/compare: set/compare: sorted/'
refused 'but not in ascending order' 'the output is not in ascending order (compare: sorted)'
edit reference/experiment.yaml 's/, compare: sorted//'
refused 'nor element by element' 'wrong result'
edit reference/experiment.yaml 's/fill: permutation/fill: "sorted(0,50)"/; s/output: true/output: true, compare: set/'
verified 'sorted numbers, several of each'
edit reference/experiment.yaml 's/y\[n - 1 - i\]/y[i]/; s/compare: set/compare: sorted/'
sed -i 's/y\[n - 1 - i\]/y[i]/' reference/k.cu
verified 'are in ascending order'
edit reference/experiment.yaml 's/block: 128, args: \[y, x, N\]/block: 128, args: [y, x, N-1]/'
refused 'and are all there' 'were never written'
edit reference/experiment.yaml 's/compare: sorted/compare: any/'
refused 'an unknown way to compare is refused' "'compare' must be elements, set or sorted, not 'any'"
fresh_text() {
    sed -i 's/unsigned \*y, const unsigned \*x/unsigned char *y, const unsigned char *x/' reference/k.cu reference/reference.c
    cat >reference/experiment.yaml <<'END'
experiment: text
source: k.cu
reference: {call: "reference.c:copy_ref", args: [y, x, N]}
params: {N: 100}
buffers:
  x: {type: u8, count: N, fill: letters(ACGT)}
  y: {type: u8, count: N, output: true}
variants:
  - {name: copy, kernel: turned, grid: 1, block: 128, args: [y, x, N]}
END
}
fresh_text
verified 'letters'
edit reference/experiment.yaml 's/type: u8, count: N, fill/type: u32, count: N, fill/'
refused 'are bytes' "letters(...) fills u8 and i8; buffer 'x' is u32"
cat >reference/experiment.yaml <<'END'
experiment: csr
source: k.cu
reference: {call: "reference.c:spmv_ref", args: [y, rows, columns, values, x, N, M]}
params: {N: 300, M: 5000}
buffers:
  rows: {type: i32, count: N+1, fill: "starts(2000,1)"}
  columns: {type: i32, count: 2000, fill: "csr_columns(rows,M)"}
  values: {type: f32, count: 2000, fill: "uniform(-1,1)"}
  x: {type: f32, count: M, fill: "uniform(-1,1)"}
  y: {type: f32, count: N, output: true, tolerance: {rel: 1e-5, abs: 1e-5, ulp: 2}}
variants:
  - {name: scalar, kernel: spmv, grid: "ceil_div(N,128)", block: 128, args: [y, rows, columns, values, x, N]}
END
verified 'a sparse matrix whose buffers belong together' --check
edit reference/experiment.yaml 's/columns: \{type: i32, count: 2000/columns: {type: i32, count: 2001/'
refused 'which are as long as they say' "the rows in 'rows' have 2000 elements, buffer 'columns' has 2001"
edit reference/experiment.yaml 's/csr_columns\(rows,M\)/csr_columns(row,M)/'
refused 'rows are an earlier buffer' "unknown buffer 'row' (did you mean 'rows'?)"
finish

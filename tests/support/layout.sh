# What the tests share that hold our declarations to a CUDA toolkit's headers; sourced. $here is the test's folder, $cc the
# compiler, $work a folder of the test's own, $root the tree.
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
read -ra cc <<<"${CC:-cc}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# toolkit_with HEADER: $toolkit, and $cupti, the folder of CUPTI's headers, if one of them is HEADER. false: none is here.
toolkit_with() {
    local folder include
    toolkit=
    for folder in "${CUDA_HOME:-/usr/local/cuda}" /usr/local/cuda-*; do
        for include in "$folder/include" "$folder/extras/CUPTI/include"; do
            [[ -f $include/$1 && -f $folder/include/cuda.h ]] && toolkit=$folder cupti=$include
        done
    done
    [[ -n $toolkit ]]
}

# sides_agree NAME C-FILE FLAG...: its assertions hold. A line for the result; false: one does not.
sides_agree() {
    if "${cc[@]}" -std=gnu17 -fsyntax-only -I"$root/src" -I"$root/tests/support" -I"$cupti" -I"$toolkit/include" "${@:3}" "$2" >"$work/said" 2>&1; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        grep -E 'error' "$work/said" | head -12 | sed 's/^/# /'
        return 1
    fi
}

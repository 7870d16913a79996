#!/usr/bin/env bash
# Advice as code: of each naive kernel of naive.cu, `ridge explain` shows the patch that mends it; --apply writes it into a
# copy as a new variant; the copy runs, the variant is right and faster, and what the run recorded is judged.
#   tests/advise/patches_test.sh [NAME...]
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
. "$here/../advise/kernels.sh"
close='{rel: 1e-4, abs: 1e-5}'
need clang python3
export RIDGE_JOURNAL=$PWD/journal.db

# KERNEL PATCH N GRID BLOCK ARGS, of floats x, v (read) and y (written)
kernels() {
    cat <<'END'
turn            pad        1048576 [32,32]             [32,32] [y, x, 1024]
turn            swizzle    1048576 [32,32]             [32,32] [y, x, 1024]
activate        suffix     262144  [ceil_div(N,256)]   [256]   [y, x, N]
scale_rows      reciprocal 262144  [ceil_div(N,256)]   [256]   [y, x, 1.5, N]
attract         intrinsic  65536   [ceil_div(N,256)]   [256]   [y, x, N]
mirror          divisor    262144  [ceil_div(N,256)]   [256]   [y, x, 512, N]
sum_strided     sums       2162688 [132]               [256]   [y, x, 33792, N]
largest_strided unroll     2162688 [132]               [256]   [y, x, 33792, N]
multiply_vector restrict   1048576 [16]                [256]   [y, x, v, 256, 4096]
axpy            vector     4194304 [ceil_div(N,256)]   [256]   [y, x, 2.5, N]
iterate         block      16384   [ceil_div(N,512)]   [512]   [y, x, 2000, N]
END
}

run() { # FOLDER OPTION...
    "$RIDGE" run "$1" --device sim:h200 --compiler clang --seed 1 -q "${@:2}" >run.txt 2>&1
}

# Was the variant right, and how much faster?
judged() { # JSON VARIANT
    python3 - "$1" "$2" <<'END'
import json, sys
results = {r["variant"]: r for r in json.load(open(sys.argv[1]))["results"]}
r = results[sys.argv[2]]
ratio = r["speedup"]["ratio"] if r["speedup"] else 0
promise = [e["expected"] + " " + e["verdict"] for e in r["expectations"] if e["what"] == "time"]
print(f"{ratio:.2f}x, time {promise}")
sys.exit(not (r["verified"] and r["status"] == "ok" and ratio > 1.02 and promise))
END
}

while read -r name patch count grid block args; do
    [[ $# -eq 0 || " $* " == *" $patch "* ]] || continue
    rm -rf "$name" "$name-advice"
    experiment naive.cu "$name" "$count" "$grid" "$block" "$args" "$close"
    run "$name"
    pass "$name runs" $? run.txt
    "$RIDGE" explain "$name:naive" -v >explain.txt 2>&1
    number=$("$RIDGE" explain "$name:naive" --json 2>/dev/null | python3 -c '
import json, sys
patches = json.load(sys.stdin).get("patches", [])
print(next((p["number"] for p in patches if p["maker"] == sys.argv[1]), 0))' "$patch")
    ((number > 0))
    pass "explain shows a patch '$patch' for $name" $? explain.txt
    "$RIDGE" explain "$name:naive" --apply "$number" >apply.txt 2>&1
    pass "--apply writes it" $? apply.txt
    run "$name-advice"
    pass "the copy of $name runs" $? run.txt
    "$RIDGE" show "$name" --json >show.json
    judged show.json "naive-$patch" >judged.txt 2>&1
    pass "'$patch' is right, faster than $name, and judged by what it promised" $? judged.txt
    [[ -z ${RIDGE_SHOW-} ]] || sed "s/^/# /" judged.txt
done < <(kernels)
[[ $# -eq 0 || " $* " == *" apply "* ]] || finish

# ---- what --apply leaves alone, and what it refuses ----------------------------------------------------

rm -rf turn turn-advice
experiment naive.cu turn 1048576 '[32,32]' '[32,32]' '[y, x, 1024]' "$close"
run turn
cp -r turn before
apply() { # STATUS MESSAGE OPTION...: `explain turn:naive` ends so
    local status=$1 message=$2
    shift 2
    "$RIDGE" explain turn:naive "$@" >apply.txt 2>&1
    (($? == status)) && grep -q -e "$message" apply.txt
    pass "$message" $? apply.txt
}
apply 0 "variant 'naive-pad', source naive-pad.cu" --apply 1
apply 0 "variant 'naive-pad-2', source naive-pad-2.cu" --apply 1
apply 0 '"variant": "naive-swizzle"' --apply 2 --json
apply 2 'there is no patch 3: .* lists 1 to 2' --apply 3
apply 2 'is no copy that --apply made' --apply 1 --output turn
mkdir taken
apply 2 'is there, and no copy of an experiment' --apply 1 --output taken
diff -r before turn >diff.txt
pass "the experiment's own files stay as they are" $? diff.txt
"$RIDGE" verify turn-advice --device sim:h200 --compiler clang -q >run.txt 2>&1
pass 'a copy with three patches is right' $? run.txt
(cd turn && "$RIDGE" run . --device sim:h200 --compiler clang --seed 1 -q && "$RIDGE" explain turn:naive --apply 1) >run.txt 2>&1
[[ -f turn/turn-advice/naive-pad.cu && ! -e turn/turn-advice/turn-advice ]]
pass 'a copy within the folder is not copied into itself' $? run.txt
mkdir elsewhere
(cd elsewhere && "$RIDGE" explain turn:naive --apply 1 && "$RIDGE" annotate turn:naive) >run.txt 2>&1
[[ -f elsewhere/turn-advice/naive-pad.cu ]] && grep -q 'x\[' run.txt
pass 'a patch is written into another folder than the one of the run' $? run.txt
(cd elsewhere && "$RIDGE" verify turn-advice --device sim:h200 --compiler clang -q) >run.txt 2>&1
pass 'that copy is right' $? run.txt
rm -r turn/turn-advice elsewhere
run turn
echo '// edited' >>turn/kernels.cu
apply 2 'run the experiment again, then apply its advice' --apply 1
finish

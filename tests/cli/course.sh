# Of course_test.sh and course_more_test.sh, which hold half of the course each.
# SPDX-License-Identifier: Apache-2.0
need cc
need clang
experiments=$here/../../experiments
[ -d "$experiments" ] || experiments=$RIDGE_DATA_DIR/experiments

# course NAME VARIANTS PARAMS...: so many results are verified, none is wrong, the others are skipped.
course() {
    local name=$1 count=$2 params=() p
    shift 2
    for p; do params+=(--param "$p"); done
    "$RIDGE" verify "$experiments/$name" --device sim:h200 --check --seed 7 -q --plain \
        "${params[@]}" >course.txt 2>&1
    local status=$? verified
    verified=$(grep -c ' verified' course.txt)
    [ $status = 0 ] && [ "$verified" = "$count" ]
    pass "$name ($*): $count verified" $? course.txt
}

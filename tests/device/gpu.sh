# What the tests on a real GPU share, beside support.sh: sourced first. $work holds their journal.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
export RIDGE_HOME=$work/home RIDGE_CACHE=${RIDGE_CACHE:-$work/cache}

need_gpu() { # WHAT: skips it where there is no GPU
    if ! "$RIDGE" devices | grep -q '^ *cuda:0 '; then
        echo "skip - $1: $("$RIDGE" devices | sed -n 's/.*missing *CUDA driver[^:]*: //p')"
        exit 0
    fi
}

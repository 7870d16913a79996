# What the tests on a real GPU share: sourced first. $work is a folder of the test's own, which ends with it, and holds its
# journal.
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
RIDGE=${RIDGE:-$here/../../build/ridge}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RIDGE_HOME=$work/home RIDGE_CACHE=${RIDGE_CACHE:-$work/cache}

need_gpu() { # WHAT: skips it where there is no GPU
    if ! "$RIDGE" devices | grep -q '^ *cuda:0 '; then
        echo "skip - $1: $("$RIDGE" devices | sed -n 's/.*missing *CUDA driver[^:]*: //p')"
        exit 0
    fi
}

# What the scripts of tests/capture share; sourced: a program, and the driver and CUPTI that are fakes, in $work.
#   capture OPTION…    ridge capture, to $work/out, $work/err and $work/status
#   check NAME PATTERN FILE
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
RIDGE=${RIDGE:-$root/build/ridge}
read -ra cc <<<"${CC:-cc}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RIDGE_HOME=$work/home RIDGE_CACHE=$work/cache LC_ALL=C.UTF-8 COLUMNS=120 NO_COLOR=1
recorder=$(dirname "$RIDGE")/libridge-capture.so
export RIDGE_CAPTURE_CUPTI=$work/libcupti.so.13 # not that of a toolkit

if nm "$recorder" 2>/dev/null | grep -E '__(asan|tsan)_init' >"$work/sanitized"; then
    echo 'skip - a recorder with a sanitizer cannot be loaded into a program without'
    exit 0
fi
build() { # name, source, flags
    "${cc[@]}" -std=gnu17 -pthread -fPIC -I"$root/src" -o "$work/$1" "$here/$2" "${@:3}"
}
build libcuda.so.1 fake_gpu.c -shared && build libcupti.so.13 fake_gpu.c -shared -DFAKE_CUPTI &&
    build program program.c || {
    echo 'not ok - the fakes compile'
    exit 1
}
failures=0
check() { # name, pattern, file
    if grep -Eq -- "$2" "$3"; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        head -40 "$3" | sed 's/^/# /'
        failures=1
    fi
}
# The fakes are found by the program, not by ridge itself.
capture() { # options …, -- program's arguments; the exit status goes to $work/status
    LD_LIBRARY_PATH=$work "$RIDGE" capture "$@" >"$work/out" 2>"$work/err"
    echo "status $?" >"$work/status"
}

# What the tests of devices share: sourced first. $RIDGE is the program, $here this folder, $cc the compiler, and $work a
# folder of the test's own, which ends with it.
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
RIDGE=${RIDGE:-$here/../../build/ridge}
read -ra cc <<<"${CC:-cc}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() { # output, flags
    "${cc[@]}" -std=gnu17 -O2 -fPIC -I"$here/../../src" -o "$work/$1" "${@:2}"
}
# driver/libcuda.so.1, the fake driver. false: it does not compile.
fake_driver() {
    mkdir "$work/driver" && build fake.o -c "$here/fake_driver.c" && build rest.o -c -DFAKE_REST "$here/fake_driver.c" &&
        build driver/libcuda.so.1 -shared "$work/fake.o" "$work/rest.o"
}
check() { # name, words that must appear in the file
    if grep -Eq -- "$2" "$3"; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        head -60 "$3" | sed 's/^/# /'
    fi
}
lacks() { # name, words that must not appear in the file
    if grep -Eq -- "$2" "$3"; then
        echo "not ok - $1"
        grep -E -- "$2" "$3" | head -5 | sed 's/^/# /'
    else
        echo "ok - $1"
    fi
}

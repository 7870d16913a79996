#!/usr/bin/env bash
# A machine or a C library that ridge does not run on gets one clear sentence, from the header and from make.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need cc make
mkdir other # a C library that is not glibc says nothing of it
: >other/limits.h

# refused NAME SENTENCE FLAG...: by the header.
refused() {
    cc -fsyntax-only "${@:3}" -x c "$root/src/base/platform.h" >out.txt 2>&1
    local status=$?
    ((status != 0)) && (($(grep -c 'error:' out.txt) == 1)) && grep -qF "$2" out.txt
    pass "$1" $? out.txt
}
cc -fsyntax-only -x c "$root/src/base/platform.h" >out.txt 2>&1
pass 'this machine will do' $? out.txt
refused 'a big-endian machine is refused in one sentence' \
    'ridge needs a little-endian machine: GPUs are, and buffers go there as they are.' \
    -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__
refused 'a 32-bit machine is' 'ridge needs a 64-bit machine: addresses of GPUs have 64 bits.' -D__SIZEOF_POINTER__=4
glibc='ridge needs Linux with glibc, whose dlopen and /proc it stands on.'
refused 'a C library that is not glibc is' "$glibc" -nostdinc -isystem other
refused 'a system that is not Linux is' "$glibc" -U__linux__
if command -v musl-gcc >/dev/null; then
    ! musl-gcc -fsyntax-only -x c "$root/src/base/platform.h" >out.txt 2>&1 && grep -qF "$glibc" out.txt
    pass 'musl is' $? out.txt
fi
if command -v clang >/dev/null && clang --target=s390x-linux-gnu -ffreestanding -E -x c /dev/null >/dev/null 2>&1; then
    ! clang --target=s390x-linux-gnu -nostdinc -isystem other -D__GLIBC__=2 -fsyntax-only -x c \
        "$root/src/base/platform.h" >out.txt 2>&1 && grep -qF 'a little-endian machine' out.txt
    pass 'a compiler for s390x is' $? out.txt
fi

env -u MAKEFLAGS -u MAKELEVEL make -s -C "$root" BUILD="$work/build" CPPFLAGS=-D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__ all >out.txt 2>&1
status=$?
((status != 0)) && (($(grep -vc '^make' out.txt) == 1)) && grep -q '^ridge needs a little-endian machine' out.txt
pass 'make says that sentence and nothing else, before it compiles anything' $? out.txt
finish

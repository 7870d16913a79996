#!/usr/bin/env bash
# PTX of our own small kernels as Rust compiles them: make_rust.sh FOLDER. Writes rust_kernels.ptx.
# Needs rustc and the source of its own core library (RUST_SRC: its library/ folder; Debian 12: rustc and rust-src 1.63);
# RUSTC names the compiler. The file under tests/cli/foreign comes from here: rustc 1.63.0, LLVM 14.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
into=$(cd "$1" && pwd)
RUSTC=${RUSTC:-rustc}
RUST_SRC=${RUST_SRC:-$("$RUSTC" --print sysroot)/lib/rustlib/src/rust/library}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RUSTC_BOOTSTRAP=1 # core needs features that are not stable
flags=(--target nvptx64-nvidia-cuda -C target-cpu=sm_70 -C opt-level=3 -C panic=abort --crate-type rlib --cap-lints allow)
(cd "$RUST_SRC/core" && "$RUSTC" "${flags[@]}" --edition 2021 --crate-name core -o "$work/libcore.rlib" src/lib.rs)
cat >"$work/compiler_builtins.rs" <<'RS'
#![no_std]
#![feature(compiler_builtins)]
#![compiler_builtins]
RS
"$RUSTC" "${flags[@]}" --edition 2021 --crate-name compiler_builtins --extern core="$work/libcore.rlib" \
    -o "$work/libcompiler_builtins.rlib" "$work/compiler_builtins.rs"
(cd "$here" && "$RUSTC" "${flags[@]}" --edition 2021 --crate-name kernels --emit asm -C codegen-units=1 -L "$work" \
    -o "$work/kernels.ptx" kernels.rs)
"${PYTHON:-python3}" - "$here" "$work/kernels.ptx" "$into/rust_kernels.ptx" "$("$RUSTC" --version)" <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
import ptx
ptx.write(sys.argv[3], f"{sys.argv[4]}: bench/foreign/make_rust.sh, kernels.rs", open(sys.argv[2]).read())
PY

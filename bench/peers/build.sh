#!/usr/bin/env bash
# Builds the plug-ins of this folder with nvcc, where `ridge run` looks for them.
# Usage: bench/peers/build.sh [FOLDER]     default: build/share/ridge/peers
# NVCC (nvcc, else /usr/local/cuda/bin/nvcc) and ARCH (native, where there is a GPU; else sm_80, sm_90
# and PTX for later ones) may be set.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
to=${1:-$root/build/share/ridge/peers}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$(command -v "$nvcc")" ] || {
    echo "build.sh: nvcc is not here: it comes with the CUDA toolkit; NVCC=path names it" >&2
    exit 1
}
if [ "${ARCH:-}" ]; then
    archs=(-arch="$ARCH")
elif nvidia-smi -L 2>/dev/null | grep -q GPU; then
    archs=(-arch=native)
else
    archs=(-gencode "arch=compute_80,code=sm_80"
        -gencode "arch=compute_90,code=[sm_90,compute_90]")
fi
needs() { # what the plug-in is linked with: its first word, where that is a library of the toolkit
    case $(basename "$1") in
        cusparse_*) echo -lcusparse ;;
        cublaslt_*) echo -lcublasLt ;;
        cublas_*) echo -lcublas ;;
    esac
}
mkdir -p "$to"
for source in "$here"/*.cu; do
    library=$to/$(basename "$source" .cu).so
    if [ "$library" -nt "$source" ] && [ "$library" -nt "$here/cub.h" ] &&
        [ "$library" -nt "$root/include/ridge_peer.h" ]; then
        continue
    fi
    echo "nvcc $(basename "$source")"
    "$nvcc" -std=c++17 -O2 "${archs[@]}" -I"$root/include" -I"$here" --shared \
        -Xcompiler -fPIC,-fvisibility=default -o "$library.part" "$source" $(needs "$source") || {
        echo "$(basename "$source") is not built: its library is not here" >&2
        continue
    }
    mv "$library.part" "$library"
done
echo "plug-ins are in $to"

#!/usr/bin/env bash
# Builds ridge (where the libraries are; else takes the one named), runs the device tests and the
# transpose on the first real GPU, prints all. Usage: bench/device/cuda.sh [ridge] [N list]
# SPDX-License-Identifier: Apache-2.0
set -u
cd "$(dirname "$0")/../.." || exit 1
ridge=${1:-build/ridge}
sizes=${2:-1024,2048,8192,16384}
if [ $# = 0 ]; then
    make -j"$(nproc)" || exit 1
fi
export RIDGE=$ridge RIDGE_DATA_DIR=${RIDGE_DATA_DIR:-$PWD}
nvidia-smi --query-gpu=name,driver_version,clocks.sm,power.draw,temperature.gpu --format=csv,noheader
"$ridge" devices
tests/device/cuda_test.sh
for cache in cold warm; do
    time "$ridge" run experiments/transpose --device cuda:0 --no-journal --cache $cache -p "N=$sizes"
done

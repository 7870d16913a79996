#!/usr/bin/env bash
# What watching regions costs a program (docs/api.md, "Regions in production"): run.sh [DEVICE], on sim:h200 the cost of a
# pass that is not timed, on cuda:0 also that of a stream of kernels.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
make -s "${BUILD:-build}/bench/api/watch"
"${BUILD:-build}/bench/api/watch" "${1:-sim:h200}"

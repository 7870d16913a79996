#!/usr/bin/env bash
# Random kernels in C give on simulated GPUs of both vendors what the host's compiler makes of them: bench/differential/vendors.sh.
# Seed 5 has a division whose quotient and whose denominator's reciprocal are denormal.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v clang >/dev/null || { echo 'no clang'; exit 77; }
status=0
while read -r line; do
    case $line in
    *'as the host has them') echo "ok - ${line// /_}" ;;
    *differs) echo "not ok - ${line// /_}"; status=1 ;;
    *) echo "# $line" ;;
    esac
done < <("$root/bench/differential/vendors.sh" 5 1 10 2>&1)
exit "$status"

#!/usr/bin/env bash
# ridge explain --if and --on: another launch shape, another chip.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang
stage scale
"$RIDGE" run scale --param N=4096 -q >/dev/null
"$RIDGE" explain scale:plain --if registers=64,block=256 >out.txt
grep -q 'occupancy then .* limited by registers' out.txt
pass 'registers lower the occupancy' $? out.txt
"$RIDGE" explain scale:plain --if registers=16 | sed -nE 's/.*occupancy then ([0-9.]+) %.*/\1/p' >out.txt
"$RIDGE" explain scale --on rtx4090 --json | grep -c expected_time_ns >count.txt
diff count.txt <(echo 2) >diff.txt
pass 'every timed variant is modelled on another chip' $? diff.txt
mkdir -p "$RIDGE_HOME/roofs"
cat >"$RIDGE_HOME/roofs/a100.yaml" <<'END'
device: "NVIDIA A100-SXM4-80GB"
driver: "CUDA 13.0"
date: 2026-11-21T03:10:00Z
dram_copy_gbps: 1700
END
"$RIDGE" explain scale:plain --on a100 >out.txt
grep -q 'rate from: measured by ridge probe, 2026-11-21' out.txt
pass 'roofs measured here stand for the chip, and say so' $? out.txt
"$RIDGE" explain scale:plain --on a100 --json | found '"rate_source": "measured by ridge probe, 2026-11-21"'
pass 'in JSON too' $?
"$RIDGE" explain scale:plain --on mi300x >out.txt
grep -qE 'occupancy then .* work-groups, .* waves a CU, limited by waves' out.txt
pass "AMD's chip in its words" $? out.txt
expect 'a shape that does not fit' 2 explain scale:plain --if block=1024,registers=255 <<'END'
ridge: 1024 threads with 255 registers and 0 shared bytes do not fit on an SM of NVIDIA H200: registers
  variant 'plain', N=4096
END
expect 'an unknown name' 2 explain scale:plain --if regs=3 <<'END'
ridge: option --if: there is no 'regs'; it takes registers, block and shared
END
expect 'no number' 2 explain scale:plain --if block <<'END'
ridge: option --if: 'block' is not NAME=NUMBER, as registers=64
END
expect 'an unknown chip' 2 explain scale:plain --on a10 <<'END'
ridge: unknown chip 'a10' (did you mean 'a100'?); known: a100, h100, h200, mi250x, mi300x, rtx4090, rx7900xtx, v100
END
finish

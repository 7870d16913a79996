#!/usr/bin/env bash
# What an instruction takes is said in one place: no file of the simulator but model/cost.c reads the chip's latencies
# and the rates of an SM's units; an intervention (model/whatif_work.c) changes them in a copy of the chip and asks
# the same module. (That the values agree: tests/sim/clock_test.c.)
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
figures='latency_[a-z0-9]+_cycles|[a-z0-9]+_lanes_per_cycle|(lsu|op|shared|block|barrier)_[a-z0-9_]*cycles|l1_[a-z_]*per_cycle|sm_port_[a-z_]+'
others=$(grep -rlE "GPU(_FIELD_|\([^,]*, ?)($figures)" src/sim --include='*.c' --include='*.h' | grep -vE '^src/sim/model/(cost|whatif_work)\.c$')
if [[ -n $others ]]; then
    echo "not ok - one module says what an instruction takes; so do:" $others
    exit 1
fi
grep -qE "GPU\(g, latency_alu_cycles\)" src/sim/model/cost.c || { echo 'not ok - the pattern finds nothing'; exit 1; }
echo 'ok - one module says what an instruction takes'

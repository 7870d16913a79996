#!/usr/bin/env bash
# An agent's measured calls on a real GPU, by the plain client of examples/agent. Skips where there is none.
# run-alone: it measures.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/gpu.sh"
need_gpu agent
python3 "$here/agent_test.py" "$RIDGE" cuda:0 "$work/journal.sqlite" "$here/../../examples/agent"

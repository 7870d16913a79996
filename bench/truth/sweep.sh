#!/usr/bin/env bash
# Working sets around L1 and L2, simulated beside measured: runs bench/truth/sweep_l1 and sweep_l2 on the
# simulated H200 and on the first real GPU, into one journal, and prints the table (docs/sweep-h200.md).
# Usage: bench/truth/sweep.sh [RIDGE] [JOURNAL]; `half=sim`, `half=cuda` or `half=table` does one part only.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
ridge=${1:-build/ridge}
journal=${2:-build/sweep.sqlite}
for device in sim:h200 cuda:0; do
    [[ -z ${half-} || $device == "$half"* ]] || continue
    for level in l1 l2; do
        "$ridge" run "bench/truth/sweep_$level" --device "$device" --journal "$journal" --time-limit 0.3 -q >/dev/null
    done
done
[[ -z ${half-} || $half == table ]] || exit 0

cat <<TEXT
# Working sets around the caches: simulated beside an H200

Made by bench/truth/sweep.sh on $(date -u +%Y-%m-%d). Each cell: simulated / measured (CUPTI; times the median of
samples, caches cold). Sectors in units of 10,000; bytes in MiB. \`passes\`, \`read\`, \`copy\` and \`update\` go over
the working set four times; \`gather\` reads words from places that look like chance (bench/truth/sweep.cu).

| working set | kernel | L1 hit sectors | L2 read sectors | L2 hit sectors | DRAM read | DRAM written | time us | error of the time |
|---|---|---:|---:|---:|---:|---:|---:|---:|
TEXT
newest='SELECT max(r.id) FROM results r JOIN runs ON r.run = runs.id GROUP BY runs.experiment, r.variant, r.case_label, substr(runs.device, 1, 3)'
value() { echo "(SELECT value FROM counters WHERE result = $1.id AND name = '$2')"; }
pair() { echo "printf('%.1f / %.1f', coalesce($(value s "$1"), 0) / $2, coalesce($(value m "$1"), 0) / $2)"; }
sqlite3 -separator ' | ' "$journal" "
    SELECT '| ' || s.case_label, s.variant, $(pair l1_load_sectors_hit 1e4), $(pair l2_read_sectors 1e4),
           $(pair l2_sectors_hit 1e4), $(pair dram_read_bytes 1048576.0), $(pair dram_write_bytes 1048576.0),
           printf('%.1f / %.1f', s.time_ns / 1000, m.time_ns / 1000), printf('%+.0f %% |', 100 * (s.time_ns / m.time_ns - 1))
    FROM results s JOIN runs a ON s.run = a.id JOIN results m ON m.variant = s.variant AND m.case_label = s.case_label
         JOIN runs b ON m.run = b.id AND b.experiment = a.experiment
    WHERE a.device LIKE 'sim%' AND b.device LIKE 'cuda%' AND s.id IN ($newest) AND m.id IN ($newest)
    ORDER BY a.experiment, s.variant, s.id"

#!/usr/bin/env bash
# Simulated against measured, as Markdown: bench/truth/table.sh JOURNAL
# The journal holds runs of the same experiments on sim:<chip> and on cuda:<n>; the newest result of
# each variant and case on either side is taken.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
export LC_ALL=C
journal=$1
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

ask() { sqlite3 -separator '|' "$journal" "$1"; }
newest='SELECT max(r.id) AS id, runs.experiment AS e, r.variant AS v, r.case_label AS c, substr(runs.device, 1, 3) AS d
        FROM results r JOIN runs ON r.run = runs.id WHERE r.status = "ok" GROUP BY e, v, c, d'
pairs="WITH n AS ($newest) SELECT s.id AS sim, m.id AS real, s.e AS e, s.v AS v, s.c AS c
       FROM n s JOIN n m ON s.e = m.e AND s.v = m.v AND s.c = m.c WHERE s.d = 'sim' AND m.d = 'cud'"
measured_on=$(ask "SELECT substr(max(started), 1, 10) FROM runs WHERE device LIKE 'cuda%'")

ask "SELECT p.e, p.v, p.c, m.time_ns, s.time_ns FROM ($pairs) p JOIN results s ON s.id = p.sim
     JOIN results m ON m.id = p.real ORDER BY p.e, p.c, p.real" |
    awk -F'|' '{ printf "| %s | %s | %s | %.2f | %.2f | %+.0f %% |\n", $1, $2, $3, $4/1000, $5/1000, 100*($5/$4-1) }' >"$rows"
cat <<TEXT
# Shipped kernels: the simulated GPU against an H200

Made by bench/truth/run.sh; measured on $measured_on. Times: modelled against the median of measured samples, caches cold.
Counters: simulated against CUPTI's. All of these are tuning kernels ([bench/truth/README.md](../bench/truth/README.md)):
constants of the model were chosen with them in sight. What judges the model is [truth-h200.md](truth-h200.md).

## Times

TEXT
awk -F'|' '{ e = $7; gsub(/[ %+]/, "", e); e += 0; gsub(/^ +| +$/, "", $2); gsub(/ +$/, "", $3); gsub(/^ +/, "", $3); gsub(/ +$/, "", $7); print e < 0 ? -e : e, $2 ":" $3 $4 "at" $7 }' "$rows" | sort -n |
    awk '{ e[NR] = $1; line[NR] = $0 } END { sub(/^[0-9]+ +/, "", line[NR]); gsub(/ +/, " ", line[NR])
        printf "Over %d rows: median error %d %%, 90th percentile %d %%, worst%s.\n\n", NR, e[int((NR + 1) / 2)], e[int(0.9 * NR + 0.5)], " " line[NR] }'
cat <<TEXT
| experiment | variant | case | measured us | modelled us | error |
|---|---|---|---:|---:|---:|
$(cat "$rows")

## Counters

Each counter over all variants and cases above: how many are equal, and the largest error of the others.

| counter | compared | equal | largest error | where |
|---|---:|---:|---:|---|
TEXT
ask "SELECT s.name, p.e || ':' || p.v || ' ' || p.c, s.value, m.value FROM ($pairs) p JOIN counters s ON s.result = p.sim
     JOIN counters m ON m.result = p.real AND m.name = s.name
     WHERE s.provenance = 'simulated' AND m.provenance = 'measured' ORDER BY s.name" |
    awk -F'|' '
        function close_row() { if (name != "") printf "| %s | %d | %d | %s | %s |\n", name, n, equal, (worst > 0 ? sprintf("%.1f %%", worst) : "-"), place }
        $1 != name { close_row(); name = $1; n = equal = 0; worst = 0; place = "" }
        { n++; if ($3 == $4) equal++; else { e = $4 ? 100 * ($3 / $4 - 1) : 100; e = e < 0 ? -e : e; if (e > worst) { worst = e; place = $2 } } }
        END { close_row() }'
cat <<'TEXT'

Warp and thread instructions are machine code's on both sides, reckoned from PTX on the simulated one; integer operations and
branches are PTX's there; ptxas moves constants
by half-precision instructions (`flops_f16`) and turns short branches into guards: a shared access whose lanes are all
switched off is a request on hardware, not a wavefront. Wavefronts on hardware hold arbitration between accesses; `l1_wavefronts` holds reads of thread numbers too. `l2_sectors_hit` counts some
lookups of the flush between launches. DRAM writes depend on what the L2 evicts after the kernel.
TEXT

#!/usr/bin/env bash
# Simulated against measured, as Markdown: bench/truth/table.sh JOURNAL
# The journal holds runs of the same experiments on sim:<chip> and on cuda:<n>; the newest result of
# each variant and case on either side is taken. Kernels whose names are in bench/truth/kept-back are
# those that nothing was tuned on; they are summed up apart.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
export LC_ALL=C
journal=$1
here=$(dirname "$0")

ask() { sqlite3 -separator '|' "$journal" "$1"; }
newest='SELECT max(r.id) AS id, runs.experiment AS e, r.variant AS v, r.case_label AS c, substr(runs.device, 1, 3) AS d
        FROM results r JOIN runs ON r.run = runs.id WHERE r.status = "ok" GROUP BY e, v, c, d'
pairs="WITH n AS ($newest) SELECT s.id AS sim, m.id AS real, s.e AS e, s.v AS v, s.c AS c
       FROM n s JOIN n m ON s.e = m.e AND s.v = m.v AND s.c = m.c WHERE s.d = 'sim' AND m.d = 'cud'"
kept_back() { grep -qxF "$1:$2" "$here/kept-back" && echo yes || echo no; }

cat <<TEXT
# The simulated GPU against an H200

Made by bench/truth/run.sh on $(date -u +%Y-%m-%d). Times: modelled against the median of measured samples, caches cold.
Counters: simulated against CUPTI's. "Kept back": nothing was tuned on that kernel.

## Times

| experiment | variant | case | measured us | modelled us | error | kept back |
|---|---|---|---:|---:|---:|---|
TEXT
ask "SELECT p.e, p.v, p.c, m.time_ns, s.time_ns FROM ($pairs) p JOIN results s ON s.id = p.sim
     JOIN results m ON m.id = p.real ORDER BY p.e, p.c, p.real" |
    while IFS='|' read -r e v c real sim; do
        awk -v e="$e" -v v="$v" -v c="$c" -v r="$real" -v s="$sim" -v k="$(kept_back "$e" "$v")" 'BEGIN {
            printf "| %s | %s | %s | %.2f | %.2f | %+.0f %% | %s |\n", e, v, c, r/1000, s/1000, 100*(s/r-1), k }'
    done | tee /tmp/ridge-truth.$$
median() {
    awk -F'|' -v want="$1" '$8 ~ want { e = $7; gsub(/[ %+]/, "", e); e += 0; print e < 0 ? -e : e }' /tmp/ridge-truth.$$ |
        sort -n | awk '{ v[NR] = $1 } END { if (NR) printf "%d %% over %d", (v[int((NR+1)/2)] + v[int(NR/2)+1]) / 2, NR; else print "none" }'
}
printf '\nMedian error of the times: %s; of those kept back: %s.\n' "$(median '(yes|no)')" "$(median yes)"
rm -f /tmp/ridge-truth.$$

cat <<TEXT

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

Instructions (warp, thread, integer, branches) are PTX on one side and machine code on the other; ptxas moves constants
by half-precision instructions (`flops_f16`) and turns short branches into guards: a shared access whose lanes are all
switched off is a request on hardware, not a wavefront. Wavefronts on hardware hold arbitration between accesses; `l1_wavefronts` holds reads of thread numbers too. `l2_sectors_hit` counts some
lookups of the flush between launches. DRAM writes depend on what the L2 evicts after the kernel.
TEXT

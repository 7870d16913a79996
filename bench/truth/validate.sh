#!/usr/bin/env bash
# The model of time against what an H200 took: runs the validation and the tuning kernels on the simulated
# H200 and prints docs/truth-h200.md. bench/truth/validate.sh [RIDGE] [CSV-OF-MODELLED-TIMES]
# The measured side is committed (validation-h200.csv, tuning-h200.csv); with a second argument the
# modelled times are written there as well: "experiment,variant,case,time_ns,warp_instructions,
# shared_load_requests,l2_read_sectors". `rows=small` runs the smaller case of each validation kernel only.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
export RIDGE_PTXAS=none # registers are estimated, as on a machine without a toolkit: the same everywhere
ridge=${1:-build/ridge}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
modelled=${2:-$scratch/modelled.csv}
journal=$scratch/truth.sqlite
simulate() {
    "$ridge" run "bench/truth/$1" --device sim:h200 --journal "$journal" --seed 1 -q "${@:2}" >/dev/null ||
        [[ $1 == validation/sparse ]] # one kernel of it, compact-odd, writes out of bounds
}
simulate validation/math ${rows:+-p n=65536}
simulate validation/rows ${rows:+-p rows=512}
simulate validation/sort ${rows:+-p n=262144}
simulate validation/sparse ${rows:+-p n=131072}
simulate validation/image ${rows:+-p n=512}
simulate validation/grid ${rows:+-p n=512}
simulate validation/dense ${rows:+-p n=256}
if [[ -z ${rows-} ]]; then
    simulate tuning/atomics
    simulate tuning/launch
fi
counter="(SELECT printf('%d', value) FROM counters WHERE result = r.id AND name ="
sqlite3 -separator , "$journal" "SELECT runs.experiment, r.variant, r.case_label, printf('%.1f', r.time_ns),
    $counter 'warp_instructions'), $counter 'shared_load_requests'), $counter 'l2_read_sectors')
    FROM results r JOIN runs ON r.run = runs.id WHERE r.time_ns > 0 ORDER BY 1, 2, 3" >"$modelled"
[[ -z ${rows-} ]] || exit 0

pairs() { # experiment,variant,case,measured,modelled,error in percent; then the counters, measured and modelled
    awk -F, 'FNR == NR { if ($0 !~ /^#/) { key = $1 "," $2 "," $3; t[key] = $4; c[key] = $5 "," $6 "," $7 } next }
        ($1 "," $2 "," $3) in t { key = $1 "," $2 "," $3
            printf "%s,%s,%s,%.1f,%s,%s,%s,%s\n", key, t[key], $4, 100 * ($4 / t[key] - 1), c[key], $5, $6, $7 }' "$1" "$modelled"
}
summary() { # name, pairs on standard input
    awk -F, -v name="$1" '{ e[NR] = $6; a[NR] = $6 < 0 ? -$6 : $6; if (a[NR] > worst) { worst = a[NR]; place = $1 ":" $2 " " $3; sign = $6 }
              within += a[NR] <= 20 }
        END { n = NR; for (i = 2; i <= n; i++) { x = a[i]; y = e[i]
                  for (j = i - 1; j > 0 && a[j] > x; j--) a[j + 1] = a[j]; a[j + 1] = x
                  for (j = i - 1; j > 0 && e[j] > y; j--) e[j + 1] = e[j]; e[j + 1] = y }
              printf "| %s | %d | %.1f %% | %.1f %% | %+.0f %% (%s) | %+.1f %% | %.0f %% |\n", name, n, a[int((n + 1) / 2)],
                  a[int(0.9 * n + 0.5)], sign, place, e[int((n + 1) / 2)], 100 * within / n }'
}
pairs bench/truth/validation-h200.csv >"$scratch/validation"
pairs bench/truth/tuning-h200.csv >"$scratch/tuning"
cat <<TEXT
# The simulated GPU against an H200

Made by bench/truth/validate.sh from measured rows (bench/truth/validation-h200.csv, tuning-h200.csv: an H200, driver
580.159, CUDA 13.0, caches cold, median of the samples) and modelled times of the same PTX and seed, registers
estimated as where no toolkit is. Validation kernels were listed before the model was changed for the first time after them, and no constant is chosen by them
([bench/truth/README.md](../bench/truth/README.md)). Bias is the median of the signed errors.

| set | rows | median error | 90th percentile | worst | bias | within 20 % |
|---|---:|---:|---:|---|---:|---:|
$(summary validation <"$scratch/validation")
$(summary tuning <"$scratch/tuning")

## Counters of the validation kernels

Simulated counters are PTX's; ptxas folds, merges and expands. Ratios are simulated over measured.

| counter | rows | within 5 % | within 10 % | median ratio |
|---|---:|---:|---:|---:|
TEXT
column=7
for name in warp_instructions shared_load_requests l2_read_sectors; do
    awk -F, -v m=$column -v name=$name '$m != "" && $m > 0 { r = $(m + 3) / $m; v[++n] = r; five += r >= 0.95 && r <= 1.05; ten += r >= 0.9 && r <= 1.1 }
        END { for (i = 2; i <= n; i++) { x = v[i]; for (j = i - 1; j > 0 && v[j] > x; j--) v[j + 1] = v[j]; v[j + 1] = x }
              printf "| %s | %d | %d | %d | %.2f |\n", name, n, five, ten, v[int((n + 1) / 2)] }' "$scratch/validation"
    column=$((column + 1))
done
for set in validation tuning; do
    printf '\n## Times: %s\n\n| experiment | variant | case | measured us | modelled us | error |\n|---|---|---|---:|---:|---:|\n' $set
    awk -F, '{ printf "| %s | %s | %s | %.2f | %.2f | %+.0f %% |\n", $1, $2, $3, $4 / 1000, $5 / 1000, $6 }' "$scratch/$set"
done

#!/usr/bin/env bash
# The SM clock at which a variant takes the least energy, found by a sweep: clocks.sh EXPERIMENT VARIANT [GPU [STEPS]].
# Each of STEPS (8) of the GPU's clocks is locked by nvidia-smi, the variant verified and measured there, and the clocks are
# given back at the end, also after Ctrl-C. That needs the right to set clocks (root, or `nvidia-smi -acp` of old); without it
# nothing is changed and that is said, with exit status 3. Nobody else should use the GPU meanwhile.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
(($# >= 2)) || { echo 'clocks.sh EXPERIMENT VARIANT [GPU [STEPS]]' >&2; exit 2; }
experiment=$1 variant=$2 gpu=${3:-0} steps=${4:-8}
ridge=${RIDGE:-ridge}
work=$(mktemp -d)
locked=
leave() {
    [[ -n $locked ]] && nvidia-smi -i "$gpu" -rgc >/dev/null
    rm -rf "$work"
}
trap leave EXIT
trap 'exit 130' INT TERM

mapfile -t clocks < <(nvidia-smi -i "$gpu" --query-supported-clocks=graphics --format=csv,noheader,nounits | sort -nu |
    awk -v n="$steps" '{c[NR] = $1} END {for (i = 0; i < n && NR; i++) print c[1 + int(i * (NR - 1) / (n > 1 ? n - 1 : 1))]}' | uniq)
((${#clocks[@]})) || { echo "nvidia-smi names no clocks of GPU $gpu" >&2; exit 3; }
for clock in "${clocks[@]}"; do
    if ! nvidia-smi -i "$gpu" -lgc "$clock,$clock" >"$work/said" 2>&1; then
        echo "clocks of GPU $gpu cannot be set, so nothing was swept: $(head -n 1 "$work/said")" >&2
        exit 3
    fi
    locked=1
    "$ridge" run "$experiment" --variant "$variant" --device "cuda:$gpu" --objective energy --no-journal -q --json >"$work/$clock.json"
done
nvidia-smi -i "$gpu" -rgc >/dev/null
locked=
python3 - "$work" "$variant" "${clocks[@]}" <<'END'
import json, sys
rows = []
for clock in sys.argv[3:]:
    results = [r for r in json.load(open(f"{sys.argv[1]}/{clock}.json"))["results"] if r["variant"] == sys.argv[2]]
    time = results[-1]["time_ns"]["median"] if results and results[-1]["verified"] else None
    energy = (results[-1].get("conditions") or {}).get("energy_mj") if results else None
    if time and energy:
        rows.append((int(clock), time, energy, results[-1]["conditions"].get("sm_mhz")))
    else:
        print(f"{clock} MHz: " + ("no energy was measured" if time else "no right result"), file=sys.stderr)
if not rows:
    sys.exit("nothing to choose from")
print(f"{'locked':>8} {'ran at':>8} {'time':>12} {'energy':>12} {'energy x time':>14}   (measured)")
for clock, time, energy, ran in rows:
    print(f"{clock:>4} MHz {ran or 0:>4.0f} MHz {time / 1e3:>9.2f} us {energy:>9.4f} mJ {energy * time / 1e3:>11.4g}")
top = max(rows)
for what, key in (("energy", lambda r: r[2]), ("energy x time", lambda r: r[1] * r[2])):
    best = min(rows, key=key)
    print(f"Least {what}: {best[0]} MHz, {100 * (best[2] / top[2] - 1):+.1f} % energy and {100 * (best[1] / top[1] - 1):+.1f} % time "
          f"of {top[0]} MHz")
END

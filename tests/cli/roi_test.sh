#!/usr/bin/env bash
# ridge roi: figures with their origin, from measured and from modelled runs, as text, Markdown and JSON; the ranking of
# a suite; what is not known is asked for, not assumed.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need python3 sqlite3

# Measured: ten times of about 200 ms, and ten of 100 ms.
repetitions() { # NAME MS
    local i
    for i in 0 1 2 3 4 5 6 7 8 9; do
        printf '%s{"name": "%s", "run_type": "iteration", "real_time": %s.%s, "time_unit": "ms"}' "$comma" "$1" "$2" "$i"
        comma=,
    done
}
comma=
{
    printf '{"context": {}, "benchmarks": ['
    repetitions old 200
    repetitions new 100
    printf ']}\n'
} >measured.json
"$RIDGE" import measured.json -q >/dev/null
"$RIDGE" roi 1:new --runs-per-day 36000 --gpu-hour-price 2 --hours 10 --hour-price 73 --days 1000 --currency EUR --json >roi.json
python3 - <<'END' >diff.txt 2>&1
import json
r = json.load(open("roi.json"))
f = r["figures"]
assert not r["modelled"] and r["caution"] is None
assert f["saved_ns"]["origin"] == "measured" and abs(f["saved_ns"]["value"] - 1e8) < 1e5, f["saved_ns"]
assert f["saved_ns"]["low"] < f["saved_ns"]["value"] < f["saved_ns"]["high"]
assert abs(f["gpu_hours_per_day"]["value"] - 1) < 1e-3
assert f["cost"]["value"] == 730 and f["cost"]["origin"] == "given"
assert abs(f["net_value"]["value"] - 1270) < 3 and f["net_value"]["low"] < f["net_value"]["value"] < f["net_value"]["high"]
assert f["break_even_day"]["value"] in (365, 366), f["break_even_day"]
assert abs(f["textbook_roi"]["value"] - 100) < 0.1
assert f["maintenance_hours"]["origin"] == "assumed" and f["net_value"]["unit"] == "EUR"
assert all(v["origin"] and v["from"] for v in f.values())
assert r["sensitivity"][0]["input"] in ("runs_per_day", "gpu_hour_price")
END
pass 'measured times are worth what arithmetic says' $? diff.txt
"$RIDGE" roi 1:new --runs-per-day 36000 --gpu-hour-price 2 --hours 10 --hour-price 73 >text.txt
grep -q '^Net value over 365 days: .* USD (.* to .*); it pays for itself on day 36[56]' text.txt && ! grep -q 'no money\|money saved' text.txt
pass 'the answer comes first, and a measured one without caution' $? text.txt
"$RIDGE" roi 1:old --before new --runs-per-day 36000 --gpu-hour-price 2 --hours 10 --hour-price 73 >text.txt
grep -q 'it never pays for itself' text.txt
pass 'what is slower never pays' $? text.txt
expect 'energy that was not measured is not invented' 2 roi 1:new --runs-per-day 1 --gpu-hour-price 2 --hours 1 --hour-price 73 --kwh-price 1 <<'END'
ridge: --kwh-price, but the energy of 'old' and 'new' was not measured in run 1: say the GPU's power with --watts
END
"$RIDGE" roi 1:new --runs-per-day 36000 --gpu-hour-price 2 --hours 10 --hour-price 73 --kwh-price 0.5 --watts 1000 >text.txt
grep -Eq 'energy saved +1.00 +kWh per day .* given +runs per day' text.txt
pass 'given watts give the energy, and are named' $? text.txt

# Modelled: on the simulated GPU.
stage scale
sed -i 's/^  N: .*/  N: 4096/' scale/experiment.yaml
"$RIDGE" run scale --device sim:h200 --seed 1 -q >/dev/null
expect 'what a run is worth is asked for' 2 roi scale <<'END'
ridge: what a run is worth is not known: give --runs-per-day, --gpu-hour-price, --hour-price (`ridge help roi`)
END
expect 'dates of one run are no hours' 2 roi scale --runs-per-day 1 --gpu-hour-price 2 --hour-price 73 <<'END'
ridge: the dates of 1 run of 'scale' show no hours of work: say them with --hours
END
expect 'an experiment without its runs per day is an error' 2 roi scale --runs-per-day x=1 --gpu-hour-price 2 --hour-price 73 <<'END'
ridge: option --runs-per-day: none is for 'scale'
END
expect 'the first variant replaces nothing' 2 roi scale:strided --runs-per-day 1 --gpu-hour-price 2 --hour-price 73 <<'END'
ridge: run 2 of 'scale': 'strided' is both what is replaced and what replaces it: name another, 'scale:VARIANT', or --before VARIANT
END
"$RIDGE" run scale --device sim:h200 --seed 1 -q >/dev/null
sqlite3 home/journal.sqlite "UPDATE runs SET started = '2026-11-20T08:00:00Z' WHERE id = 2;
    UPDATE runs SET started = '2026-11-20T08:30:00Z' WHERE id = 3"
"$RIDGE" roi scale --runs-per-day scale=1e12 --gpu-hour-price 2 --hour-price 73 --markdown -o roi.md
grep -q 'modelled on a simulated GPU.*nothing of it is money saved' roi.md && grep -q '^| hours spent | 0.50 | h |  | modelled | dates of 2 runs' roi.md
pass 'a modelled value is no money saved, and hours come from the dates' $? roi.md
! grep -E '^\| (net value|value of what is saved|break-even)' roi.md | found -v '| modelled |'
pass 'and what follows is called modelled' $? roi.md

# A suite.
mkdir suite && cp -r scale suite/scale && cp -r scale suite/other && cp -r scale suite/new
sed -i 's/^experiment: scale/experiment: other/' suite/other/experiment.yaml
sed -i 's/^experiment: scale/experiment: new/' suite/new/experiment.yaml
"$RIDGE" run suite/other --device sim:h200 --seed 1 -q >/dev/null
"$RIDGE" roi suite --runs-per-day 1e9 --runs-per-day other=1e12 --gpu-hour-price 2 --json >rank.json
python3 - <<'END' >diff.txt 2>&1
import json
r = json.load(open("rank.json"))
names = [x["experiment"] for x in r["ranking"]]
assert names == ["other", "scale", "new"], names
other, scale, new = r["ranking"]
assert other["runs_per_day"] == 1e12 and scale["runs_per_day"] == 1e9
assert abs(other["worth_per_day"] - 1e12 * (other["time_ns"] - other["floor_ns"]) / 3600e9 * 2) < 1e-6
assert abs(other["share"] + scale["share"] - 1) < 1e-9
assert new["not_ranked"] == "no run in the journal" and new["worth_per_day"] is None
assert r["modelled"] and "money saved" in r["caution"] and other["origin"] == "modelled"
END
pass 'a suite is ranked by what the gaps to the floors cost' $? diff.txt
"$RIDGE" roi suite --runs-per-day 1e9 --gpu-hour-price 2 >text.txt && grep -q '^What to optimize next in suite' text.txt
pass 'and printed as a table' $? text.txt
finish

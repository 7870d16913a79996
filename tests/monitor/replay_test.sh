#!/usr/bin/env bash
# ridge monitor --replay: a recording's series through the detectors again, how many alerts they raise, and what is no
# recording.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need python3 cc

record() { # FILE STEP: 1200 minutes of a GPU at work, two samples each; hotter by so much from the 1000th on
    python3 - "$2" <<'END' >"$1"
import datetime, json, sys
begin, noise = datetime.datetime(2026, 11, 1), 7
for i in range(2400):
    noise = noise * 1103515245 + 12345 & 0x7fffffff
    heat = 60 + noise / 0x7fffffff * 6 + (float(sys.argv[1]) if i >= 2000 else 0)
    values = {"busy_pct": 90, "temperature_c": heat, "sm_clock_mhz": 1980, "power_w": None}
    time = (begin + datetime.timedelta(seconds=30 * i)).strftime("%Y-%m-%dT%H:%M:%SZ")
    print(json.dumps({"time": time, "interval_s": 30, "gpus": [{"uuid": "GPU-a", "values": values}]}))
END
}
record well.jsonl 0
"$RIDGE" monitor --replay well.jsonl --json >out.json 2>err.txt
pass 'a recording in which nothing changes raises no alert' $? err.txt
python3 - <<'END' >python.txt 2>&1
import json
r = json.load(open("out.json"))
by = {s["figure"]: s for s in r["series"]}
assert r["samples"] == 2400 and r["gpus"] == 1 and r["alerts"] == 0 and r["reading_s"] == 60
assert by["temperature_c"]["readings"] == by["sm_clock_mhz"]["readings"] == 1199
assert by["memory_temperature_c"]["readings"] == by["pcie_replays"]["readings"] == by["power_w"]["readings"] == 0
assert r["judged"] == 2 * (1199 - 240), r["judged"]
assert r["rate"] == 0 and abs(r["rate_most"] * r["judged"] - 2.9957) < 1e-3  # 95 % of none: ln 20
END
pass 'readings are counted, absent figures are none, and the rate has its limit' $? python.txt

record hot.jsonl 8
"$RIDGE" monitor --replay - <hot.jsonl >out.txt 2>err.txt
pass 'one in which the GPU becomes hotter is exit status 1' $(($? != 1))
grep -Eq '^2026-11-01T16:[0-9:]+Z alert GPU 0 GPU-a anomaly temperature_c: the chip is hotter at work' err.txt &&
    grep -Eq '^  temperature_c +1199 +1  GPU-a$' out.txt
pass 'and an alert in the time of the recording' $? err.txt

"$RIDGE" monitor --replay well.jsonl --interval 10m >out.txt 2>err.txt
grep -q '^A reading is the mean of 600 s.$' out.txt && grep -q '^No reading was judged' out.txt
pass 'readings may be longer, and too few of them are said' $? out.txt

# A series of days made of the recording's blocks.
"$RIDGE" monitor --replay well.jsonl --for 30d --json >out.json 2>err.txt
pass 'a recording is resampled' $? err.txt
python3 - <<'END' >python.txt 2>&1
import json
r = json.load(open("out.json"))
by = {s["figure"]: s for s in r["series"]}
assert r["resampled_s"] == 30 * 86400 and r["block_s"] == 7170, r["block_s"]  # a tenth of 20 h, in whole samples: more than ten readings
assert abs(by["temperature_c"]["readings"] - 43200) < 30, by
assert "busy_pct" not in by and "power_w" not in by  # the time of day is not kept
assert r["judged"] > 80000 and r["alerts"] == sum(s["alerts"] for s in r["series"])
assert r["samples"] == 2400 and abs(r["span_s"] - 2399 * 30) < 1
END
pass 'into as many readings as it is long, without what follows the time of day' $? python.txt
cp out.json before.json
"$RIDGE" monitor --replay well.jsonl --for 30d --json >out.json 2>err.txt
cmp -s before.json out.json
pass 'and the same again' $?
"$RIDGE" monitor --replay hot.jsonl --for 2d >out.txt 2>err.txt
(($? == 0)) && [[ ! -s err.txt ]] && grep -q '^Resampled, not recorded: 48 h made of blocks of ' out.txt
pass 'its alerts are counted and not raised, and it is said to be resampled' $? out.txt
python3 - <<'END' >counting.jsonl
import json
for i in range(600):  # a counter that grows by 1000 a minute, and a GPU that is not in every line
    gpus = [{"uuid": "GPU-a", "values": {"busy_pct": 90, "pcie_replays": 500 * i, "temperature_c": 60}}]
    if i >= 300:
        gpus.append({"uuid": "GPU-b", "values": {"busy_pct": 90, "temperature_c": 60}})
    print(json.dumps({"time": f"2026-11-{1 + i // 2880:02d}T{i // 120 % 24:02d}:{i // 2 % 60:02d}:{i % 2 * 30:02d}Z", "interval_s": 30, "gpus": gpus}))
END
"$RIDGE" monitor --replay counting.jsonl --for 10d --json >out.json 2>err.txt
python3 - <<'END' >python.txt 2>&1
import json
r = json.load(open("out.json"))
by = {(s["uuid"], s["figure"]): s for s in r["series"]}
# A block that follows another is no jump of a counter: it grows by as much as ever, but for the step between two blocks.
assert by["GPU-a", "pcie_replays"]["readings"] > 14000 and by["GPU-a", "pcie_replays"]["alerts"] == 0, by
assert 0 < by["GPU-b", "temperature_c"]["readings"] < by["GPU-a", "temperature_c"]["readings"], by
END
pass 'counters go on over the blocks, and a GPU is in the blocks that have it' $? python.txt
head -5 well.jsonl >short.jsonl
"$RIDGE" monitor --replay short.jsonl --for 1d >out.txt 2>err.txt
(($? == 2)) && grep -q 'the recording has 5 samples: 20 are needed to resample it' err.txt
pass 'too few samples are refused' $? err.txt

# Recordings of others.
cat >smi.csv <<'END'
timestamp, uuid, temperature.gpu, clocks.current.sm [MHz], power.draw [W], utilization.gpu [%], memory.used [MiB], fan.speed [%]
2026/11/01 00:00:00.000, GPU-a, 60, 1980 MHz, 300.50 W, 90 %, 1024 MiB, [N/A]
2026/11/01 00:00:00.010, GPU-b, 50, 1980 MHz, [Not Supported], 0 %, 0 MiB, [N/A]
2026/11/01 00:01:00.000, GPU-a, 61, 1980 MHz, 301.50 W, 91 %, 1024 MiB, [N/A]
2026/11/01 00:01:00.010, GPU-b, 50, 1980 MHz, [Not Supported], 0 %, 0 MiB, [N/A]
2026/11/01 00:02:00.000, GPU-a, 61, 1980
END
"$root/bench/monitor/from_csv.py" smi.csv >smi.jsonl 2>err.txt
pass 'a log of nvidia-smi is read' $? err.txt
python3 - <<'END' >python.txt 2>&1
import json
lines = [json.loads(l) for l in open("smi.jsonl")]
assert [l["time"] for l in lines] == ["2026-11-01T00:00:00Z", "2026-11-01T00:01:00Z"] and lines[1]["interval_s"] == 60
a, b = lines[0]["gpus"]
assert a == {"uuid": "GPU-a", "values": {"temperature_c": 60, "sm_clock_mhz": 1980, "power_w": 300.5, "busy_pct": 90, "memory_used_bytes": 2**30}}, a
assert "power_w" not in b["values"] and b["values"]["busy_pct"] == 0
END
pass 'figures in our units, absent ones absent, a line that is cut left out' $? python.txt
grep -q '^from_csv.py: left out: fan.speed$' err.txt && "$RIDGE" monitor --replay - <smi.jsonl >out.txt 2>err.txt && grep -q '^2 samples of 2 GPUs' out.txt
pass 'and replayed; a column that is not known is named' $? err.txt
printf '%s\n' timestamp,gpu_index,utilization_gpu_pct,temperature_gpu,power_draw_W 1618080814.783,0,97,64,250.1 1618080814.883,0,98,65,251.2 >mit.csv
"$root/bench/monitor/from_csv.py" mit.csv 2>err.txt | "$RIDGE" monitor --replay - >out.txt 2>>err.txt && grep -q '^2 samples of 1 GPU, 2021-04-10T18:53:34Z' out.txt
pass 'so is a file in the columns of the MIT Supercloud data set' $? err.txt
"$root/bench/monitor/from_csv.py" well.jsonl >out.txt 2>err.txt
(($? == 1)) && grep -q 'names no timestamp' err.txt
pass 'a file that is none is refused' $? err.txt

# The figures of docs/monitor.md: twice five minutes of an H200, resampled.
for recording in h200-jobs h200-jobs-2; do
    "$root/bench/monitor/from_csv.py" "$root/bench/monitor/$recording.csv" >jobs.jsonl 2>err.txt
    for reading in 1s 10s; do
        "$RIDGE" monitor --replay jobs.jsonl --for 30d --interval $reading --json >$recording.$reading.json 2>err.txt
    done
    "$RIDGE" monitor --replay jobs.jsonl --for 90d --json >$recording.60s.json 2>err.txt
    "$RIDGE" monitor --replay jobs.jsonl --interval 1s --json >$recording.json 2>err.txt
done
python3 - "$root/docs/monitor.md" <<'END' >python.txt 2>&1
import json, sys
page = open(sys.argv[1]).read()
rows = [[c.strip() for c in l.split("|")[1:-1]] for l in page.splitlines() if l.startswith("| readings of ")]
kinds = {"chip's temperature": ["temperature_c"], "memory's temperature": ["memory_temperature_c"], "two clocks": ["sm_clock_mhz", "memory_clock_mhz"]}
assert len(rows) == 9, rows
for what, kind, *cells in rows:
    for cell, recording in zip(cells, ("h200-jobs", "h200-jobs-2"), strict=True):
        series = {s["figure"]: s for s in json.load(open(f"{recording}.{what.split('readings of ')[1].split(',')[0].replace(' ', '')}.json"))["series"]}
        alerts, readings = (sum(series[f][k] for f in kinds[kind]) for k in ("alerts", "readings"))
        assert cell.split(":")[0] == (f"{alerts:,} in {readings:,}" if readings else "none at work"), (what, kind, recording, alerts, readings)
        if alerts:
            assert abs(int(cell.split("1 in ")[1].replace(",", "")) / (readings / alerts) - 1) < 0.05, (cell, readings / alerts)
judged = [json.load(open(f"{r}.json")) for r in ("h200-jobs", "h200-jobs-2")]
assert [r["alerts"] for r in judged] == [0, 0]
assert "no alert in {} and {} judged readings".format(*(r["judged"] for r in judged)) in page, judged
END
pass "a real GPU's series, resampled, raise as many alerts as the page says" $? python.txt

cc -std=gnu17 -fPIC -shared -o "$work/libnvidia-ml.so.1" "$root/tests/monitor/fake_nvml.c"
: >state
FAKE_NVML=$work/state LD_LIBRARY_PATH=$work "$RIDGE" monitor --json --interval 20ms --for 100ms >own.jsonl 2>err.txt
"$RIDGE" monitor --replay own.jsonl --interval 20ms >out.txt 2>err.txt
pass 'what the monitor writes can be replayed' $? err.txt

{ cat well.jsonl && head -c 60 well.jsonl; } >cut.jsonl
"$RIDGE" monitor --replay cut.jsonl --json >out.txt 2>err.txt
pass 'a last line that is not whole yet is left out' $? err.txt
grep -q '"samples": 2400' out.txt
pass 'and the others count' $? out.txt
{ head -n 1 well.jsonl; echo '{"time": 1}'; } >broken.jsonl
expect 'a line that is none is named' 2 monitor --replay broken.jsonl <<'END'
ridge: broken.jsonl:2: this is no line of `ridge monitor --json` (an object with time and gpus, each with its uuid): record with `ridge monitor --interval 1s --json`
END
: >empty
expect 'an empty recording is refused' 2 monitor --replay empty <<'END'
ridge: empty: the recording has no samples
END
expect 'one that is not there is refused' 2 monitor --replay nowhere <<'END'
ridge: option --replay: cannot read 'nowhere': No such file or directory
END
finish

#!/usr/bin/env bash
# ridge monitor on a fake NVML: one snapshot, a line per interval, JSON, and what it says without a GPU.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
cc -std=gnu17 -fPIC -shared -o "$work/libnvidia-ml.so.1" "$root/tests/monitor/fake_nvml.c" || {
    echo 'not ok - the fake NVML compiles'
    exit 1
}
export FAKE_NVML=$work/state
: >state
with_gpu() { LD_LIBRARY_PATH=$work "$RIDGE" monitor "$@"; }
# lines_come FILE COUNT OPTION...: runs without an end until FILE has so many lines, then ends it by a signal. How many
# come in a given time depends on the machine: an interval that is missed is not made up for.
lines_come() {
    local file=$1 count=$2 watcher
    shift 2
    : >"$file"
    LD_LIBRARY_PATH=$work "$RIDGE" monitor "$@" >"$file" 2>errors.txt & # the function would be a shell of its own
    watcher=$!
    for ((i = 0; i < 3000; i++)); do
        (($(wc -l <"$file") >= count)) && break
        kill -0 "$watcher" 2>/dev/null || break
        sleep 0.02
    done
    kill -TERM "$watcher"
    wait "$watcher"
}

ldconfig -p >libraries.txt 2>/dev/null
if ! grep -q libnvidia-ml libraries.txt; then
    expect 'a machine without NVML is told so' 3 monitor --once <<'END'
ridge: libnvidia-ml.so.1 is not here: it comes with NVIDIA's driver
  a monitor needs a GPU that its driver's library reports
END
fi

expect 'an interval that is no time is refused' 2 monitor --interval soon <<'END'
ridge: option --interval: 'soon' is no time above 0: 500ms, 10s, 10m, 2h, 1d
END

printf '0.reasons 4\n0.xid.1 31\n0.processes 4000000000:1073741824\n' >state
with_gpu --once >once.txt 2>once.log
cat >wanted.txt <<'END'
ridge monitor  TIME  1 GPU, every 1 s
GPU 0  NVIDIA H200  ok  GPU-00000000-0000-4000-8000-000000000000
  busy       ███████████████░░░░░░░░░ 62 %                       ▅
  memory     █████░░░░░░░░░░░░░░░░░░░ 34.4 GB of 151 GB          ▃
  power      ██████████░░░░░░░░░░░░░░ 300 W of 700 W             ▄
  heat       ████████████░░░░░░░░░░░░ 45 C of 87 C               ▅
  SM clock   ████████████████████████ 1980 MHz of 1980 MHz       █
  mem. busy  ███████░░░░░░░░░░░░░░░░░ 30 %                       ▃
  PCIe generation 5 of 5, 16 of 16 lanes; NVLink 18 of 18 up; ECC 0 corrected, 0 uncorrected; clocks: power limit
  XID 31, 1 time, last TIME, active: a kernel read or wrote an address that is not mapped

  GPU       PID      memory  command
    0  4000000000     1.07 GB  -
END
sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z/TIME/g' once.txt | diff -u wanted.txt - >diff.txt
pass 'one snapshot shows figures, links, errors, reasons, XIDs and processes' $? diff.txt

with_gpu --once --plain >plain.txt 2>plain.log
grep -qx 'GPU 0 power 300 W' plain.txt && grep -qx 'GPU 0 process 4000000000 memory 1.07 GB command -' plain.txt &&
    ! grep -q '█' plain.txt
pass 'for a screen reader each fact has a line' $? plain.txt

: >state
lines_come lines.txt 3 --interval 50ms
pass 'a signal ends it, and that is no failure' $? errors.txt
(($(grep -c 'GPU 0 ok, busy 62 %' lines.txt) >= 3)) && [[ $(wc -l <lines.txt) == "$(grep -c 'GPU 0 ok, busy 62 %' lines.txt)" && ! -s errors.txt ]]
pass 'off a terminal each interval has a line' $? lines.txt
with_gpu --interval 50ms --for 150ms >lines.txt 2>errors.txt
pass 'it ends by itself after the time that was asked for' $? errors.txt
lines=$(wc -l <lines.txt)
((lines >= 1 && lines <= 3))
pass 'with no more lines than intervals' $? lines.txt

printf 'gpus 2\n1.pcie_width 8\n' >state
with_gpu --once --json >snapshot.json 2>snapshot.log
python3 - <<'END' >python.txt 2>&1
import json
s = json.load(open("snapshot.json"))
assert s["schema"] == 1 and len(s["gpus"]) == 2
good, bad = s["gpus"]
assert good["status"] == "ok" and good["conditions"] == [] and good["provenance"] == "measured"
assert good["values"]["power_w"] == 300 and good["values"]["fan_pct"] is None
assert bad["status"] == "degraded" and bad["conditions"][0]["name"] == "pcie_narrow"
assert bad["uuid"] == "GPU-00000000-0000-4000-8000-000000000001"
END
pass 'the snapshot as JSON has every GPU, and null where nothing is known' $? python.txt

lines_come lines.json 2 --json --interval 50ms
python3 -c 'import json,sys; assert len([json.loads(l) for l in open("lines.json")]) >= 2'
pass 'without --once an object has a line' $? lines.json

printf '0.xid.1 79\n' >state
with_gpu --once --on-alert 'cat >>told.txt; echo >>told.txt' >/dev/null 2>alerts.txt
pass 'an alert is exit status 1' $(($? != 1))
grep -Eq '^[0-9TZ:-]+ alert GPU 0 GPU-[0-9-]+ xid 79: the GPU does not answer on PCIe: it has fallen off the bus$' alerts.txt &&
    grep -q 'condition xid: failed: an XID is active that needs a reset; end the GPU.s programs, then nvidia-smi --gpu-reset or a restart$' alerts.txt
pass 'and a line with its meaning' $? alerts.txt
python3 - <<'END' >python.txt 2>&1
import json
told = [json.loads(line) for line in open("told.txt")]
assert [t["name"] for t in told] == ["79", "xid"] and told[0]["gpu"] == 0 and not told[0]["over"]
END
pass 'and JSON for a command' $? python.txt
: >state
finish

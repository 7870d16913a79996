#!/usr/bin/env bash
# ridge run on several devices: the same inputs on each, a run of the journal each, one table of both.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need cc clang python3
stage scale
edit scale/experiment.yaml 's/source: scale.cu/source: scale.ptx/'

# Times and what follows from them.
mask_times() {
    sed -E -e 's/^(  .*sim:[a-z0-9]+ +yes) +[0-9.]+ .s /\1  TIME /' -e 's/^(  .*sim:[a-z0-9]+ +yes) +- /\1  - /' -e 's/^(  variant .*right) +time/\1  time/' -e 's/(ship [a-z]+, the fastest), .* modelled.*/\1, TIME modelled/'
}

"$RIDGE" run scale --seed 1 -q --device sim:h200,sim:v100 --param N=4096 | mask_times | golden run-devices
"$RIDGE" log | awk '{print $3, $4, $5, $6}' >log.txt
printf '%s\n' 'scale sim:v100 3 results' 'scale sim:h200 3 results' | diff - log.txt >diff.txt
pass 'each device has a run in the journal' $? diff.txt

"$RIDGE" run scale -q --device sim:v100,sim:h200 --param N=4096 --json >two.json
python3 - two.json <<'END' >out.txt 2>&1
import json, sys
both = json.load(open(sys.argv[1]))
assert [d["id"] for d in both["devices"]] == ["sim:v100", "sim:h200"]
assert [r["device"]["id"] for r in both["runs"]] == ["sim:v100", "sim:h200"]
assert [d["run"] for d in both["devices"]] == [r["run"] for r in both["runs"]] == [3, 4]
first, second = (r["results"] for r in both["runs"])
assert [r["variant"] for r in first] == [r["variant"] for r in second]
assert all(a["seed"] == b["seed"] and a["verified"] == b["verified"] for a, b in zip(first, second))
assert [r["verified"] for r in first[:2]] == [True, True]
timeless, timed = both["best"]
assert timeless["variant"] is None and timeless["time_ns"] is None and timeless["device"] == "sim:v100"
assert timeless["least"]["global_sectors"]["variants"]
assert timed["variant"] and timed["time_ns"] > 0 and timed["provenance"] == "modelled" and timed["least"] == {}
END
pass 'JSON has both runs, on the same inputs, and what each device is best with' $? out.txt
"$RIDGE" show 4 --json | python3 -c 'import json, sys; assert json.load(sys.stdin)["device"]["id"] == "sim:h200"'
pass 'a run of two is read again by itself' $?

"$RIDGE" run scale -q --device sim:h200,sim:v100 --param N=4096 --markdown --no-journal >page.md
grep -E '^\| plain \| sim:h200 \| yes \|' page.md >/dev/null && grep -E '^\|  \| sim:v100 \| yes \| - \|' page.md >/dev/null
pass 'Markdown has the table' $? page.md
"$RIDGE" run scale -q --device sim:h200,sim:v100 --param N=4096 --plain --no-journal >facts.txt
grep -x 'plain on sim:v100: time -' facts.txt >/dev/null
pass 'plain text has a fact per line' $? facts.txt
"$RIDGE" verify scale -q --device sim:h200,sim:v100 --param N=4096 >verified.txt
pass 'verify takes several devices too' $? verified.txt

expect 'an unknown one of several devices is named before anything runs' 2 run scale --device sim:h200,sim:v10 <<'END'
ridge: unknown device 'sim:v10' (did you mean 'sim:v100'?); it is one of: auto, sim:a100, sim:h100, sim:h200, sim:mi250x, sim:mi300x, sim:rtx4090, sim:rx7900xtx, sim:v100
END
expect 'a device is given once' 2 run scale --device sim:h200,sim:v100,sim:h200 <<'END'
ridge: device 'sim:h200' is named twice: give each once
END
expect 'a name is missing' 2 run scale --device sim:h200,,sim:v100 <<'END'
ridge: option --device: a name is missing in 'sim:h200,,sim:v100'; give one device, or several with commas: sim:h200,sim:mi250x
END
expect 'tuned choices are of one device' 2 run scale --tuned --device sim:h200,sim:v100 <<'END'
ridge: option --tuned takes one device, not 2
END
finish

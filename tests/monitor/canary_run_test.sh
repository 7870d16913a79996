#!/usr/bin/env bash
# The canary of ridge monitor on the simulated GPU: without a healthy run, as fast as one, slower than one, wrong.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need cc clang sqlite3
stage scale
export RIDGE_JOURNAL=$work/journal.sqlite

# watch NAME STATUS CAUSE WORDS: the canary's first run, which the end waits for. CAUSE: of the alert; empty: there is none.
watch() {
    "$RIDGE" monitor --device sim:h200 --compiler clang --canary scale:plain --every 1h --interval 100ms --for 200ms \
        >plain.txt 2>log.txt
    local got=$?
    grep -Eq "$4" plain.txt log.txt && ((got == $2)) && { [[ -z $3 ]] || grep -q "alert canary $3: " log.txt; }
    pass "$1" $? <(echo "exit status $got"; tail -n 2 plain.txt; cat log.txt)
}

watch 'without a journal it says so and goes on' 1 failed 'there is no journal at .*/journal.sqlite: `ridge run` makes one'
"$RIDGE" run scale --device sim:h100 --quiet >/dev/null 2>&1 # makes the journal, of another GPU
watch 'without a healthy run it says so' 1 failed 'the journal has no healthy run of scale:plain on this GPU: `ridge run scale --variant plain` makes one'

# held NAME CANARY VARIANT CASE: what it chose.
held() {
    "$RIDGE" monitor --device sim:h200 --compiler clang --canary "$2" --every 1h --interval 100ms --for 200ms --json 2>&1 |
        tail -n 1 | python3 -c 'import json, sys
c = json.load(sys.stdin)["canaries"][0]
sys.exit((c.get("variant"), c.get("case"), c["runs"], c["failed"]) != (sys.argv[1], sys.argv[2], 1, 0) and str(c))' "$3" "$4" >log.txt 2>&1
    pass "$1" $? log.txt
}
"$RIDGE" run scale --device sim:h200 --quiet --param N=64 >/dev/null 2>&1
held 'where its last case was never run, it runs the one that was' scale:plain plain N=64
"$RIDGE" run scale --device sim:h200 --quiet >/dev/null 2>&1
"$RIDGE" run scale --device sim:h200 --quiet --param N=64 >/dev/null 2>&1
held "else the experiment's last case, and the fastest variant of it" scale plain N=8192
watch 'as fast as a healthy run is no alert' 0 '' 'canary  scale:plain takes .*\(\+?0\.0 %\): as fast as when it was healthy'
sqlite3 journal.sqlite "UPDATE results SET time_ns = time_ns * 0.8,
    detail = json_set(detail, '\$.time_ns.median', time_ns * 0.8) WHERE variant = 'plain'" 
watch 'slower than one is an alert with its cause' 1 unknown 'scale:plain takes .*\(\+25\.0 %\): nothing that the driver reports explains it'
sed -i '/if (i < N)/{n;s/a \* x/a + x/}' scale/scale.cu
watch 'a wrong result is an alert of its own' 1 wrong_result 'its result is wrong'

# A GPU that others use from the start: the canary waits, and says so.
cc -std=gnu17 -fPIC -shared -o "$work/libnvidia-ml.so.1" "$root/tests/monitor/fake_nvml.c"
printf '0.slow_ms 200\n' >state # a real driver takes its time
FAKE_NVML=$work/state LD_LIBRARY_PATH=$work "$RIDGE" monitor --canary scale:plain --every 1h --interval 100ms --for 300ms >plain.txt 2>log.txt
(($? == 0)) && grep -q '^canary  scale: not run yet, as the GPU was not idle (1 time); --canary-busy runs it anyway$' plain.txt
pass 'a GPU that is busy from the start is left alone' $? <(tail -n 2 plain.txt; cat log.txt)

expect 'a canary needs an experiment' 2 monitor --device sim:h200 --once <<'END'
ridge: options --every, --canary-busy and a simulated --device need --canary
END
expect 'a device that cannot be chosen is refused' 2 monitor --device cuda:0 --canary scale <<'END'
ridge: option --device: 'cuda:0' is neither auto (every GPU) nor a simulated one, for the canary: sim:h200
END
expect 'an experiment that is not there is refused before anything is watched' 2 monitor --device sim:h200 --canary scalf <<'END'
ridge: there is no experiment 'scalf': no such file or folder, and ridge ships none of that name
  in --canary
END
expect 'and so is a variant that is not there' 2 monitor --device sim:h200 --canary scale:plane <<'END'
ridge: --canary: unknown variant 'plane' (did you mean 'plain'?)
END
finish

#!/usr/bin/env bash
# The canary of ridge monitor on the simulated GPU: without a healthy run, as fast as one, slower than one, wrong.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need clang sqlite3
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

"$RIDGE" run scale --device sim:h200 --quiet --variant modern --param N=64 >/dev/null 2>&1 # makes the journal
watch 'without a healthy run it says so' 1 failed 'the journal has no healthy run of scale:plain, N=8192, on this GPU'
"$RIDGE" run scale --device sim:h200 --quiet >/dev/null 2>&1
watch 'as fast as a healthy run is no alert' 0 '' 'canary  scale:plain takes .*\(\+?0\.0 %\): as fast as when it was healthy'
sqlite3 journal.sqlite "UPDATE results SET time_ns = time_ns * 0.8,
    detail = json_set(detail, '\$.time_ns.median', time_ns * 0.8) WHERE variant = 'plain'" 
watch 'slower than one is an alert with its cause' 1 unknown 'scale:plain takes .*\(\+25\.0 %\): nothing that the driver reports explains it'
sed -i '/if (i < N)/{n;s/a \* x/a + x/}' scale/scale.cu
watch 'a wrong result is an alert of its own' 1 wrong_result 'its result is wrong'

expect 'a canary needs an experiment' 2 monitor --device sim:h200 --once <<'END'
ridge: options --every, --canary-busy and a simulated --device need --canary
END
expect 'a device that cannot be chosen is refused' 2 monitor --device cuda:0 --canary scale <<'END'
ridge: option --device: 'cuda:0' is neither auto (every GPU) nor a simulated one, for the canary: sim:h200
END
finish

#!/usr/bin/env bash
# ridge gate --baseline on measured times: the driver is a fake, whose clock is as the tests want it.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
export RIDGE_HOME=$work/home RIDGE_CACHE=$work/cache RIDGE_COMPILER=clang FAKE_STEADY=1
command -v clang >/dev/null || {
    echo 'clang is not here'
    exit 77
}
"${cc[@]}" -std=gnu17 -O2 -fPIC -c -o "$work/fake.o" "$here/fake_driver.c" &&
    "${cc[@]}" -std=gnu17 -O2 -fPIC -DFAKE_REST -I"$here/../../src" -c -o "$work/rest.o" "$here/fake_driver.c" &&
    "${cc[@]}" -shared -o "$work/libcuda.so.1" "$work/fake.o" "$work/rest.o" &&
    "${cc[@]}" -std=gnu17 -fPIC -shared -o "$work/libnvidia-ml.so.1" "$here/fake_nvml.c" || {
    echo 'not ok - the fakes compile'
    exit 1
}
failures=0
cd "$work" || exit 1
mkdir one && cp "$here"/faults/* one
# The two variants that are right.
sed -i '/name: hang/,/name: after/{/name: after/!d}' one/experiment.yaml
sed -i 's/\[65536\]/[8192]/' one/experiment.yaml

# check NAME STATUS PATTERN [VARIABLE=VALUE...] -- ARGUMENT...
check() {
    local name=$1 status=$2 pattern=$3 got
    local -a settings=()
    shift 3
    while [[ $1 != -- ]]; do
        settings+=("$1")
        shift
    done
    shift
    env "${settings[@]}" LD_LIBRARY_PATH="$work" "$RIDGE" "$@" -q >out.txt 2>&1
    got=$?
    if grep -Eq -- "$pattern" out.txt && ((got == status)); then
        echo "ok - $name"
    else
        echo "not ok - $name"
        echo "# exit status $got, not $status" | cat - <(sed 's/^/# /' out.txt)
        failures=$((failures + 1))
    fi
}
gate=(gate --baseline main one --time-limit 0.2 --device cuda:0)

check 'samples under throttling are not saved' 1 'nothing is saved: .*slowed down .power limit' \
    FAKE_THROTTLED=1 -- baseline save main one --time-limit 0.2 --device cuda:0
check 'a baseline of measured runs' 0 '^saved baseline main: 1 experiment, run 2$' -- \
    baseline save main one --time-limit 0.2 --device cuda:0
check 'it says under which conditions' 0 'driver CUDA 12.4, clocks 1980/3201 MHz, limit 700 W' -- baseline show main
check 'the same code is not run' 0 'against baseline main: 2 unchanged$' FAKE_NS=99000 -- "${gate[@]}"
sed -i 's/ceil_div(N,256)/ceil_div(N,128)/; s/block: 256/block: 128/' one/experiment.yaml
check 'other code that takes as long is unchanged' 0 'against baseline main: 2 unchanged$' -- "${gate[@]}"
check 'other code that takes longer fails' 1 '2 regressed$' FAKE_NS=53000 -- "${gate[@]}"
grep -Eq '^  \+(5\.9|6\.0)[0-9]* % \(95 % interval' out.txt && echo 'ok - by how much is said' || {
    echo 'not ok - by how much is said'
    failures=$((failures + 1))
}
check 'faster passes' 0 '2 improved$' FAKE_NS=47000 -- "${gate[@]}"
check 'nanoseconds allow more' 0 '2 unchanged$' FAKE_NS=53000 -- \
    gate --baseline main "$(mkdir -p wide && cp one/* wide && echo 'gate: {ns: 5000}' >>wide/experiment.yaml && echo wide)" \
    --time-limit 0.2 --device cuda:0
check 'another driver is not comparable' 1 "another driver: the baseline has 'CUDA 12.4', and this is 'CUDA 13.0'" \
    FAKE_DRIVER=13000 -- "${gate[@]}"
check 'another clock policy is not comparable' 1 "another clock policy: the baseline has '1980/3201 MHz, limit 700 W'" \
    FAKE_LIMIT=500 -- "${gate[@]}"
check 'another chip is not comparable' 1 "another chip: the baseline has 'NVIDIA H200', and this is 'NVIDIA RTX 9999'" \
    FAKE_NAME='NVIDIA RTX 9999' -- "${gate[@]}"
check 'throttled samples are not comparable' 1 'slowed down: power limit' FAKE_THROTTLED=1 -- "${gate[@]}"
check 'a suite says how each time was had' 0 \
    '^faults N=8192 before +yes +[1-9][0-9]* +[1-9][0-9]+ +50\.. us \+- [0-9.]+ ns +50\.. us +50\.. us to 50\.. us +[01]\.[0-9]+x, no difference +[0-9.e-]+$' -- \
    suite one --time-limit 0.2 --device cuda:0
# Every other launch takes 0.3 ms, the others 30 ms, where the baseline took 1 ms: no median is known.
check 'a baseline of a slower kernel' 0 '^saved baseline slow' FAKE_NS=1000000 -- \
    baseline save slow one --time-limit 0.2 --device cuda:0
sed -i 's/ceil_div(N,128)/ceil_div(N,64)/; s/block: 128/block: 64/' one/experiment.yaml
noisy=(FAKE_NS=300000 FAKE_JUMPS=100)
gate=(gate --baseline slow one --device cuda:0 --samples-max 12)
check 'what is too noisy is said, and passes' 0 '2 too noisy to tell$' "${noisy[@]}" -- "${gate[@]}"
grep -Eq ', [0-9]+ and 192 samples' out.txt && echo 'ok - it was sampled 4 and 16 times as long before' || {
    echo 'not ok - it was sampled 4 and 16 times as long before'
    sed 's/^/# /' out.txt
    failures=$((failures + 1))
}
check '--strict fails it' 1 '2 too noisy to tell$' "${noisy[@]}" -- "${gate[@]}" --strict
exit $((failures > 0))

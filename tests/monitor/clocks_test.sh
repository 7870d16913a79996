#!/usr/bin/env bash
# examples/ops/clocks.sh: which clock takes the least energy, with a made nvidia-smi and made measurements; clocks are given
# back; without the right to set them nothing is changed, and that is said.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need python3
mkdir bin
cat >bin/nvidia-smi <<'END'
#!/usr/bin/env bash
echo "$*" >>"$FAKE/smi.log"
case "$*" in
*supported-clocks*) seq 1980 -15 345 ;;
*-lgc*) [[ -z ${FAKE_REFUSES:-} ]] || { echo 'The current user does not have permission to change clocks'; exit 4; }
    args=$*
    echo "${args##*,}" >"$FAKE/clock" ;;
*-rgc*) rm -f "$FAKE/clock" ;;
esac
END
# Energy of a run: idle power times time, and a dynamic part that grows with the clock squared.
cat >bin/ridge <<'END'
#!/usr/bin/env bash
python3 -c "
import json
clock = $(cat "$FAKE/clock")
time = 1e9 / clock
print(json.dumps({'results': [{'variant': 'v', 'verified': True, 'time_ns': {'median': time},
    'conditions': {'energy_mj': 100e-6 * time * 1e-3 + 1e-8 * clock ** 2, 'sm_mhz': clock}}]}))"
END
chmod +x bin/*
export FAKE=$work PATH=$work/bin:$PATH RIDGE=$work/bin/ridge
bash "$root/examples/ops/clocks.sh" experiment v 0 8 >out.txt 2>err.txt
pass 'a sweep runs' $? err.txt
(($(grep -c ' us .* mJ' out.txt) == 8)) && grep -q ' 345 MHz' out.txt && grep -q '1980 MHz' out.txt
pass 'over the range of clocks' $? out.txt
grep -Eq '^Least energy: [0-9]+ MHz, -[0-9.]+ % energy and \+[0-9.]+ % time of 1980 MHz$' out.txt
pass 'the one of least energy is named, and what it costs' $? out.txt
[[ $(tail -n 1 smi.log) == *-rgc ]]
pass 'clocks are given back' $? smi.log
FAKE_REFUSES=1 bash "$root/examples/ops/clocks.sh" experiment v >out.txt 2>err.txt
(($? == 3)) && grep -q 'cannot be set, so nothing was swept: The current user does not have permission' err.txt
pass 'without the right to it that is said' $? err.txt
finish

#!/usr/bin/env bash
# Those who read runs cannot reach a device, the simulator or the loop: check-layers says so.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
check=$root/scripts/check-layers

fresh() { rm -rf src && cp -r "$root/src" src; }

for reader in record diagnose journal import report; do
    for maker in sim device loop; do
        fresh
        printf '#include "%s/%s.h"\n' $maker $maker >>src/$reader/$reader.h
        "$check" "$root/layers" src >out.txt 2>&1
        (($? == 1)) && grep -q "$reader includes $maker, which is a floor above it" out.txt
        pass "$reader may not include $maker" $? out.txt
    done
done

# What a source includes, and what that includes, of ridge's own.
read -ra cc <<<"${CC:-cc}"
reached() { "${cc[@]}" -std=gnu17 -MM -I"$root/src" -I"$root/include" "$root/src/$1" | tr ' ' '\n' | grep -oE 'src/.*'; }
reached api/result.c >reached.txt
grep -q record/record.h reached.txt && ! grep -E 'src/(device|sim|loop|ptx|experiment)/' reached.txt
pass "the library's results reach the record, no device" $? reached.txt

! grep -rniE 'cublas|cudnn|cub_' "$root/src/experiment" >out.txt
pass 'experiment names no library of a vendor' $? out.txt

fresh
echo '#include "record/execution.h"' >>src/sim/sim.c
"$check" "$root/layers" src >out.txt 2>&1
pass 'a header that layers names is open' $? out.txt
sed 's|record/execution.h||' "$root/layers" >layers
"$check" layers src >out.txt 2>&1
(($? == 1)) && grep -q 'only record/record.h is open to others' out.txt
pass 'a header that it does not name is private' $? out.txt
finish

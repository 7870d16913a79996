#!/usr/bin/env bash
# The worked example as its reader has it: built by plain cc from the header and the library, shared and
# static, run on the simulated GPU; its figures and its journal. (Installed: tests/cli/install_test.sh.)
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need cc clang sqlite3
need_plain_library
build=$(cd "$(dirname "$RIDGE")" && pwd)
example=$root/examples/region
unset RIDGE_DATA_DIR
private=(-lyaml -lsqlite3 -ljansson -lffi -lxxhash -lm -ldl -lpthread)
export RIDGE_JOURNAL=$work/example.sqlite

cc -std=c99 -Wall -Wextra -Werror -pedantic "$example/main.c" -I"$root/include" -L"$build" -lridge \
    -Wl,-rpath,"$build" -o region >cc.txt 2>&1
pass 'the example builds by plain cc against libridge.so' $? cc.txt
./region sim:h200 "$example/kernels.cu" >out.txt 2>&1
pass 'and runs on the simulated GPU, its data found beside the library' $? out.txt
grep -Eq '^copy/by_columns +[0-9.]+ us modelled' out.txt && grep -q ' 32.0 sectors per load request' out.txt &&
    grep -Eq '^by_rows: [0-9.]+x \(.*\), faster$' out.txt
pass 'its times are modelled, its counters those of the patterns, its verdict right' $? out.txt
sqlite3 "$RIDGE_JOURNAL" \
    'SELECT variant, answers, case_label, status, time_provenance FROM results ORDER BY id' >rows.txt
printf '%s\n' 'copy/by_columns||N=1024|ok|modelled' 'copy/by_rows|copy/by_columns|N=1024|ok|modelled' |
    diff - rows.txt >diff.txt
pass 'the journal has both results' $? diff.txt
RIDGE_DATA_DIR=$root "$RIDGE" show >show.txt 2>&1 && grep -q 'Global stores are uncoal' show.txt
pass 'and ridge show explains them' $? show.txt
RIDGE_DATA_DIR=$root "$RIDGE" show --markdown >show.md 2>&1 && grep -q 'Iteration 1: copy/by_rows' show.md
pass 'and writes them as Markdown' $? show.md

cc "$example/main.c" -I"$root/include" "$build/libridge.a" "${private[@]}" -o static >cc.txt 2>&1 &&
    RIDGE_DATA_DIR=$build/share/ridge ./static sim:h100 "$example/kernels.cu" >out.txt 2>&1
pass 'the same with libridge.a' $? out.txt
nm -g --defined-only "$build/libridge.a" | awk 'NF == 3 { print $3 }' |
    grep -vE '^ridge_[a-z0-9_]+$' >foreign.txt
pass 'libridge.a defines no other names' $((!$?)) foreign.txt
nm -D --defined-only "$build/libridge.so" | awk '{ print $3 }' |
    grep -vE '^ridge_[a-z0-9_]+$' >foreign.txt
pass 'nor does libridge.so' $((!$?)) foreign.txt
for name in $(sed -nE 's/^RIDGE_API.*[ *](ridge_[a-z0-9_]+)\(.*/\1/p' "$root/include/ridge.h"); do
    nm -D --defined-only "$build/libridge.so" | found " $name\$" || echo "$name"
done >missing.txt
[[ ! -s missing.txt ]]
pass 'every function of the header is in the library' $? missing.txt

./region cuda:99 "$example/kernels.cu" >out.txt 2>&1
(($? == 3)) && grep -q "^region: no device 'cuda:99'" out.txt
pass 'a missing device is reported, with the status of the system' $? out.txt

if command -v c++ >/dev/null; then
    echo '#include <ridge.h>
int main() { ridge_result *x = nullptr; return ridge_add_sample(x, 1.0) == RIDGE_BAD_INPUT ? 0 : 1; }' >t.cpp
    c++ -std=c++11 -Wall -Wextra -Werror -pedantic t.cpp -I"$root/include" -L"$build" -lridge \
        -Wl,-rpath,"$build" -o t >cc.txt 2>&1 && ./t
    pass 'the header is C++ too' $? cc.txt
else
    echo 'skip - the header is C++ too: c++ is not here'
fi

finish

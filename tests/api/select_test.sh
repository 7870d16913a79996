#!/usr/bin/env bash
# ridge tune -> the tuned table -> ridge run --tuned, ridge tuned and a program's ridge_select(): what was tuned is used
# for sizes near it; what is stale (another source, driver, chip) never is.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need cc clang python3
build=$(cd "$(dirname "$RIDGE")" && pwd)
cp -r "$root/examples/select" .
table=$RIDGE_HOME/tuned.json
tune() { "$RIDGE" tune --device sim:h200 -q "$@"; }
edit_table() { python3 -c "import json,sys; t=json.load(open('$table')); e=t['entries']; $1; json.dump(t, open('$table','w'))"; }

tune select >out.txt 2>err.txt
pass 'all variants are tuned in all cases' $? err.txt
"$RIDGE" tuned row-sums --json >table.json && python3 - <<'END' >got.txt
import json
t = json.load(open('table.json'))
print(t['ridge_tuned'], sorted((e['variant'], e['case']['ROWS']) for e in t['entries']), {e['complete'] for e in t['entries']})
END
diff - got.txt >diff.txt <<<"1 [('row-per-group', 256), ('row-per-group', 4096), ('row-per-thread', 256), ('row-per-thread', 4096)] {True}"
pass 'the table has an entry per variant and case' $? diff.txt
"$RIDGE" tuned >list.txt && grep -q '^row-sums:row-per-group on NVIDIA H200 (simulated), ROWS=256 N=256: LANES=' list.txt
pass 'ridge tuned lists them' $? list.txt
"$RIDGE" tuned --header -o tuned.h && printf '#include <stdio.h>\n#include "tuned.h"\nint main(void) { printf("%%d %%s\\n", RIDGE_TUNED_ROW_SUMS_ROW_PER_GROUP_NVIDIA_H200__SIMULATED__ROWS_256_N_256_LANES, ridge_tuned[0].experiment); return 0; }\n' >t.c &&
    cc -std=c99 -Wall -Wextra -Werror -pedantic t.c -o t 2>cc.txt && ./t >got.txt && grep -Eq '^(4|8|16|32) row-sums$' got.txt
pass 'the header compiles, with a macro per choice' $? cc.txt

"$RIDGE" run select --device sim:h200 --tuned --no-journal >out.txt 2>err.txt &&
    grep -Eq '^ROWS=256 N=256 row-per-group: LANES=[0-9]+ BLOCK=[0-9]+, tuned at ROWS=256 N=256$' err.txt
pass 'ridge run --tuned uses it' $? err.txt
"$RIDGE" run select --device sim:h200 --tuned --no-journal -p ROWS=5000 >out.txt 2>err.txt &&
    grep -Eq 'tuned at ROWS=4096 N=256, 0.288 octaves away$' err.txt
pass 'at another size that of the nearest case, and says so' $? err.txt
"$RIDGE" run select --device sim:h100 --tuned --no-journal -p ROWS=256 >out.txt 2>err.txt &&
    grep -q 'row-per-group: not tuned here: no current entry of row-sums: 2 of another chip$' err.txt
pass 'on another chip nothing of it' $? err.txt

# What was tuned for energy (on a GPU; here the table is edited) is beside what was tuned for time.
cp "$table" times.json
edit_table "
by = dict([x for x in e if x['variant'] == 'row-per-group' and x['case']['ROWS'] == 256][0])
by.update(objective='energy', energy_mj=0.5, energy_error=0.05)
by['parameters'] = dict(by['parameters'], LANES='4' if by['parameters']['LANES'] != '4' else '8')
e.append(by)
print(by['parameters']['LANES'])" >lanes.txt
"$RIDGE" run select --device sim:h200 --tuned --no-journal -p ROWS=256 >out.txt 2>time.txt &&
    "$RIDGE" run select --device sim:h200 --tuned --no-journal -p ROWS=256 --objective energy >out.txt 2>err.txt
grep -q "row-per-group: LANES=$(cat lanes.txt) " err.txt && ! grep -q "row-per-group: LANES=$(cat lanes.txt) " time.txt &&
    grep -q 'row-per-thread: not tuned here: no current entry of row-sums: 2 of another objective$' err.txt
pass 'ridge run --tuned --objective energy takes what was tuned for energy' $? err.txt
"$RIDGE" tuned row-sums >list.txt && grep -q ', 0.5 mJ measured; .* tied, by energy; ' list.txt
pass 'ridge tuned says by what' $? list.txt
"$RIDGE" tuned --header -o tuned.h && cc -std=c99 -Wall -Wextra -Werror -pedantic t.c -o t 2>cc.txt &&
    grep -q "^#define RIDGE_TUNED_ROW_SUMS_ROW_PER_GROUP_NVIDIA_H200__SIMULATED__ROWS_256_N_256_BY_ENERGY_LANES $(cat lanes.txt)$" tuned.h
pass 'in the header it has macros of its own' $? cc.txt
if plain_library; then
    cat >objective.c <<'END'
#include <ridge.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    static const char *const sizes[] = {"ROWS=256", "N=256"};
    ridge *r;
    struct ridge_select_query q = {0};
    struct ridge_selection s;
    ridge_adaptive *a;
    if (argc < 3 || ridge_open("sim:h200", NULL, &r) != RIDGE_OK)
        return 9;
    q.experiment = "row-sums";
    q.sizes = sizes;
    q.size_count = 2;
    q.source = argv[1];
    q.objective = argv[2];
    if (ridge_select(r, &q, &s) == RIDGE_OK)
        printf("%s %s %.2f mJ\n", s.variant, s.parameters, s.energy_mj);
    else
        printf("%s\n", ridge_error());
    if (ridge_adapt_open(r, &q, NULL, &a) != RIDGE_OK)
        printf("%s\n", ridge_error());
    return ridge_close(r);
}
END
    cc -std=c99 -Wall -Wextra -Werror -pedantic objective.c -I"$root/include" -L"$build" -lridge -Wl,-rpath,"$build" -o objective >cc.txt 2>&1
    pass 'a program that chooses by energy builds' $? cc.txt
    ./objective select/kernels.cu energy >out.txt 2>&1
    grep -q "^row-per-group LANES=$(cat lanes.txt) BLOCK=[0-9]* 0.50 mJ$" out.txt && grep -q "^ridge_adapt_open: it chooses by the times" out.txt
    pass 'and gets what takes the least; what adapts refuses it' $? out.txt
    ./objective select/kernels.cu edp >out.txt 2>&1
    grep -q '^ridge_select: no current entry of row-sums: 5 of another objective, and no fallback' out.txt
    pass 'what was not tuned for is said' $? out.txt
    ./objective select/kernels.cu speed >out.txt 2>&1
    grep -q "speed' (known: time, energy, edp)" out.txt
    pass 'so is what is no objective' $? out.txt
fi
cp times.json "$table"

if plain_library; then
    cc -std=c99 -Wall -Wextra -Werror -pedantic select/main.c -I"$root/include" -L"$build" -lridge \
        -Wl,-rpath,"$build" -o program >cc.txt 2>&1
    pass 'the example builds by plain cc' $? cc.txt
    ./program sim:h200 select/kernels.cu 5000 >out.txt 2>&1 && grep -q '^row-per-group LANES=' out.txt &&
        grep -q '^tuned at ROWS=4096 N=256' out.txt && grep -q '^5000 of 5000 sums are right$' out.txt
    pass 'and runs what was tuned near its size' $? out.txt
    cc -std=c99 -Wall -Wextra -Werror -pedantic "$root/tests/api/adapt.c" -I"$root/include" -L"$build" -lridge \
        -Wl,-rpath,"$build" -o adapt >cc.txt 2>&1 && ./adapt "$table" select/kernels.cu choices.jsonl >got.txt 2>&1
    pass 'a selection that adapts builds and runs' $? cc.txt
    diff - got.txt >diff.txt <<'END'
first row-per-group
within the band: 0
anew 1 row-per-thread
other size 1 row-per-group ROWS=256 N=256
choices 3
END
    pass 'it is taken back out of the band, not within it' $? diff.txt
    python3 -c "
import json
lines = [json.loads(l) for l in open('choices.jsonl')]
assert [l['why'] for l in lines] == ['first', 'out of the band', 'another size'], lines
assert lines[1]['before']['variant'] == 'row-per-group' and lines[1]['chosen']['variant'] == 'row-per-thread'
assert lines[1]['seen_ns'] > 50 * lines[1]['before']['promised_ns']" >json.txt 2>&1
    pass 'and each choice is recorded' $? json.txt
    ./program sim:h100 select/kernels.cu 300 >out.txt 2>&1 && grep -q '^row-per-group LANES=8 BLOCK=128$' out.txt &&
        grep -q '^fallback: no current entry of row-sums: 4 of another chip$' out.txt && grep -q '^300 of 300' out.txt
    pass 'on another chip the fallback of its compute capability' $? out.txt
    cp "$table" kept.json
    edit_table "[x.update(platform=x['platform'] + 'x') for x in e]"
    ./program sim:h200 select/kernels.cu 300 >out.txt 2>&1 && grep -q '^fallback: .*4 of another driver or model$' out.txt
    pass 'of another model of time nothing' $? out.txt
    cp kept.json "$table"
    sed 's/float sum = 0;/float sum = 0.0f;/' select/kernels.cu >edited.cu
    ./program sim:h200 edited.cu 300 >out.txt 2>&1 && grep -q '^fallback: .*4 of another source$' out.txt
    pass 'of another source nothing' $? out.txt
    echo '{"ridge_tuned": 1, "entries": [{}]}' >"$table"
    ./program sim:h200 select/kernels.cu 300 >out.txt 2>&1
    (($? == 2)) && grep -q 'tuned.json: entry 1 is no tuned entry' out.txt
    pass 'a broken table is an error that names it' $? out.txt
    rm "$table"
    ./program sim:h200 select/kernels.cu 300 >out.txt 2>&1 && grep -q '^fallback: the tuned table has no entry of row-sums' out.txt
    pass 'without a table the fallback' $? out.txt
    cp kept.json "$table"
fi

# Killed: the best of its batches is in the table.
rm -f "$table"
edit select/experiment.yaml 's/ROWS: \[256, 4096\]/ROWS: 65536/'
anew out.txt err.txt
"$RIDGE" tune --device sim:h200 --fresh select:row-per-group >out.txt 2>err.txt &
ridge=$!
for _ in {1..6000}; do
    [[ -s $table ]] && break # written before each batch but the first
    kill -0 $ridge 2>/dev/null || break
    sleep 0.02
done
kill -9 $ridge
wait $ridge 2>/dev/null
"$RIDGE" tuned --json >table.json
python3 -c "
import json
e = json.load(open('table.json'))['entries']
assert len(e) == 1 and not e[0]['complete'] and e[0]['evaluated'] >= 1, e"
pass 'a killed session leaves its best, marked as not complete' $? table.json
finish

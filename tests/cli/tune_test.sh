#!/usr/bin/env bash
# ridge tune: every choice is verified, wrong and broken ones are named and never chosen; what was found outlives an
# interruption and a kill, and another source, case or device does not see it.
# run-early: it takes long.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang python3
stage tune

tune() { "$RIDGE" tune --device sim:h200 -q "$@"; }
field() { python3 -c "import json,sys; t=json.load(open(sys.argv[1]))['tunings'][0]; print($2)" "$1"; }

tune tune:tuned -p N=64 --json >all.json 2>err.txt
pass 'every point of a small space is evaluated' $? err.txt
field all.json "t['strategy'], t['combinations'], t['impossible'], t['space'], len(t['evaluations'])" >got.txt
diff - got.txt <<<'exhaustive 30 10 16 16' >diff.txt
pass 'choices that where forbids, or the device, are no points' $? diff.txt
field all.json "[sum(e['outcome']==o for e in t['evaluations']) for o in ('correct','compile','correctness','cut')]" >got.txt
diff - got.txt <<<'[10, 2, 4, 0]' >diff.txt
pass 'what does not compile and what is wrong is told apart' $? diff.txt
field all.json "t['chosen']['parameters'], t['chosen']['outcome'], t['provenance'], t['untuned']['parameters']['PARTS']" >got.txt
grep -q "'PARTS': '32'.*'T': 'float'.*correct modelled 1" got.txt
pass 'the fastest right one is chosen, and what it replaces is said' $? got.txt
field all.json "t['chosen']['time_ns'] <= 1.005*min(e['time_ns'] for e in t['evaluations'] if e['outcome']=='correct')" >got.txt
grep -q True got.txt
pass 'it is the least time, or ties with it' $? got.txt

tune tune:tuned -p N=64 --json >again.json
field again.json "t['resumed'], t['chosen']==json.load(open('all.json'))['tunings'][0]['chosen']" >got.txt
diff - got.txt <<<'16 True' >diff.txt
pass 'a second session knows all of it' $? diff.txt
tune tune:tuned -p N=128 --evaluations 3 --json >other.json
field other.json "t['resumed'], len(t['evaluations'])" >got.txt
diff - got.txt <<<'0 3' >diff.txt
pass 'another case is another session' $? diff.txt
edit tune/sum.cu 's/^__global__/&  /'
tune tune:tuned -p N=64 --evaluations 1 --json >edited.json
field edited.json "t['resumed']" >got.txt
diff - got.txt <<<'0' >diff.txt
pass 'an edited source is another session' $? diff.txt
edit tune/sum.cu 's/^__global__  /__global__/'
tune tune:tuned -p N=64 --evaluations 1 --fresh --json >fresh.json
field fresh.json "t['resumed']" >got.txt
diff - got.txt <<<'0' >diff.txt
pass '--fresh forgets' $? diff.txt

for strategy in random local bayesian pruned; do
    tune tune:tuned -p N=64 --fresh --strategy $strategy --evaluations 7 --json >one.json
    tune tune:tuned -p N=64 --fresh --strategy $strategy --evaluations 7 --json >two.json
    field one.json "[e['parameters'] for e in t['evaluations']]" >one.txt
    field two.json "[e['parameters'] for e in t['evaluations']]" >two.txt
    cmp one.txt two.txt >diff.txt && [[ $(field one.json "len(t['evaluations'])") == 7 ]]
    pass "$strategy asks the same with the same seed" $? one.txt
done

# Pruning: ranked by the smaller case, the rest of it said.
tune tune:tuned -p N=128 --strategy pruned --rank-param N=64 --evaluations 6 --json >pruned.json 2>err.txt
field pruned.json "t['pruning']['rank_by'], t['pruning']['ranked'], t['pruning']['audited'], len(t['evaluations'])" >got.txt
diff - got.txt <<<'modelled on sim:h200, N=64 14 1 6' >diff.txt && [[ $(field pruned.json "t['chosen']['parameters']['PARTS']") == 32 ]]
pass 'pruning ranks all points in the smaller case' $? diff.txt
tune tune:tuned -p N=128 --strategy pruned --evaluations 6 >pruned.txt 2>err.txt
grep -q 'ranked   14 points, modelled on sim:h200, 10 % of the blocks; rank correlation' pruned.txt &&
    grep -q 'pruned   [0-9]* points: one of them may be faster than the best by' pruned.txt
pass 'or by a share of the blocks, and says what that risks' $? pruned.txt

# T1 and T4, written and read.
tune tune:tuned -p N=64 --save-t1 space.json --save-t4 results.json --json >all2.json 2>err.txt
pass 'space and results are written' $? err.txt
python3 - <<'END' >got.txt
import json
space, results = json.load(open('space.json')), json.load(open('results.json'))
assert [c['Expression'] for c in space['ConfigurationSpace']['Conditions']] == ['PARTS <= BLOCK', 'PARTS != 4 or BLOCK >= 128']
known = {'timeout', 'compile', 'runtime', 'correctness', 'constraints', 'correct'}
for r in results['results']:
    assert {'configuration', 'times', 'invalidity', 'correctness'} <= set(r) and r['invalidity'] in known
print(len(results['results']))
END
grep -q '^16$' got.txt
pass 'they are what the formats ask for' $? got.txt
"$RIDGE" tune --replay results.json --strategy local --evaluations 9 --json >replay.json 2>err.txt
field replay.json "len(t['evaluations']), t['device'], t['provenance']" >got.txt
diff - got.txt <<<'9 replay modelled' >diff.txt
pass 'a T4 file replays as a session' $? diff.txt
"$RIDGE" tune --replay results.json --json >replay.json 2>err.txt
[[ $(field replay.json "t['chosen']['parameters']") == $(field all.json "t['chosen']['parameters']") ]]
pass 'which chooses what the session chose' $? replay.json

# By energy: of a record that has it. The less time a point takes the more it has here, and those of 32 parts have most.
python3 - <<'END'
import json
record = json.load(open('results.json'))
for r in record['results']:
    time = [m['value'] for m in r['measurements'] if m['name'] == 'time']
    if time:
        energy = 1000 if r['configuration']['PARTS'] >= 32 else 100 / time[0]
        r['measurements'].append({'name': 'energy', 'value': energy, 'unit': 'mJ'})
json.dump(record, open('energies.json', 'w'))
END
"$RIDGE" tune --replay energies.json --objective energy --save-t4 saved.json --json >energy.json 2>err.txt &&
    "$RIDGE" tune --replay saved.json --json >again.json 2>err.txt
python3 - <<'END' >got.txt
import json
energy, again = (json.load(open(f))['tunings'][0] for f in ('energy.json', 'again.json'))
right = [e for e in energy['evaluations'] if e['outcome'] == 'correct']
assert energy['objective'] == again['objective'] == 'energy'
assert energy['chosen'] == again['chosen'] and energy['chosen']['energy_mj'] == 1000, energy['chosen']
assert min(right, key=lambda e: e['energy_mj'] * e['time_ns'])['energy_mj'] == 1000
print(energy['chosen']['energy_mj'] == min(e['energy_mj'] for e in right))
END
grep -q '^True$' got.txt
pass 'a record with energies is searched for the least' $? got.txt
"$RIDGE" tune --replay energies.json --objective edp >edp.txt 2>err.txt
grep -q '^  chosen   PARTS=32 BLOCK=128 T=float: .* us, 1 J modelled' edp.txt && grep -q 'the tuned table keeps what is fastest' edp.txt
pass 'or for the least energy x time, which the tuned table does not keep' $? edp.txt
expect 'a record without energies is refused' 2 tune --replay results.json --objective energy <<'END'
ridge: results.json: it has no measured energy
END
expect 'a simulated GPU has no energy' 2 tune tune:tuned -p N=64 --device sim:h200 --objective energy <<'END'
ridge: --objective energy needs measured energy, and sim:h200 is simulated: tune on a GPU, or by --objective time
  tuning 'tuned' in case ROWS=512 N=64
END
sed -i 's/"\[1, 4, 8, 32, 64\]"/"[2**i for i in (0, 5)]"/; s/(0, 5)/[0, 5]/' space.json
tune tune:tuned -p N=64 --space space.json --json >smaller.json 2>err.txt
field smaller.json "t['axes']['PARTS'], len(t['evaluations'])" >got.txt
diff - got.txt <<<"['1', '32'] 8" >diff.txt
pass 'a T1 file gives values and conditions' $? diff.txt

# Killed after some points: the next session has them.
anew out.txt err.txt
"$RIDGE" tune --device sim:h200 tune:tuned -p N=64 --fresh >out.txt 2>err.txt &
ridge=$!
for _ in {1..6000}; do
    [[ $(grep -sc ' us$' err.txt) -ge 2 ]] && break
    kill -0 $ridge 2>/dev/null || break
    sleep 0.02
done
kill -9 $ridge
wait $ridge 2>/dev/null
known=$(grep -c '"outcome"' "$RIDGE_HOME"/tune/*.jsonl | sort -t: -k2 -n | tail -1)
tune tune:tuned -p N=64 --json >resumed.json 2>err2.txt
((${known##*:} >= 2)) && [[ $(field resumed.json "t['resumed'] >= 2 and t['chosen']['parameters']['PARTS']") == 32 ]]
pass 'what a killed session found is kept, and it goes on there' $? err2.txt

# Interrupted: the best so far is said, and the exit status is that of an interruption.
cp -r tune slow
edit slow/experiment.yaml 's/ROWS: 512/ROWS: 65536/; s/experiment: sums/experiment: slow/'
anew out.txt err.txt
"$RIDGE" tune --device sim:h200 slow:tuned -p N=128 >out.txt 2>err.txt &
ridge=$!
for _ in {1..6000}; do
    [[ $(grep -sc ' us$' err.txt) -ge 1 ]] && break
    kill -0 $ridge 2>/dev/null || break
    sleep 0.02
done
kill -INT $ridge
wait $ridge
status=$?
((status == 3)) && grep -q 'interrupted' err.txt && grep -q '^  chosen   PARTS=' out.txt && grep -q 'interrupted$' out.txt
pass 'an interrupted session says the best so far' $? out.txt

# Sources that differ by their definitions are compiled at the same time, one per processor.
if (($(nproc) > 1)) && clang=$(command -v clang); then
    mkdir at-work
    cat >clang-watched <<END
#!/usr/bin/env bash
case " \$* " in
*" --version "* | *" -print-"*) exec $clang "\$@" ;;
esac
: >"$PWD/at-work/\$\$"
sleep 0.5
ls "$PWD/at-work" | wc -l >>"$PWD/at-once.txt"
$clang "\$@"
status=\$?
rm "$PWD/at-work/\$\$"
exit \$status
END
    chmod +x clang-watched
    RIDGE_CACHE=$PWD/new-cache tune tune:tuned -p N=64 --fresh --compiler "$PWD/clang-watched" --json >out.txt 2>err.txt
    sort -n at-once.txt >most.txt
    (($(tail -1 most.txt) > 1))
    pass 'points are compiled at the same time' $? most.txt
else
    echo 'skip - points are compiled at the same time: one processor, or no clang'
fi

# A second session on the same at the same time is refused.
(
    for file in "$RIDGE_HOME"/tune/*.jsonl; do
        exec {lock}>>"$file"
        flock "$lock"
    done
    tune tune:tuned -p N=64 >out.txt 2>err.txt
    (($? == 3)) && grep -q 'another `ridge tune` works on this variant' err.txt
)
pass 'two sessions do not write one file' $? err.txt

# Far slower points are stopped before their end.
cp -r tune cut
cat >>cut/sum.cu <<'END'

__global__ void wasteful(float *out, const float *in, int rows, int n, int waste)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[(size_t)row * n + i];
    volatile float kept = sum;
    for (int i = 0; i < waste; i++)
        kept = kept * 1.0f;
    out[row] = kept;
}
END
cat >>cut/experiment.yaml <<'END'

  - name: wasteful
    tune: {WASTE: [0, 10, 4000000]}
    kernel: wasteful
    grid: [ceil_div(ROWS,128)]
    block: [128]
    args: [out, in, ROWS, N, WASTE]
END
edit cut/experiment.yaml 's/experiment: sums/experiment: cut/'
tune cut:wasteful -p N=64 --json >cut.json 2>err.txt
field cut.json "[e['outcome'] for e in t['evaluations']], t['chosen']['parameters']" >got.txt
diff - got.txt <<<"['correct', 'correct', 'cut'] {'WASTE': '0'}" >diff.txt
pass 'a point that is far slower is stopped early' $? diff.txt

# All variants of an experiment, in all cases.
tune tune --evaluations 2 --json >every.json 2>err.txt
python3 -c "
import json
t = json.load(open('every.json'))['tunings']
print([(x['variant'], x['case'], x['space']) for x in t])" >got.txt
diff - got.txt >diff.txt <<<"[('plain', 'ROWS=512 N=64', 1), ('tuned', 'ROWS=512 N=64', 16), ('plain', 'ROWS=512 N=128', 1), ('tuned', 'ROWS=512 N=128', 16)]"
pass 'without a variant all are tuned, in every case' $? diff.txt

expect 'a variant without tune is said' 2 tune tune:plain <<'END'
ridge: tune/experiment.yaml:16:11: variant 'plain' has nothing to tune: give it 'tune: {TILE: [8, 16, 32]}'
      - name: plain
              ^
END
expect 'a mistyped variant gets a suggestion' 2 tune tune:tunde <<'END'
ridge: tune/experiment.yaml: unknown variant 'tunde' (did you mean 'tuned'?)
END
expect 'a strategy that is none is refused' 2 tune tune:tuned --strategy annealing <<'END'
ridge: unknown strategy 'annealing' (known: exhaustive, random, bayesian, pruned, local)
END
finish

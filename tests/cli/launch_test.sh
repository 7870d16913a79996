#!/usr/bin/env bash
# What a launch may have, as the experiment file says it, on the simulated GPU.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need cc
need clang
need python3

fresh() {
    rm -rf launch
    cp -r "$here/launch" .
}
# verified NAME COUNT FILE [OPTION...]: so many results are verified, and no other.
verified() {
    local name=$1 count=$2 file=$3
    shift 3
    timeout 300 "$RIDGE" verify "launch/$file" --device sim:h200 --seed 7 -q --plain "$@" >said.txt 2>&1
    [[ $? == 0 && $(grep -c ' verified' said.txt) == "$count" ]]
    pass "$name" $? said.txt
}
# refused NAME WORDS FILE [OPTION...]: nothing is verified, and the message has the words.
refused() {
    local name=$1 words=$2 file=$3
    shift 3
    timeout 300 "$RIDGE" verify "launch/$file" --device sim:h200 --seed 7 -q --plain "$@" >said.txt 2>&1
    [[ $? != 0 ]] && grep -qF -- "$words" said.txt
    pass "$name" $? said.txt
}

fresh
verified 'structs by value, nested and aligned' 2 structs.yaml --check
fresh
edit launch/structs.yaml 's/f64 0.25, i8 1/f32 0.25, i8 1/'
refused 'a struct of another size is refused, with its fields' \
    'has 32 bytes aligned to 8 in the kernel, but 24 aligned to 8 here, with its fields {x at 0, N at 8, 1.5 at 12, {0.25 at 0, 1 at 4} at 16}' \
    structs.yaml --variant nested
fresh
edit launch/structs.yaml 's/, align: 16//'
refused 'a struct of another alignment is refused' 'has 16 bytes aligned to 16 in the kernel, but 16 aligned to 4 here' \
    structs.yaml --variant wide
fresh
edit launch/structs.yaml 's/at: 4/at: 2/'
refused 'a field must lie where its size divides' "'at' puts this field of 4 bytes at byte 2; it must be a multiple of 4" \
    structs.yaml --variant wide
fresh
edit launch/structs.yaml 's/args: \[y, x, \{struct.*/args: [y, x, {struct: [1.5]}, {value: N, at: 4}]}/'
refused 'at is for fields' "'at' belongs to a field of a struct" structs.yaml
fresh
edit launch/structs.yaml 's/f64 0.25/f63 0.25/'
refused 'an unknown type in a field is refused' "f63" structs.yaml
fresh
edit launch/structs.yaml 's/args: \[y, x, \{struct[^}]*\}, N\]/args: [y, x, 1.5, N]/; s/, at: 4\}\]. size: 16. align: 16\}, N\]/]}/'
sed -i 's/args: \[y, x, {struct.*/args: [y, x, 1.5, N]}/' launch/structs.yaml
refused 'a number where a struct belongs says how one is written' 'a struct by value is written {struct: [x, i32 4, f32 0.5]}' \
    structs.yaml --variant wide

fresh
verified 'a cooperative grid synchronises, several blocks per SM' 1 grid.yaml
verified 'a cooperative grid that fills the chip does' 1 grid.yaml --param blocks=2112 --param rounds=2
verified 'a cooperative grid has no races' 1 grid.yaml --check
refused 'blocks that are not all resident are refused' \
    'a cooperative launch of 2113 blocks: at most 2112 fit at the same time on NVIDIA H200 (16 on each of 132 SMs)' \
    grid.yaml --param blocks=2113
edit launch/grid.yaml 's/cooperative: true, //'
refused 'a grid that synchronises without a cooperative launch is refused' "give the launch 'cooperative: true'" grid.yaml
"$RIDGE" devices >out.txt 2>&1
if [[ -f /usr/local/cuda/include/cooperative_groups.h ]] && ! grep -q 'libnvrtc is in no folder' out.txt; then
    fresh
    edit launch/grid.yaml 's/source: k.cu/source: groups.cu/'
    verified 'this_grid().sync() of cooperative groups' 1 grid.yaml --compiler nvrtc
else
    echo 'skip - this_grid().sync() of cooperative groups: no NVRTC with its headers is here'
fi

fresh
verified 'loops over launches sort' 2 loops.yaml --check
verified '... other sizes too' 1 loops.yaml --param N=4096 --variant bitonic
"$RIDGE" run launch/loops.yaml --device sim:h200 -q --json --no-journal >run.json 2>said.txt
python3 - <<'END' >said.txt 2>&1
import json
r = json.load(open('run.json'))['results']
assert [len(x['launches']) for x in r] == [55, 55], [len(x['launches']) for x in r]
END
pass 'each turn is a launch: 1 + 2 + ... + 10' $? said.txt
"$RIDGE" run launch/loops.yaml --device sim:h100 -q --plain --no-journal 2>&1 | tr '\n' ' ' >said.txt
grep -Eq "no figure +'graph_kernel_ns'" said.txt
pass 'what a graph costs is not known of every chip, and that is said' $? said.txt
edit launch/loops.yaml 's/next: 2\*k/next: k/'
refused 'a loop that does not end is refused' "the loop over 'k' does not end within 100000 turns" loops.yaml --variant bitonic
fresh
edit launch/loops.yaml 's/k: \{from: 2, while/N: {from: 2, while/'
refused "a loop's variable must not hide a parameter" "'N' is no free name for a loop's variable" loops.yaml
fresh
edit launch/loops.yaml 's/from: 2, while: k <= N, //'
refused 'a loop needs a beginning' "the loop over 'k' needs 'from'" loops.yaml
fresh
edit launch/loops.yaml 's/while: j > 0, next: j.2\}$/while: j > N, next: j\/2}/'
refused 'loops without a turn are refused' "the loops of variant 'bitonic' make no launch" loops.yaml --variant bitonic

fresh
verified 'a variable of the source has data of its own' 1 sets.yaml --check
printf '\0\0\200\077\0\0\0\100\0\0\100\100\0\0\200\100' >launch/taps.bin # 1 2 3 4
edit launch/sets.yaml 's/set: \{taps: \{type.*/set: {taps: file(taps.bin)}}/'
verified '... or those of a file' 1 sets.yaml --check
edit launch/sets.yaml 's/file\(taps.bin\)/file(none.bin)/'
refused 'a file that is not there is named' "none.bin' does not exist" sets.yaml
fresh
edit launch/sets.yaml 's/taps, N\]\}$/y, N]}/; s/set: \{taps: \{type: f32, count: 4, fill/set: {x: {type: f32, count: 4, fill/'
refused 'data for a variable may not take the name of a buffer' "'set' would make a buffer 'x' for this variable" sets.yaml

fresh
verified 'untimed steps run' 2 timed.yaml --check
"$RIDGE" run launch/timed.yaml --device sim:h200 -q --json --no-journal >run.json 2>said.txt
python3 - <<'END' >said.txt 2>&1
import json
whole, kernel = json.load(open('run.json'))['results']
assert kernel['time_ns']['median'] < whole['time_ns']['median'] - 1500
assert len(whole['launches']) == 2 and not kernel.get('launches')
END
pass '... and are no part of the time' $? said.txt
edit launch/timed.yaml 's/from: all/from: all\n    graph: true/'
refused 'a graph has no untimed steps' 'a graph is timed as a whole' timed.yaml

fresh
verified 'a texture in linear memory, by index' 1 fetch.yaml --check
verified 'a filtered texture, in rows and in an array' 2 shrink.yaml --check
verified '... of any height' 2 shrink.yaml --param H=3
verified 'wrapped and mirrored texels of four bytes as numbers' 1 turns.yaml --check
verified 'surfaces read and written' 1 soften.yaml --check
refused 'rows in linear memory have a multiple of 32 bytes' \
    "a row of this texture has 796 bytes with W=199 H=75: not a multiple of 32, as rows in linear memory must be; 'memory: array' takes any" \
    shrink.yaml --param W=199
verified '... and an array any' 1 shrink.yaml --param W=199 --variant array
edit launch/fetch.yaml 's/texture: x, size: N/texture: x, size: N+1/'
refused 'a texture larger than its buffer is refused' "this texture spans 4004 bytes with N=1000: buffer 'x' has 4000" fetch.yaml
fresh
edit launch/fetch.yaml 's/args: .*/args: [{texture: x, size: N}, y, {texture: x, size: N}]/'
refused 'a texture where a number belongs is refused' \
    "argument 3 of kernel 'neighbours' is i32 in the kernel, but a texture here: its parameter is a cudaTextureObject_t" fetch.yaml
fresh
edit launch/soften.yaml 's/size: \[W, H\], channels: 4\}, \{/size: [W, 1], channels: 4}, {/'
refused 'an access outside of a surface is found' 'accesses a surface outside of it: y is' soften.yaml
"$RIDGE" run launch/shrink.yaml --device sim:h200 -q --json --no-journal >run.json 2>said.txt
python3 - <<'END' >said.txt 2>&1
import json
rows, array = json.load(open('run.json'))['results']
for r in (rows, array):
    c = r['counters']
    assert c['texture_requests']['value'] == 50 * 75 and c['global_load_requests']['value'] == 0, c['texture_requests']
    assert 0 < c['texture_sectors_hit']['value'] < c['texture_sectors']['value']
    assert r['time_ns']['provenance'] == 'modelled'
END
pass 'fetches are counted by themselves' $? said.txt

verified 'dynamic shared memory of 96 and 224 KiB' 2 large.yaml --check --param pieces=5
refused 'more than a block may have is refused' 'shared_bytes is 240000 (4*piece with piece=60000 pieces=20); it must be 0 to 232448' \
    large.yaml --param piece=60000

# Streams, memory of the host, copies, a window of the L2.
fresh
cp -r "$here/../device/steps" launch/steps
verified 'copies, streams, mapped memory and a window' 7 steps --check
edit launch/steps/experiment.yaml 's/offset: 2\*N\}/offset: 4*N}/'
refused 'a copy beyond its buffer is refused' \
    "this copy takes 16384 bytes from byte 32768 on (N=8192): 'in' has 32768 and 'din' 32768" steps --variant streams
fresh
cp -r "$here/../device/steps" launch/steps
edit launch/steps/experiment.yaml 's/persist: \{buffer: in\}/persist: {buffer: in, bytes: 4*N+1}/'
refused 'a window beyond its buffer is refused' "'persist' keeps 32769 bytes (N=8192): 'in' has 32768" steps --variant window
fresh
cp -r "$here/../device/steps" launch/steps
"$RIDGE" run launch/steps --device sim:h200 -q --json --no-journal -p N=1048576 >run.json 2>said.txt
python3 - <<'END' >said.txt 2>&1
import json
r = {x['variant']: x for x in json.load(open('run.json'))['results']}
assert r['pageable']['time_ns'] is None and 'no rate' in r['pageable']['note'], r['pageable']
assert r['mapped']['time_ns'] is None and 'not modelled' in r['mapped']['note']
assert 'keeps no window' in r['window']['note']
launches = [l['time_ns']['median'] if isinstance(l['time_ns'], dict) and 'median' in l['time_ns'] else l['time_ns'] for l in r['streams']['launches']]
print(launches, r['streams']['time_ns'])
assert [l['kernel'] for l in r['streams']['launches']] == ['(copy)', '(copy)', 'plain', '(copy)']
c = r['streams']['counters']
assert c['h2d_bytes']['value'] == 4 * 1048576 and c['d2h_bytes']['value'] == 4 * 1048576
END
pass 'what the simulated GPU does not model of them is said' $? said.txt
finish

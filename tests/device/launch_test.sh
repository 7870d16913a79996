#!/usr/bin/env bash
# What a launch may have (structs by value, cooperative grids, loops, graphs, untimed steps, variables'
# data), on a real GPU: verified and timed. Skips where there is none. run-alone: it measures.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/gpu.sh"
need_gpu launches
kept=${KEEP_JSON:-$work} # where the results' JSON goes
cp -r "$here/../cli/launch" "$work/launch"
cp "$here"/steps/steps.cu "$work/launch/"
sed 's/reference.c:double_ref/double.c:double_ref/' "$here/steps/experiment.yaml" >"$work/launch/steps.yaml"
cp "$here/steps/reference.c" "$work/launch/double.c"
cd "$work" || exit 1

# timed NAME FILE COUNT [OPTION...]: so many variants are right and have a measured time, none is not.
timed() {
    local name=$1 file=$2 count=$3
    shift 3
    if "$RIDGE" run "launch/$file.yaml" --device cuda:0 --no-journal -q --json "$@" >"$kept/$file.json" 2>said.txt &&
        python3 - "$kept/$file.json" "$count" >>said.txt 2>&1 <<'END'
import json, sys
results = json.load(open(sys.argv[1]))['results']
for r in results:
    print(r['variant'], r['verified'], r.get('error'), (r.get('time_ns') or {}).get('median'))
assert len(results) == int(sys.argv[2])
assert all(r['verified'] and r['time_ns']['provenance'] == 'measured' for r in results)
END
    then
        echo "ok - $name"
    else
        echo "not ok - $name"
        sed 's/^/# /' said.txt | head -20
    fi
}

timed 'structs by value' structs 2
timed 'a cooperative grid' grid 1 --param blocks=264 --param N=1000000
sed -i 's/source: k.cu/source: groups.cu/' launch/grid.yaml
timed "cooperative groups' own barrier" grid 1 --param blocks=264 --param N=1000000
"$RIDGE" verify launch/grid.yaml --device cuda:0 -q --param blocks=100000 >said.txt 2>&1
if grep -q 'they do not all fit' <(tr '\n' ' ' <said.txt | sed 's/  */ /g'); then
    echo 'ok - a grid that does not fit is refused'
else
    echo 'not ok - a grid that does not fit is refused'
    sed 's/^/# /' said.txt
fi
timed 'loops over launches, in a stream and in a graph' loops 2
timed 'a chain of launches in a stream and in a graph' chain 2
timed 'data for a variable' sets 1
timed 'untimed steps' timed 2
timed 'a texture in linear memory' fetch 1 --param N=1000000
timed 'filtered textures, in rows and in an array' shrink 2 --param W=1600 --param H=900
timed 'wrapped and mirrored texels' turns 1 --param W=640 --param H=480
timed 'pageable memory, streams, mapped memory and a window' steps 7 --param N=1048576
timed 'dynamic shared memory of 96 and 224 KiB' large 2 --param pieces=500
timed 'surfaces' soften 1 --param W=610 --param H=400
if python3 - "$kept/chain.json" "$kept/timed.json" >said.txt 2>&1 <<'END'
import json, sys
stream, graph = json.load(open(sys.argv[1]))['results']
whole, kernel = json.load(open(sys.argv[2]))['results']
per = [r['time_ns']['median'] / 64 for r in (stream, graph)]
print('a launch in a stream takes %.0f ns, in a graph %.0f ns' % tuple(per))
print('with the untimed step: %.0f ns, without: %.0f ns' % tuple(r['time_ns']['median'] for r in (whole, kernel)))
assert per[1] < per[0]
END
then
    echo 'ok - a graph launches faster'
else
    echo 'not ok - a graph launches faster'
fi
sed 's/^/# /' said.txt

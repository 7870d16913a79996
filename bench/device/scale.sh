#!/usr/bin/env bash
# Several GPUs of one host: links, collectives with their roof, the slow pair, strong and weak scaling with the exchange, two
# ranks of one job, a worker that is killed, a recording of the GPUs at work. Each result is ridge's own output.
# Usage: bench/device/scale.sh FOLDER
#   FOLDER    gets a file of each step; a line per figure is printed last
# DEVICES (cuda:0,cuda:1), LIMIT (222): seconds after which no step is begun; SMALL=1: sizes for a fake driver; RIDGE names the program.
# SPDX-License-Identifier: Apache-2.0
set -u
mkdir -p "${1:?FOLDER}"
out=$(realpath "$1")
RIDGE=$(realpath "${RIDGE:-build/ridge}")
cd "$(dirname "$0")/../.." || exit 1
export NCCL_NVLS_ENABLE=0                      # NVLink multicast stays off
export RIDGE_HOME=$out/home
mkdir -p "$RIDGE_HOME"
# A compiler for the kernels: NVRTC wherever it lies, else nvcc.
nvrtc=$(find /usr /opt /root /home /venv -name 'libnvrtc.so.1[23]' 2>/dev/null | head -1)
if [ -n "$nvrtc" ]; then
    LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}${LD_LIBRARY_PATH:+:}$(dirname "$nvrtc")
    export LD_LIBRARY_PATH
elif command -v nvcc >/dev/null; then
    export RIDGE_COMPILER=nvcc
fi
echo "NVRTC: ${nvrtc:-none}; nvcc: $(command -v nvcc || echo none); compiler: ${RIDGE_COMPILER:-auto}" | tee "$out/compiler"
end=$((SECONDS + ${LIMIT:-222}))
if [ -z "${RIDGE_NCCL:-}" ]; then
    nccl=$(python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0] + "/lib/libnccl.so.2")' 2>/dev/null)
    [ -e "$nccl" ] || nccl=$(find / -name libnccl.so.2 -not -path '/proc/*' 2>/dev/null | head -1)
    [ -e "$nccl" ] && export RIDGE_NCCL=$nccl
fi
echo "NCCL: ${RIDGE_NCCL:-of the loader}; mpirun: $(command -v mpirun || echo none)"
devices=${DEVICES:-cuda:0,cuda:1}
step() { # SECONDS NAME COMMAND...: standard output to $out/NAME
    local most=$1 name=$2 left=$((end - SECONDS)) began=$SECONDS status
    shift 2
    ((left > 3)) || { echo "$name: no time left"; return; }
    timeout -k 2 "$((most < left ? most : left))" "$@" >"$out/$name" 2>"$out/$name.err" </dev/null
    status=$?
    echo "$name: status $status, $((SECONDS - began)) s"
    [ -s "$out/$name.err" ] && tail -n 2 "$out/$name.err" | cut -c1-300
    return $status
}
if [ -n "${SMALL:-}" ]; then
    reduction='-p N=65536' conv='-p N=65536 -p K=9' matmul='-p M=256 -p N=128 -p K=128' halo='-p M=256 -p N=256' transpose='-p M=256 -p N=256' big='-p M=256 -p N=128 -p K=128'
else
    reduction='-p N=268435456' conv='-p N=67108864 -p K=129' matmul='-p M=4096 -p N=4096 -p K=4096 --variant late' halo='-p M=8192 -p N=16384' transpose='-p M=16384 -p N=16384' big='-p M=16384'
fi
nvidia-smi --query-gpu=index,uuid,clocks.sm,temperature.gpu,power.draw --format=csv >"$out/smi" 2>&1
nvidia-smi topo -m >"$out/topo" 2>&1
step 20 devices.txt "$RIDGE" devices -v
step 25 probe.1.json "$RIDGE" probe --device $devices --json
step 25 probe.2.json "$RIDGE" probe --device $devices --json
step 25 probe.txt "$RIDGE" probe --device $devices
scaling() { # strong or weak
    local kind=$1
    step 30 reduction.$kind.json "$RIDGE" scale reduction $reduction --variant one-launch -d $devices --rounds 4 -q --scaling $kind --json
    step 30 transpose.$kind.json "$RIDGE" scale transpose-any $transpose -d $devices --rounds 4 -q --scaling $kind --json
    step 30 conv1d.$kind.json "$RIDGE" scale conv1d $conv -d $devices --rounds 4 -q --scaling $kind --json
    step 30 halo.$kind.json "$RIDGE" scale examples/halo $halo -d $devices --rounds 4 -q --scaling $kind --json
    step 30 matmul.$kind.json "$RIDGE" scale matmul-f32 $matmul -d $devices --rounds 4 -q --scaling $kind --json
}
# A recording of two GPUs at work, for the detectors of series: what they raise where nothing is wrong.
"$RIDGE" monitor --interval 200ms --json >"$out/record.jsonl" 2>"$out/record.err" </dev/null &
recorder=$!
scaling strong

# Two ranks of one job, a GPU each.
ranks() { # NAME COMMAND...
    local name=$1
    shift
    for rank in 1 0; do
        RIDGE_RANK=$rank RIDGE_RANKS=2 RIDGE_LOCAL_RANK=$rank RIDGE_RANKS_JOB=$name-$$ timeout -k 2 40 "$@" \
            >"$out/$name.$rank" 2>"$out/$name.$rank.err" </dev/null &
        started[rank]=$!
    done
    wait "${started[@]}"
    echo "$name: $(wc -c <"$out/$name.0") bytes; $(tail -n 1 "$out/$name.0.err" | cut -c1-200)"
}
# What they exchange goes between two processes, by NCCL; over the loopback interface where that does not begin otherwise.
export NCCL_DEBUG=WARN
((end - SECONDS > 20)) && ranks ranks-reduction "$RIDGE" scale reduction $reduction --variant one-launch -d $devices --rounds 4 --json
if ! grep -q '"exchange": {' "$out/ranks-reduction.0"; then
    echo "ranks: once more over lo"
    export NCCL_SOCKET_IFNAME=lo
    ranks ranks-reduction-lo "$RIDGE" scale reduction $reduction --variant one-launch -d $devices --rounds 4 --json
fi
((end - SECONDS > 20)) && ranks ranks-transpose "$RIDGE" scale transpose-any $transpose -d $devices --rounds 4 --scaling strong --json
((end - SECONDS > 20)) && ranks ranks-halo "$RIDGE" scale examples/halo $halo -d $devices --rounds 4 --json
((end - SECONDS > 20)) && ranks ranks-matmul "$RIDGE" scale matmul-f32 $matmul -d $devices --rounds 4 --scaling weak --json
scaling weak
# A worker is killed in the middle: the other GPU does its share.
timeout -k 2 40 "$RIDGE" scale matmul-f32 $big -d $devices --weight 0.1 --rounds 5 --json >"$out/killed.json" 2>"$out/killed.json.err" &
pid=$!
for ((i = 0; i < 700; i++)); do
    if grep -sq '^round 1:' "$out/killed.json.err"; then
        ridge=$(pgrep -P $pid | head -1)
        worker=$(pgrep -P "${ridge:-$pid}" | head -1)
        [ -n "$worker" ] && kill -KILL "$worker" && echo "killed worker $worker" && break
    fi
    kill -0 $pid 2>/dev/null || break
    sleep 0.02
done
wait $pid
echo "killed.json: status $?"

mkdir -p "$RIDGE_HOME/suite"
for e in reduction conv1d histogram softmax; do [ -d experiments/$e ] && ln -sfn "$PWD/experiments/$e" "$RIDGE_HOME/suite/$e"; done
ln -sfn "$PWD/experiments/common" "$RIDGE_HOME/suite/common"
((end - SECONDS > 30)) && [ -z "${SMALL:-}" ] && ranks ranks-suite "$RIDGE" suite "$RIDGE_HOME/suite" -d $devices --journal "$RIDGE_HOME/suite.sqlite" --json
RIDGE_NCCL=none step 25 conv1d.copies.json "$RIDGE" scale conv1d $conv -d $devices --rounds 3 -q --json

kill -INT $recorder && wait $recorder
wc -l "$out/record.jsonl"
timeout 10 "$RIDGE" monitor --replay "$out/record.jsonl" --interval 200ms >"$out/replay.txt" 2>"$out/replay.err"
tail -n 3 "$out/replay.txt"
gzip -9 -f "$out/record.jsonl"
find "$out" -name '*.err' -empty -delete
for f in "$out"/*.json "$out"/ranks-[!s]*.0; do
    python3 - "$f" <<'PY'
import json, os, sys
try:
    r = json.load(open(sys.argv[1]))
except ValueError as e:
    sys.exit(f"{os.path.basename(sys.argv[1])}: no JSON")
name = os.path.basename(sys.argv[1])
if "rows" in r:
    for row in r["rows"][5::6]:
        print(f"{name}: {row['collective']} {row['bytes']} B {row['bus_gbps']:.4g} GB/s, {100 * (row.get('of_roof') or 0):.0f} % of {row.get('roof')}")
    print(f"{name}: slow {r.get('slow')}")
for p in r.get("points", []):
    x = p.get("exchange_ns") or 0
    print(f"{name}: {p['devices']} devices {p['time_ns'] / 1e3:.4g} us, efficiency {p['efficiency']:.3f}, exchange {x / 1e3:.4g} us, with it {p['ideal_ns'] / (p['time_ns'] + x):.3f}")
if "devices" in r and "rounds" in r:
    print(f"{name}: verified {r['verified']}, lost {[d['lost'] for d in r['devices']]}, exchange {'measured by ' + r['exchange']['way'] if r.get('exchange') else r.get('exchange_note')}")
PY
done
du -sh "$out" | cut -f1

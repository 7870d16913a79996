#!/usr/bin/env bash
# `ridge scale` on two GPUs of one host: how they are linked, what links and collectives deliver, strong and weak scaling
# of the shipped experiments that say how they are divided, and a worker that is killed. Prints what it measured. About
# two minutes; skips where there are fewer than two GPUs.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/gpu.sh"
need_gpu 'scaling'
if ! "$RIDGE" devices | grep '^ *cuda:1 ' >/dev/null; then
    echo 'skip - scaling: there is one GPU'
    exit 0
fi
export NCCL_NVLS_ENABLE=0 # NVLink multicast stays off
devices=cuda:0,cuda:1
failed=0

pass() { # NAME STATUS: what was said is shown
    if (($2 == 0)); then echo "ok - $1"; else
        echo "not ok - $1"
        failed=1
    fi
    sed 's/^/# /' "$work/out" "$work/err"
}
scale() { # EXPERIMENT OPTIONS
    timeout 60 "$RIDGE" scale "$1" --device $devices --rounds 4 -q "${@:2}" >"$work/out" 2>"$work/err"
}
held() { # a pattern in what was said
    grep -E "$1" "$work/out" >/dev/null
}

"$RIDGE" devices -v >"$work/all" 2>"$work/err"
sed -n '/^Links/,/^Parts/p' "$work/all" >"$work/out"
held 'cuda:0 - cuda:1: '
pass 'links_are_listed' $?

# An all-reduce, a halo, broadcast and gathering; by NCCL, then by copies from GPU to GPU.
for way in '' none; do
    for e in 'reduction --param N=268435456 --variant one-launch' 'histogram --param N=268435456 --param values=256' \
        'conv1d --param N=67108864 --param K=129' 'matmul-f32 --param M=8192'; do
        # shellcheck disable=SC2086
        RIDGE_NCCL=$way scale $e
        status=$?
        held '^Exchange of a round ' || status=1
        pass "${e%% *}_is_exchanged_and_right${way:+_without_nccl}" $status
    done
done

for e in 'reduction --param N=268435456 --variant one-launch' 'softmax --param cols=4096 --param elements=67108864' \
    'matmul-f32 --param M=8192' 'transpose-any --param M=16384 --param N=16384'; do
    for kind in strong weak; do
        # shellcheck disable=SC2086
        scale $e --scaling $kind
        pass "${e%% *}_scales_$kind" $?
    done
done

# A worker is killed in the middle: its share is done by the other GPU.
"$RIDGE" scale matmul-f32 --param M=16384 --device $devices --weight 0.1 --rounds 6 >"$work/out" 2>"$work/err" &
pid=$!
worker=
for ((i = 0; i < 600; i++)); do
    grep -sq '^round 1:' "$work/err" && worker=$(pgrep -P $pid -x ridge | head -1)
    [[ -n $worker ]] && break
    kill -0 $pid 2>/dev/null || break
    sleep 0.05
done
[[ -n $worker ]] && kill -KILL "$worker"
wait $pid
status=$?
held 'device was lost; what it had was done by the others' || status=1
pass 'a_killed_worker_s_share_is_done_by_the_other_gpu' $status
exit $failed

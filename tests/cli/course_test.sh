#!/usr/bin/env bash
# The course: each shipped experiment, every variant, on the simulated H200 at small, odd and uneven sizes, with
# the checks for races and uninitialised reads on.
# run-early: it takes long.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
. "$here/course.sh"

course histogram 36 N=1,33,1001
course histogram-f32 56 N=1,9001 bins=255,256,2048
course histogram-f32 8 N=40001 bins=65536
course histogram-zipf 11 N=9001 bins=255,2048,65536
course histogram-zipf-u8 12 N=33,9001
course reduction 33 N=1,1000,40001
course conv1d 32 N=1,4099 K=3,33
course depthwise 9 length=37 channels=8,33,520
course scan 18 N=1,20001
course scan-i32 18 N=33,9000
course softmax 20 elements=3000 cols=1,33,1000,1024
course softmax 17 elements=9000 cols=4096,8192,20001
course softmax-bf16 20 elements=3000 cols=1,33,1000,1024
course softmax 12 elements=60000 cols=20000
course softmax-bf16 17 elements=20000 cols=16384

# What cluster and set refuse.
cp -r "$experiments/conv1d" "$experiments/softmax" "$experiments/common" .
sed -i 's|../common/|common/|' conv1d/*.cu softmax/*.cu
cp -r common conv1d/
cp -r common softmax/
edit conv1d/experiment.yaml 's/taps: weights/tops: weights/'
"$RIDGE" verify conv1d --device sim:h200 -q -p N=100 -p K=3 --variant constant >said.txt 2>&1
grep -q "has no variable 'tops' on the device" said.txt
pass 'a variable that is not there is named' $? said.txt
edit conv1d/experiment.yaml 's/tops: weights/taps: x/'
"$RIDGE" verify conv1d --device sim:h200 -q -p N=100 -p K=3 --variant constant >said.txt 2>&1
grep -q "the variable 'taps' has 12 bytes, the buffer that it is set to 400" said.txt
pass 'a buffer that is larger than the variable is refused' $? said.txt
edit conv1d/experiment.yaml 's/taps: x/taps: weight/'
"$RIDGE" verify conv1d --device sim:h200 -q >said.txt 2>&1
[ $? = 2 ] && grep -q "unknown buffer 'weight' (did you mean 'weights'?)" said.txt
pass 'a buffer that is not there is named' $? said.txt
edit softmax/experiment.yaml 's/cluster: 8/cluster: 7/'
"$RIDGE" verify softmax --device sim:h200 -q -p elements=9000 -p cols=8192 --variant cluster >said.txt 2>&1
grep -q "not a multiple of the cluster's 7" said.txt
pass 'a cluster that does not divide the grid is refused' $? said.txt
finish

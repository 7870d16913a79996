#!/usr/bin/env bash
# ridge run --with-transfers: the copies around the kernels as part of the time.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang
stage scale
"$RIDGE" run scale --param N=4096 -q >without.txt
"$RIDGE" run scale --param N=4096 -q --with-transfers >out.txt
grep -q '^Copies' without.txt
pass 'no rows of copies unless they are asked for' $((!$?)) without.txt
grep -qE '^plain +296 ns +296 ns +[0-9.]+ %  modelled' out.txt
pass 'a row for each variant: in, back, share, provenance' $? out.txt
"$RIDGE" explain scale:plain >out.txt
grep -qE 'class: host transfer' out.txt && grep -qE 'evidence: h2d_ns = 296 ns \(modelled\)' out.txt
pass 'the copies are found, with evidence' $? out.txt
grep -qE '^  link +296 ns +16.4 k bytes' out.txt
pass 'the link has a bound' $? out.txt
"$RIDGE" show --json | grep -A1 '"transfer_share_pct"' >out.txt
grep -q value out.txt
pass 'they are counters in JSON' $? out.txt
"$RIDGE" show --markdown | found '^| copies to the device '
pass 'and rows in Markdown' $?
finish

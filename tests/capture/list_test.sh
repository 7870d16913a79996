#!/usr/bin/env bash
# `ridge capture --list --exact`, the whole command: a program on the fake driver, its end, and what is said of it.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"

capture --list --exact -- "$work/program" 7
tr '\n' ' ' <"$work/out" >"$work/flat"
check the_program_prints_what_it_prints '^sum 4032$' "$work/out"
check its_exit_status_is_ours '^status 7$' "$work/status"
check disk_and_memory_are_said_before 'at most 1 GiB of disk and 65 MiB of memory per process' "$work/err"
check kernels_are_summed '^ *100\.0 % +50\.0 us +5 +10\.0 us +10\.0 us +10\.0 us +2,1,1 x 32,1,1 +twice$' "$work/out"
check copies_are_summed '^ *5\.00 us +1 +256 B +0\.0512 +copy host to device$' "$work/out"
check the_gpu_is_named 'GPU 0 Fake GPU' "$work/out"
check what_recording_may_have_added_is_said 'Recording may have added up to 8 % to the span: .*, 2 here' "$work/flat"
check what_is_not_known_is_said 'How far a kernel is from its floor is not known' "$work/out"
check nothing_is_left_in_the_cache '^0$' <(find "$work/cache" -name '*.ridgecap' | wc -l)

capture --list --exact -- "$work/program" graphs
check graphs_are_listed_by_their_kernels '2003 +10\.0 us .* twice$' "$work/out"
check and_what_that_adds_is_said 'Recording may have added up to [0-9]+ % to the span' "$work/out"
check and_how_to_have_less 'graphs whole adds less' <(tr '\n' ' ' <"$work/out")
FAKE_TIMELESS=1 capture --list -o "$work/page.html" -- "$work/program"
check work_without_times_is_said_on_the_page 'Left out of process [0-9]+: 2 kernels, copies or fills without times' "$work/page.html"
FAKE_TIMELESS=1 capture --list --exact -- "$work/program"
check and_in_the_list 'Left out of process [0-9]+: 2 kernels, copies or fills without times' "$work/out"
FAKE_TIMELESS=1 capture --list --exact --json -- "$work/program"
check and_in_the_json '"without_times": 2,$' "$work/out"
capture --list --graphs whole -- "$work/program" graphs
tr '\n' ' ' <"$work/out" >"$work/flat"
check a_graph_can_be_a_row '^ *99\.9 % +20\.0 ms +1000 +20\.0 us +20\.0 us +20\.0 us +- +graph [0-9]+ of process [0-9]+$' "$work/out"
check what_is_not_known_then_is_said '1000 launches of graphs were recorded as a whole' "$work/flat"
check and_kernels_beside_it_are_listed ' 3 +10\.0 us .* twice$' "$work/out"
check then_little_is_added '^0$' <(grep -c 'Recording may have added' "$work/out")
capture --list --graphs whole --json --trace "$work/trace.json" -- "$work/program" graphs
check json_has_launches_of_graphs '"graph_launch_calls": 1000,$' "$work/out"
check and_how_many_were_whole '"whole_graphs": 1000,$' "$work/out"
check the_trace_has_whole_graphs '"name":"graph [0-9]+ of process [0-9]+","ph":"X".*"whole_graph":true' "$work/trace.json"
capture --list --graphs whole -o "$work/graphs.html" -- "$work/program" graphs
check the_page_says_it_too '1000 launches of graphs were recorded as a whole' "$work/graphs.html"
RIDGE_CAPTURE_GRAPHS=whole capture --list --exact --json -- "$work/program" graphs
check the_environment_may_say_so_too '"whole_graphs": 1000,$' "$work/out"
RIDGE_CAPTURE_GRAPHS=whole capture --list --graphs kernels --json -- "$work/program" graphs
check but_the_option_decides '"whole_graphs": 0,$' "$work/out"
capture --list --graphs some -- "$work/program"
check another_word_is_refused "'kernels' or 'whole'" "$work/err"
capture --list --graphs whole --from "$work"
check a_recording_has_its_graphs_as_they_are 'of a program that --list runs' "$work/err"

RIDGE_CAPTURE_CUPTI= LD_LIBRARY_PATH=$work capture --list --exact -- "$work/program"
check an_empty_name_of_cupti_is_none ' twice$' "$work/out"

capture --list --exact -- "$work/program" abort
check a_signal_is_the_program_s '^status 134$' "$work/status"
check and_what_it_did_is_listed 'twice$' "$work/out"

capture --list --json --trace "$work/trace.json" -- "$work/program" child
check json_has_standard_output_for_itself '^\{' "$work/out"
check the_program_s_output_goes_to_standard_error '^sum 4032$' "$work/err"
if command -v python3 >"$work/python"; then
    python3 - "$work/out" "$work/trace.json" >"$work/said" 2>&1 <<'PY'
import json, sys
out, trace = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
assert len(out["processes"]) == 2 and all(p["ended"] for p in out["processes"])
(kernel,) = out["kernels"]
assert kernel["launches"] == 10 and kernel["by_graphs"] == 4 and kernel["total_ns"] == 100000, kernel
assert sum(p["launch_calls"] for p in out["processes"]) == 6 and sum(p["graph_launch_calls"] for p in out["processes"]) == 2
assert all(p["call_ns"] is None for p in out["processes"]) # nobody listened to calls
slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
assert len(slices) == 14 and {e["pid"] for e in slices} == {1, 2}
assert all(e["dur"] > 0 and e["ts"] >= 0 for e in slices)
print("as wanted")
PY
    check json_and_trace_are_as_wanted '^as wanted$' "$work/said"
else
    echo 'skip - json_and_trace_are_as_wanted: python3 is not here'
fi

capture --list --exact -- "$work/program" ranges
check ranges_have_the_kernels_that_were_launched_within '^ *[0-9.]+ [a-z]+ +1 +5 +50\.0 us +library: step$' "$work/out"
check a_range_that_ended_before_has_none '^ *[0-9.]+ [a-z]+ +1 +0 +0 ns +inner$' "$work/out"
capture --list -o "$work/page.html" -- "$work/program" ranges
check an_output_named_html_is_a_page '^<!DOCTYPE html>' "$work/page.html"
check with_a_lane_per_stream 'GPU 0 Fake GPU, stream 7</text>' "$work/page.html"
check and_one_per_thread_with_ranges 'ranges of thread [0-9]+</text>' "$work/page.html"
check and_the_tables '<td>library: step</td></tr>' "$work/page.html"
check that_needs_no_network '^0$' <(grep -c 'src=\|href=\|@import' "$work/page.html")
NVTX_INJECTION64_PATH=/x.so capture --list --exact -- "$work/program" ranges
check another_tool_s_ranges_are_left_to_it '^status 98$' "$work/status"

capture --list --floors --device sim:h200 -- "$work/program" 7
check floors_come_from_a_launch_that_is_run_again '^ +76\.9 % +50\.0 us +0\.[0-9] % +launch +launch +twice$' "$work/out"
check what_they_are_made_of_is_said 'which sim:h200 ran again' "$work/out"
check what_is_no_kernel_has_none '^ +15\.4 % +10\.0 us +- +- +- +copies and fills' "$work/out"
check the_second_run_s_output_goes_aside '^1$' <(grep -c '^sum 4032$' "$work/out")
check the_exit_status_is_the_first_run_s '^status 7$' "$work/status"
check what_was_saved_for_it_is_gone '^0$' <(find "$work/cache/work" -mindepth 1 -type d | wc -l)
capture --list --floors --device sim:h200 --json -- "$work/program"
cp "$work/out" "$work/list.json"
check and_what_the_floor_is_of '"floor_of": "launch"' "$work/list.json"
check a_floor_s_provenance_is_in_the_json '"time_provenance": "modelled"' "$work/list.json"
"$RIDGE" roi "$work/list.json" --runs-per-day 1e9 --gpu-hour-price 2 >"$work/out" 2>&1
check roi_prices_the_list '^ *twice +50\.0 us +76\.9 % .* 100 % +27\.78 +modelled' "$work/out"
printf '{"work_on_next": 3}' >"$work/none.json"
"$RIDGE" roi "$work/none.json" --runs-per-day 1 --gpu-hour-price 2 >"$work/out" 2>&1
check roi_says_what_a_list_is 'ridge capture --list --floors --json' "$work/out"
capture --list --floors --from "$work"
check floors_need_the_program 'give it after `--`' "$work/err"

capture --floors -- true
check floors_are_of_a_list 'give --list too' "$work/err"
capture --list --device sim:h200 -- true
check a_device_is_for_floors 'a program chooses its own' "$work/err"

capture --list -- true
check a_program_without_a_gpu_is_said 'warning: nothing was recorded' "$work/err"
capture --list -- "$work/no-such-program"
check a_program_that_is_not_there_is_an_error 'cannot be started: No such file' "$work/err"
check and_ends_with_2 '^status 2$' "$work/status"
capture --list
check a_program_or_recordings_are_needed 'needs a program after `--`' "$work/err"
capture -- true
check a_folder_or_the_list_is_asked_for 'capture -o FOLDER -- PROGRAM' "$work/err"
CUDA_INJECTION64_PATH=/x.so capture --list -- true
check another_tool_is_not_replaced 'another tool listens' "$work/err"
capture --list --from "$root/fuzz/corpus/capture_stream"
check a_folder_without_recordings_says_so 'no recording' "$work/err"
mkdir "$work/kept" && cp "$root/fuzz/corpus/capture_stream/list" "$work/kept/1.ridgecap"
capture --list --from "$work/kept"
check recordings_are_read 'twice$' "$work/out"
capture --list --plain --from "$work/kept/1.ridgecap"
check plain_has_a_fact_per_line 'kernel twice$' "$work/out"
# Recorded programs, played to the recorder: what it records then gives the same list. h200-*.ridgecap were recorded on an H200
# (driver 580.159.04, 2026-11-23): kernels on two streams, a graph of them, copies; one of them with its calls.
build play play.c || check the_player_compiles '^ok' <(echo no)
for file in "$root/fuzz/corpus/capture_stream/list" "$here"/*.ridgecap; do
    [[ -e $file ]] || continue
    name=${file##*/} name=${name%.ridgecap}
    cp "$file" "$work/kept/1.ridgecap"
    "$RIDGE" capture --list --plain --from "$work/kept/1.ridgecap" >"$work/recorded" 2>&1
    how=kernels
    [[ $name != *graphs ]] || how=whole
    RIDGE_CAPTURE_CALLS=1 capture --list --graphs "$how" --plain -- "$work/play" "$file"
    check "recording_${name}_is_played" '^played [1-9]' "$work/out"
    sed -i '/^played /d' "$work/out"
    sed -i -E 's/(graph [0-9]+) of process [0-9]+/\1/' "$work/recorded" "$work/out"
    check "recording_${name}_gives_the_same_list" '^0$' <(diff "$work/recorded" "$work/out" >"$work/differences"; echo $?)
    head -n 20 "$work/differences" | sed 's/^/# /'
done
capture --list --json --from "$root/tests/import/nsys.sqlite"
check nsys_s_export_is_read '"provenance": "measured"' "$work/out"
check with_its_kernels '"launches": [1-9]' "$work/out"
check bytes_that_it_lacks_are_not_zero '"bytes": null' "$work/out"
for trace in "$root"/tests/import/traces/*.json "$root/fuzz/corpus/perfetto/slices"; do
    capture --list --plain --from "$trace"
    name=${trace##*/} name=${name%.json}
    check "${name//-/_}_of_amd_is_read" '^status 0$' "$work/status"
    check "${name//-/_}_has_its_kernel" 'kernel add\(float\*\)$' "$work/out"
done
capture --list --plain --from "$root/tests/import/traces/rocprof-chrome.json"
check a_shape_that_a_trace_lacks_is_not_zero '^0$' <(grep -c '0,0,0' "$work/out")
"$RIDGE" import "$root/tests/import/traces/rocprofv3.json" >"$work/out" 2>"$work/err"
check import_says_how_a_trace_is_read 'capture --list --from' "$work/err"
head -c 2000 "$root/tests/import/traces/rocprofv3.json" >"$work/cut.json"
capture --list --from "$work/cut.json"
check a_cut_trace_is_refused 'cut\.json:[0-9]+:[0-9]+: not JSON.*if the program was killed' "$work/err"
check and_that_ends_with_2 '^status 2$' "$work/status"
capture --list --from "$root/fuzz/corpus/perfetto/cut"
check a_cut_perfetto_trace_too 'packet\[5\] is cut off' "$work/err"
capture --list --from "$here/list_test.sh"
check other_files_are_refused 'this is no recording' "$work/err"
exit $failures

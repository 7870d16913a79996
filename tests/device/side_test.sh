#!/usr/bin/env bash
# Simulation on the side: what a kernel that is measured on the fake GPU has from the simulated one of the same chip, what is
# said where it has nothing, and that times know nothing of it.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
export RIDGE_HOME=$work/home RIDGE_CACHE=$work/cache RIDGE_JOURNAL=$work/journal.db COLUMNS=300

fake_driver || {
    echo "not ok - the fake driver compiles"
    exit 1
}
cp -r "$here/side" "$work/side"
echo 'bytes that the fake driver takes, and the simulated GPU does not' >"$work/side/machine.cubin"

ridge() {
    env LD_LIBRARY_PATH="$work/driver" "$RIDGE" "$@"
}
# A limit that no slow machine reaches, but where it is what is tested.
run() {
    ridge run "$work/side" --device cuda:0 --time-limit 0.2 --timeout 300 --side-limit 200 --seed 7 "$@"
}

# ---- what it brings -------------------------------------------------------------------------------
run --variant plain --variant twin >"$work/out" 2>"$work/err"
check measured_time_stays_measured 'plain: verified, 50\.. us measured' "$work/err"
check first_screen_names_a_cause_in_the_code \
    '^Limited by +latency: Warps wait for memory .*a thread has 1.0 load in flight.* \(kernels.cu:7\)' "$work/out"
check table_says_measured_times_and_simulated_counts '^plain .* mea/sim *$' "$work/out"
check fidelity_says_what_it_is_of \
    '^Fidelity: of what was simulated on the side, on sim:h200: results exact; time validated' "$work/out"
check like_with_like_is_no_difference '^twin .* same ' "$work/out"
ridge explain side:plain --plain >"$work/out" 2>&1
check explain_says_where_it_is_from 'simulated on the side: on sim:h200, 100 % of the blocks' "$work/out"
check explain_has_the_stalls_as_modelled "warps' time: long_scoreboard .*\(modelled\)" "$work/out"
ridge annotate side:plain >"$work/out" 2>&1
check annotate_says_what_lines_are 'kernels.cu, variant plain.*\(counters simulated; time by line modelled\)' "$work/out"
check annotate_has_the_reason_at_the_line 'long_scoreboard.* 7 .*out\[i\] = in\[i\]' "$work/out"
ridge show --markdown >"$work/out" 2>&1
check markdown_says_what_the_fidelity_is_of '\*\*Fidelity\*\*: of what was simulated on the side' "$work/out"
ridge report -o "$work/page.html" >"$work/out" 2>&1
check page_has_the_lines_and_says_what_they_are 'plain <small>counters simulated</small>' "$work/page.html"
check page_says_that_time_by_line_is_modelled 'time \(modelled\), most of it' "$work/page.html"

# ---- what the JSON says, from the journal ---------------------------------------------------------
if command -v python3 >/dev/null; then
    ridge show --json >"$work/run.json"
    python3 - "$work/run.json" >"$work/keys" <<'PY'
import json, sys
for r in json.load(open(sys.argv[1]))["results"]:
    print(r["variant"], "time", r["time_ns"]["provenance"])
    print(r["variant"], "side", json.dumps(r["side"], sort_keys=True))
    for name in "counters", "stalls", "facts", "counterfactuals_ns":
        for provenance in "measured", "simulated", "modelled":
            keys = [k for k, f in r[name].items() if f["provenance"] == provenance]
            if name != "counters" and keys:
                print(r["variant"], name, provenance)
            elif name == "counters" and provenance == "measured":
                print(r["variant"], name, provenance, *sorted(keys))
    for f in r["findings"]:
        if f["cause"] == "few-loads":
            print(r["variant"], f["cause"], f["priced_by"], f["file"], f["line"],
                  {k: e["provenance"] for k, e in sorted(f["evidence"].items())})
    as_is, loads = (r["counterfactuals_ns"][k]["value"] for k in ("as_is", "loads"))
    promised = [f["expected_time_ns"] for f in r["findings"] if f["cause"] == "few-loads"][0]
    print(r["variant"], "price scales with the measured time",
          abs(promised - r["time_ns"]["median"] * loads / as_is) < 1e-6 * promised)
phases = [p for r in json.load(open(sys.argv[1]))["results"] for p in r["phases"]]
timed = max(p["at_s"] + p["s"] for p in phases if p["name"] in ("measuring", "warming up"))
print("simulated after all times", all(p["at_s"] >= timed - 1e-9 for p in phases if p["name"] == "simulating"))
PY
    if diff "$here/side/keys.txt" "$work/keys" >"$work/diff"; then
        echo "ok - json_says_of_each_figure_where_it_is_from"
    else
        echo "not ok - json_says_of_each_figure_where_it_is_from"
        sed 's/^/# /' "$work/diff"
    fi
else
    echo 'skip - json: python3 is not here'
fi

# ---- diagnosed anew, where there is no GPU ----------------------------------------------------------
again() { # of the newest run, without the driver
    "$RIDGE" explain "$@" --again --side-limit 200 -q
}
ridge explain side:plain --json >"$work/then" 2>&1
again side:plain --json >"$work/now" 2>"$work/err"
check again_needs_no_gpu '"provenance": "measured"' "$work/now"
if diff <(sed 's/"code_key.*//' "$work/then") <(sed 's/"code_key.*//' "$work/now") >"$work/diff"; then
    echo "ok - and_finds_the_same_again"
else
    echo "not ok - and_finds_the_same_again"
    sed 's/^/# /' "$work/diff"
fi
if command -v python3 >/dev/null; then
    python3 - "$work/run.json" "$work/stale.json" <<'PY'
import json, sys
run = json.load(open(sys.argv[1]))
for r in run["results"]:
    r["findings"], r["note"] = [], "of the GPU; on sim:h200: old; what fixes are worth was not replayed within 2 s: old"
    r["counters"]["barriers"] = {"value": 12345, "provenance": "modelled"}
    r["counters"]["grid_blocks"]["value"] = 54321
    del r["counterfactuals_ns"], r["facts"], r["stalls"]
json.dump(run, open(sys.argv[2], "w"))
PY
    again "$work/stale.json:plain" >"$work/out" 2>&1
    check again_makes_findings_of_a_file 'a thread has 1.0 load in flight' "$work/out"
    again "$work/stale.json" --json >"$work/now" 2>&1
    check again_keeps_what_was_measured '54321' "$work/now"
    lacks again_forgets_what_an_earlier_simulation_said '12345|not replayed within|: old' "$work/now"
    check and_keeps_the_other_notes '"note": "of the GPU"' "$work/now"
    sed -i "s/add.f32 %f2, %f1, %f1;/mul.f32 %f2, %f1, 0f40000000;/" "$work/side/kernels.ptx"
    if cmp -s "$here/side/kernels.ptx" "$work/side/kernels.ptx"; then
        echo "not ok - the_source_is_another_now"
    fi
    again "$work/stale.json:plain" >"$work/out" 2>&1
    check again_says_where_the_code_is_another 'what was simulated again is not what was measured' "$work/out"
    cp "$here"/side/kernels.* "$work/side/"
fi
# Registers are the driver's, not the simulator's estimate: with 255 of them an SM holds a block of 8 warps.
if command -v python3 >/dev/null; then
    run --no-journal --variant plain -p N=262144 --json >"$work/few.json" 2>"$work/err"
    python3 - "$work/few.json" "$work/many.json" <<'PY'
import json, sys
run = json.load(open(sys.argv[1]))
for r in run["results"]:
    r["counters"]["registers_per_thread"]["value"] = 255
json.dump(run, open(sys.argv[2], "w"))
PY
    for registers in few many; do
        again "$work/$registers.json" --json 2>"$work/err" |
            python3 -c 'import json, sys; print(json.load(sys.stdin)["results"][0]["counters"]["occupancy_achieved_pct"]["value"])' \
                >"$work/$registers"
    done
    check warps_of_an_sm_are_many_with_few_registers '^[3-9][0-9]\.' "$work/few"
    check and_few_with_many_registers_by_the_driver '^([0-9]|1[0-2])\.' "$work/many"
fi
"$RIDGE" explain side:plain --again --side-limit 0 --json -q >"$work/now" 2>&1
if diff <(sed 's/"code_key.*//' "$work/then") <(sed 's/"code_key.*//' "$work/now") >"$work/diff"; then
    echo "ok - the_rules_alone_find_the_same_in_what_was_simulated_then"
else
    echo "not ok - the_rules_alone_find_the_same_in_what_was_simulated_then"
    sed 's/^/# /' "$work/diff"
fi
"$RIDGE" run "$work/side" --device sim:h200 --variant plain --seed 7 -q >/dev/null 2>&1
again side:plain >"$work/out" 2>&1
check again_is_for_runs_of_a_gpu 'the run is of a simulated GPU: `ridge run side` does all of it again' "$work/out"

# ---- patches, tried on the side ----------------------------------------------------------------------
# The fake driver's `plain` makes as many elements as the grid has threads: four per thread come out wrong there. NVRTC does
# not run beside that driver, and finds in the cache what was compiled without it.
if command -v python3 >/dev/null; then
    cp -r "$work/side" "$work/tried"
    sed -i -e 's/^experiment: side/experiment: tried/' -e 's/kernels.ptx/kernels.cu/' "$work/tried/experiment.yaml"
    sed -i '/elsewhere(n)/d' "$work/tried/kernels.cu"
    trying=(--seed 7 --compiler nvrtc --try-patches 100 -p N=262144 --variant plain --variant strided --json)
    "$RIDGE" run "$work/tried" --device sim:h200 --no-journal -q "${trying[@]}" >"$work/out" 2>"$work/err"
    ridge run "$work/tried" --device cuda:0 --time-limit 0.2 --timeout 300 --side-limit 200 "${trying[@]}" \
        >"$work/run.json" 2>>"$work/err"
    if grep -q 'libnvrtc is in no folder' "$work/err"; then
        echo 'skip - patches: NVRTC is not here'
    else
                        python3 - "$work/run.json" >"$work/out" 2>&1 <<'PY'
import json, sys
for r in json.load(open(sys.argv[1]))["results"]:
    for t in r.get("patches_tried", []):
        print(r["variant"], t["maker"], t["verdict"], t["verified"], t["time_ns"] is not None)
PY
        check patches_of_measured_variants_are_verified_on_the_device '^plain block [a-z ]+ True True$' "$work/out"
        check and_what_is_wrong_there_is_wrong '^plain vector wrong result False False$' "$work/out"
        "$RIDGE" explain tried:plain --again --side-limit 200 --try-patches 100 -q >"$work/out" 2>&1
        check what_was_wrong_on_the_gpu_stays_wrong "'vector' wrong result" "$work/out"
        ridge run "$work/tried" --device cuda:0 --time-limit 0.2 --timeout 300 --side-limit 200 "${trying[@]}" --try-patches 0 \
            >"$work/out" 2>&1
        "$RIDGE" explain tried:plain --again --side-limit 200 --try-patches 100 -q >"$work/out" 2>&1
        check without_the_gpu_they_are_not_verified "'vector' gains .* \(not verified\)" "$work/out"
    fi
fi

# ---- causes of a grid, by what its loop steps by ------------------------------------------------------
run --no-journal -v --variant strided >"$work/out" 2>"$work/err"
check grid_is_advised_by_what_the_loop_steps_by \
    'fix: Launch more blocks, so that every SM has work: the loop steps by the grid' "$work/out"
check and_priced_in_measured_time 'expected time [0-9.]+ us, gain [1-9][0-9]* %' \
    <(grep -A1 'fix: Launch more blocks' "$work/out")

# ---- what it leaves alone -------------------------------------------------------------------------
run --variant plain --no-journal --side-limit 0 --json >"$work/out" 2>"$work/err"
check limit_of_0_turns_it_off 'plain: verified, 50\.. us measured' "$work/err"
lacks and_leaves_nothing '"(side|stalls|facts|counterfactuals_ns)":|not simulated' "$work/out"
FAKE_LOG=$work/log run --variant plain --no-journal >/dev/null 2>&1
check it_opens_no_context_on_the_gpu '^2$' <(wc -l <"$work/log")

# ---- what cannot be had ---------------------------------------------------------------------------
run --no-journal --plain --variant outside >"$work/out" 2>"$work/err"
check kernel_that_does_not_simulate_says_why \
    'note: .*not simulated on the side: .*outside.*without a body' "$work/out"
check and_is_measured_all_the_same 'outside: verified, 50\.. us measured' "$work/err"
run --no-journal --plain --variant machine >"$work/out" 2>"$work/err"
check machine_code_says_that_there_is_no_ptx 'not simulated on the side: its code is not PTX but cubin' "$work/out"
env FAKE_NAME='NVIDIA RTX 9999' FAKE_CC=120 LD_LIBRARY_PATH="$work/driver" "$RIDGE" run "$work/side" --device cuda:0 \
    --time-limit 0.2 --no-journal --plain --variant plain >"$work/out" 2>"$work/err"
check chip_without_a_model_is_said \
    'not simulated on the side: there is no model of NVIDIA RTX 9999' "$work/out"
run --no-journal --plain --side-limit 0.3 --variant endless --variant plain >"$work/out" 2>"$work/err"
check limit_ends_what_does_not_end \
    'not simulated on the side: it takes longer than 0.3 s: --side-limit gives it more time' "$work/out"
check and_its_time_stays 'endless: verified, 50\.. us measured' "$work/err"

# ---- a sample of a huge grid ------------------------------------------------------------------------
run --variant huge --json >"$work/out" 2>"$work/err"
check huge_grid_runs_a_sample '"blocks_share": 0\.00' "$work/out"
check its_facts_are_there '"loads_batched"' "$work/out"
check what_is_scaled_is_modelled '"warp_instructions": \{"value": [0-9.e+]+, "provenance": "modelled"' \
    <(tr -d '\n' <"$work/out" | sed 's/  */ /g; s/{ /{/g')
ridge annotate side:huge >"$work/out" 2>&1
check annotate_says_that_lines_are_scaled '\(counters modelled; time by line modelled\)' "$work/out"
exit 0

#!/usr/bin/env bash
# The formats of suites and gates, each held to its schema: JUnit, SARIF, Bencher's, github-action-benchmark's.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang xmllint python3
python3 -c 'import jsonschema' 2>/dev/null || {
    echo 'python3-jsonschema is not here'
    exit 77
}
schemas=$root/tests/report/schemas
mkdir -p 'all/o ne'
cp "$here"/scale/* 'all/o ne'
cp -r "$here/scale" all/two
sed -i 's/^experiment: scale/experiment: two/' all/two/experiment.yaml
"$RIDGE" gate -q --update all >/dev/null 2>&1

valid() { # NAME SCHEMA: out.txt
    python3 - "$schemas/$2" out.txt >why.txt 2>&1 <<'END'
import json, sys
import jsonschema
schema, document = (json.load(open(f)) for f in sys.argv[1:])
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.validate(document, schema)
END
    pass "$1" $? why.txt
}
write() { # STATUS ARGUMENT...: into out.txt
    local status=$1
    shift
    "$RIDGE" "$@" -q >out.txt 2>err.txt
    local got=$?
    ((got == status))
    pass "ridge $* has status $status" $? err.txt
}
asks() { # NAME PYTHON: of document d
    python3 -c "import json; d = json.load(open('out.txt')); assert $2, d" >why.txt 2>&1
    pass "$1" $? why.txt
}

# ---- a gate that fails ------------------------------------------------------------------------------
sed -i '/scale_plain/,$s/y\[i\] = a \* x\[i\]/y[i] = a * x[i] + 0.0f * x[i \/ 2]/' 'all/o ne/scale.cu'
sed -i '/name: strided/{n;s/scale_strided/scale_plain/}' all/two/experiment.yaml
write 1 gate all --format sarif
valid 'SARIF is valid' sarif.json
asks 'a result per figure that grew' 'sorted(set(r["ruleId"] for r in d["runs"][0]["results"])) == ["ridge/global_sectors", "ridge/instructions", "ridge/registers"]'
asks 'each at its source line' 'all(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "all/o%20ne/scale.cu" and r["locations"][0]["physicalLocation"]["region"]["startLine"] == 14 for r in d["runs"][0]["results"])'
asks 'each rule is described' 'set(r["ruleId"] for r in d["runs"][0]["results"]) <= set(r["id"] for r in d["runs"][0]["tool"]["driver"]["rules"])'
asks 'fingerprints tell results apart' 'len(set(json.dumps(r["partialFingerprints"]) for r in d["runs"][0]["results"])) == len(d["runs"][0]["results"]) == 6'
write 1 gate "$work/all" --format sarif
valid 'SARIF of absolute paths is valid' sarif.json
asks 'which are URIs' 'd["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith("file:///")'
write 1 gate all --format junit
xmllint --noout --schema "$schemas/junit.xsd" out.txt >why.txt 2>&1
pass 'JUnit is valid' $? why.txt
write 1 gate all --format bmf
valid "Bencher's is valid" bmf.json
asks 'a latency and the counters of each result' 'len(d) == 8 and d["scale N=4096 plain"]["latency"]["value"] > 0 and d["scale N=4096 plain"]["global_load_sectors"]["value"] == 768'
write 1 gate all --format customSmallerIsBetter
valid "github-action-benchmark's is valid" smaller.json
asks 'a row per result' 'len(d) == 8 and all(r["unit"] == "ns" and "modelled on sim:h200" in r["extra"] for r in d)'

# ---- one that is broken, one that passes, one with the self-test ----------------------------------------
sed -i 's/a \* x\[i\]/x[i]/' all/two/scale.cu
write 1 gate all --only two --format sarif
valid 'SARIF of what is broken is valid' sarif.json
asks 'a wrong result is an error' 'all(r["ruleId"] == "ridge/broken" and r["level"] == "error" for r in d["runs"][0]["results"])'
write 1 gate all --only two --format junit
xmllint --noout --schema "$schemas/junit.xsd" out.txt >why.txt 2>&1
pass 'JUnit of what is broken is valid' $? why.txt
rm -r all/two && cp -r "$here/scale" all/two && sed -i 's/^experiment: scale/experiment: two/' all/two/experiment.yaml
write 0 gate all --only two --format sarif
valid 'SARIF of what passes is valid' sarif.json
asks 'it has no results' 'd["runs"][0]["results"] == []'
write 0 gate all --only two --self-test --format junit
xmllint --noout --schema "$schemas/junit.xsd" out.txt >why.txt 2>&1
pass 'JUnit with properties is valid' $? why.txt
write 0 gate all --only two --self-test --format sarif
valid 'SARIF with properties is valid' sarif.json
asks 'the properties are there' 'd["runs"][0]["properties"]["self_test_false_alarms"] == "0 of 4"'

# ---- suites -----------------------------------------------------------------------------------------------
write 0 suite all/two --device sim:h200 --format bmf
valid "Bencher's of a suite is valid" bmf.json
write 0 suite all/two --device sim:h200 --format customSmallerIsBetter -o smaller.json
[[ ! -s out.txt ]] && mv smaller.json out.txt
pass '-o writes a file' $?
valid "github-action-benchmark's of a suite is valid" smaller.json
write 0 suite all/two --device sim:h200 --format markdown
grep -Eq '^\| two N=4096 plain \| yes \| - \| 1 \| - \| .* \| modelled \| 1\.000x, no difference \| - \|$' out.txt
pass 'a suite in Markdown' $? out.txt
write 2 suite all/two --format sarif
grep -q "there is no format 'sarif'; the formats are terminal, markdown, bmf, customSmallerIsBetter" err.txt
pass 'a format of gates is none of suites' $? err.txt
finish

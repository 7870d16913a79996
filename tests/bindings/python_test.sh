#!/usr/bin/env bash
# bindings/python on the simulated GPU, with Python alone: its unit tests, its structs against the header's,
# its functions against the library's, the example, and pip's installation where pip is.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need python3 cc clang
need_plain_library
build=$(cd "$(dirname "$RIDGE")" && pwd)
source=$root/bindings/python
export RIDGE RIDGE_LIBRARY=$build/libridge.so RIDGE_JOURNAL=$work/journal.sqlite
export PYTHONPATH=$source PYTHONDONTWRITEBYTECODE=1

python3 "$source/tests/test_ridge.py" -v >unit.txt 2>&1
status=$?
while read -r name; do pass "$name" 0; done < <(sed -n 's/^\(test_[a-z0-9_]*\) .* ok$/\1/p' unit.txt)
grep -q '^Ran [1-9]' unit.txt && ((status == 0))
pass 'every unit test' $? unit.txt

python3 "$root/tests/bindings/offsets.py" >offsets.c && cc -std=c17 -I"$root/include" offsets.c -o offsets &&
    ./offsets >offsets.txt
pass 'structs lie as in ridge.h' $? offsets.txt

nm -D --defined-only "$RIDGE_LIBRARY" | awk '$3 ~ /^ridge_/ { print $3 }' | sort >exported.txt
python3 -c 'from ridge import _library; print("\n".join(_library.FUNCTIONS))' | sort >declared.txt
# The makers of arguments have a Python form of their own; NVTX's table is for C.
comm -3 exported.txt declared.txt | tr -d '\t' |
    grep -vxE 'ridge_(address|i32|u32|i64|u64|f32|f64|nvtx)' >differ.txt
pass 'every function of the library is declared, and no other' $((!$?)) differ.txt

python3 "$source/examples/saxpy.py" sim:h200 >example.txt 2>&1 &&
    grep -Eq '^coalesced: [0-9.]+x \(.*\), faster$' example.txt &&
    grep -Eq '^coalesced +[0-9.]+ us modelled, 4.0 sectors per load request \(simulated\)$' example.txt
pass 'the example verifies, measures and compares' $? example.txt

RIDGE_LIBRARY=/nonexistent/libridge.so python3 -c 'import ridge; ridge.version()' >missing.txt 2>&1
grep -q 'libridge was not found (.*): build it with .make. and .make install., or set RIDGE_LIBRARY' missing.txt
pass 'a missing library is one clear sentence' $? missing.txt

if /usr/bin/python3 -m pip --version >/dev/null 2>&1; then
    cp -r "$source" copy
    ls -R copy >before.txt
    /usr/bin/python3 -m pip install --quiet --no-index --no-deps --target installed ./copy >pip.txt 2>&1 &&
        (cd / && PYTHONPATH=$work/installed /usr/bin/python3 -c \
            'import ridge; assert "installed" in ridge.__file__; print(ridge.version())') >>pip.txt 2>&1
    pass 'pip installs it with nothing else, and the copy works' $? pip.txt
    ls -R copy >after.txt
    cmp -s before.txt after.txt && [[ -e installed/ridge/py.typed ]]
    pass 'the types go with it, and the tree is left as it was' $? after.txt
else
    echo 'skip - pip installs it: Debian'"'"'s python3-pip is not here'
fi

finish

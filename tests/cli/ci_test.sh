#!/usr/bin/env bash
# The files of examples/ci: their shell steps are taken out and run, with the program that was built in the place
# of a clone; they pass where nothing changed and fail where a counter grew.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang git awk
mkdir -p bin project
export REAL_RIDGE=$RIDGE REAL_GIT
REAL_GIT=$(command -v git)
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
printf '#!/bin/sh\ncase $1 in update|install) exit 0;; *) exit 1;; esac\n' >bin/apt-get
cat >bin/git <<'END'
#!/bin/sh
[ "$1" = clone ] || exec "$REAL_GIT" "$@"
[ "$4" = https://example.org/ridge ] && [ "$5" = ridge ] || exit 1
mkdir -p ridge/build && ln -s "$REAL_RIDGE" ridge/build/ridge && printf 'demo:\n\t@build/ridge --version\n' >ridge/Makefile
END
chmod +x bin/*
export PATH=$work/bin:$PATH RIDGE_REPOSITORY=https://example.org/ridge GITHUB_STEP_SUMMARY=$work/summary.md
cp -r "$here/scale" project/kernels
"$RIDGE" gate --update -q project/kernels >/dev/null

# The steps of a file, in order, one shell each, as those systems run them: `set -e`.
github_steps() { awk '/^ *run: \|/ { match($0, /^ */); depth = RLENGTH; inside = 1; print "#step"; next }
    inside { match($0, /^ */); if (NF && RLENGTH <= depth) inside = 0; else print }' "$1"; }
gitlab_steps() { awk '/^  (before_script|script):/ { inside = 1; next } /^  [a-z]/ { inside = 0 }
    inside { sub(/^    - /, ""); print }' "$1"; }
jenkins_steps() { awk -v quotes="'''" 'index($0, quotes) { inside = !inside; if (inside) print "#step"; next } inside { print }' "$1"; }

run_steps() { # NAME FILE STATUS: in a fresh copy of the project
    local status
    rm -rf checkout && cp -r project checkout
    "$1_steps" "$root/examples/ci/$2" >steps.sh
    grep -q 'gate kernels' steps.sh
    pass "$2 has steps" $? steps.sh
    (cd checkout && bash -e ../steps.sh >../out.txt 2>&1)
    status=$?
    ((status == $3))
    pass "$2 ends with status $3" $? out.txt
}
all_files() { # STATUS
    run_steps github github.yml "$1"
    run_steps gitlab gitlab.yml "$1"
    [[ -s checkout/ridge.xml ]]
    pass 'gitlab.yml writes its report' $?
    run_steps jenkins Jenkinsfile "$1"
    [[ -s checkout/ridge.xml ]]
    pass 'Jenkinsfile writes its report' $?
}
all_files 0
grep -q '^\*\*ridge gate passed\*\*' summary.md
pass "GitHub's summary has the comment" $? summary.md
sed -i '/scale_plain/,$s/y\[i\] = a \* x\[i\]/y[i] = a * x[i] + 0.0f * x[i \/ 2]/' project/kernels/scale.cu
all_files 1
finish

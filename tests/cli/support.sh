# What the scripts of tests/cli share; sourced. Each runs in a folder of its own, with a journal and a
# cache of its own (scripts/run-tests), on copies of the experiments beside this file.
#   stage NAME             a copy of tests/cli/NAME under ./NAME
#   edit FILE SED          changes it
#   expect NAME STATUS     runs $RIDGE with the further arguments; standard error must be what is on
#                          standard input, to the letter, and the exit status STATUS
#   golden NAME            standard input, masked, must be tests/cli/golden/NAME.txt
# GOLDEN=write writes the golden files anew. Modelled times and what follows from them are masked:
# they change with the time model; counters are exact.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
export LC_ALL=C.UTF-8 COLUMNS=100 NO_COLOR=1
unset RIDGE_JOURNAL CC
export RIDGE_COMPILER=clang # its messages and its PTX are the same everywhere
export RIDGE_PTXAS=none RIDGE_NVDISASM=none # and so are the registers that are estimated, and what is shown below lines

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
RIDGE=${RIDGE:-$root/build/ridge}
work=$(mktemp -d)
# Of this shell alone: what is started by & is a copy of it until it is another program, and a signal may come first.
trap '((BASHPID != $$)) || rm -rf "$work"' EXIT
export RIDGE_HOME=$work/home RIDGE_CACHE=$work/cache RIDGE_DATA_DIR=$root
export GIT_CEILING_DIRECTORIES=${work%/*} # no commit, wherever the tests run
cd "$work" || exit 1

failures=0

# pass NAME STATUS-OF-THE-TEST [DETAIL-FILE]
pass() {
    if (($2 == 0)); then
        printf 'ok - %s\n' "$1"
    else
        printf 'not ok - %s\n' "$1"
        [[ -n ${3-} ]] && sed 's/^/# /' "$3"
        failures=$((failures + 1))
    fi
}

finish() { exit $((failures > 0)); }

need() { # need PROGRAM...: skips the whole file without them
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || {
            echo "$program is not here"
            exit 77
        }
    done
}

# anew FILE...: removes them before something in the background writes them, so that who waits for a line of it does not
# see one of an earlier program.
anew() { rm -f "$@"; }

# found OPTION-OF-GREP... PATTERN: standard input has it. `| grep -q` would end at the first match: what still writes
# fails then, now and then (SIGPIPE, EPIPE), and with pipefail that is the answer.
found() {
    cat >"$work/.found"
    grep -q "$@" "$work/.found"
}

# Programs of a plain compiler cannot use a library that is instrumented (sanitizers, coverage).
plain_library() { ! nm "${RIDGE%/*}/libridge.o" 2>/dev/null | found -E ' _*(asan|tsan|ubsan|gcov|sanitizer)_'; }

need_plain_library() {
    plain_library && return
    echo 'libridge is instrumented'
    exit 77
}

stage() { cp -r "$here/$1" .; }

edit() { sed -i -E "$2" "$1"; }

# Folders and addresses of this run.
mask_places() { sed -E "s|$work/|WORK/|g; s|$work|WORK|g; s/0x7[0-9a-f]{9,11}/ADDRESS/g"; }

expect() {
    local name=$1 status=$2 got
    shift 2
    cat >wanted.txt
    "$RIDGE" "$@" >stdout.txt 2>stderr.raw </dev/null
    got=$?
    mask_places <stderr.raw >stderr.txt
    diff -u wanted.txt stderr.txt >diff.txt
    local same=$?
    ((got == status)) || echo "exit status $got, not $status" >>diff.txt
    pass "$name" $((same != 0 || got != status)) diff.txt
}

# Dates, versions, compilers, host, seeds and hashes; modelled times and what follows from them.
mask() {
    mask_places | sed -E \
        -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z/DATE/g' \
        -e 's/(NVRTC|clang) [0-9.]+/COMPILER/g' \
        -e 's/ridge [0-9]+\.[0-9]+\.[0-9]+/ridge VERSION/g' \
        -e 's/ Commit: [0-9a-f]{40}(\+dirty)?\.//'
}

golden() {
    local file=$here/golden/$1.txt
    mask >got.txt
    if [[ ${GOLDEN-} == write ]]; then
        mkdir -p "$here/golden" && cp got.txt "$file"
    fi
    diff -u "$file" got.txt >diff.txt
    pass "golden $1" $? diff.txt
}

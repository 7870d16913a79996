#!/usr/bin/env bash
# The system fails ridge: folders that may not be written, a full disk, kill -9, a damaged journal.
# What was recorded stays, and what is said is exact.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang
stage scale
stage faults
chmod 755 . # a user who is not root works here too
run_scale=(run scale --param N=4096 -q)

# Root may write everywhere: as nobody then, if that can be done.
as_user() {
    if (($(id -u) != 0)); then "$@"; else setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; fi
}
can_be_user() { as_user test -x "$RIDGE" 2>/dev/null && as_user test -r scale/scale.cu; }

# said NAME STATUS COMMAND...: as expect, of any command.
said() {
    local name=$1 status=$2 got
    shift 2
    cat >wanted.txt
    "$@" >stdout.txt 2>stderr.raw </dev/null
    got=$?
    mask_places <stderr.raw >stderr.txt
    diff -u wanted.txt stderr.txt >diff.txt
    local same=$?
    ((got == status)) || echo "exit status $got, not $status" >>diff.txt
    pass "$name" $((same != 0 || got != status)) diff.txt
}

result_count() { "$RIDGE" log --journal "$1" 2>/dev/null | sed -nE '1s/.* ([0-9]+) results?.*/\1/p'; }

# ---- folders and files that may not be written ---------------------------------------------------

mkdir sealed
"$RIDGE" "${run_scale[@]}" --journal sealed/j.sqlite >/dev/null
chmod 555 sealed
mkdir -m 777 open
if can_be_user; then
    said 'a journal in a folder that may not be written is refused before anything runs' 3 \
        as_user "$RIDGE" run scale --journal sealed/new.sqlite <<'END'
ridge: cannot open the journal sealed/new.sqlite: unable to open database file: name a file you may write with --journal or RIDGE_JOURNAL, or run with --no-journal
END
    said 'a journal whose folder cannot be made is refused' 3 \
        as_user "$RIDGE" run scale --journal sealed/sub/j.sqlite <<'END'
ridge: cannot open the journal sealed/sub/j.sqlite: cannot make the folder 'sealed/sub': Permission denied; check the permissions of the file and its folder: name a file you may write with --journal or RIDGE_JOURNAL, or run with --no-journal
END
    said 'a journal that may not be written is not recorded in' 3 \
        as_user "$RIDGE" run scale --journal sealed/j.sqlite <<'END'
ridge: cannot open the journal sealed/j.sqlite: attempt to write a readonly database: name a file you may write with --journal or RIDGE_JOURNAL, or run with --no-journal
END
    said 'a journal that may not be written can be read' 0 \
        as_user "$RIDGE" show --journal sealed/j.sqlite </dev/null
    said 'a cache that may not be written is only slower' 0 \
        as_user env RIDGE_CACHE="$work/sealed/cache" TMPDIR="$work/open" "$RIDGE" "${run_scale[@]}" --no-journal <<'END'
END
    grep -c ' yes ' stdout.txt | diff - <(echo 2) >diff.txt
    pass 'and the results are the same' $? diff.txt
    said 'new in a folder that may not be written says so' 3 \
        as_user sh -c "cd sealed && '$RIDGE' new starter" <<'END'
ridge: cannot make the folder 'starter': Permission denied; check the permissions of the file and its folder
END
else
    echo 'skip - folders that may not be written: root cannot become nobody here'
fi
chmod 755 sealed

# ---- whose fault: 2 is the user's input, 3 the system's trouble ----------------------------------------

program() { # program NAME LINE...: a shell script in PATH's place
    printf '#!/bin/sh\n' >"$1"
    printf '%s\n' "${@:2}" >>"$1"
    chmod +x "$1"
}
program killed 'kill -9 $$'
program cc1killed 'echo "gcc: fatal error: Killed signal terminated program cc1" >&2; exit 1'
program no_memory 'echo "cc1: out of memory allocating 65536 bytes" >&2; exit 1'
program no_space 'echo "ld: final link failed: No space left on device" >&2; exit 1'
with_cc() { # with_cc NAME STATUS CC REASON
    "$RIDGE" "${run_scale[@]}" --no-journal >stdout.txt 2>stderr.txt </dev/null
    local before=$?
    env CC="$3" "$RIDGE" "${run_scale[@]}" --no-journal >stdout.txt 2>stderr.txt </dev/null
    local got=$?
    ((before == 0 && got == $2)) && grep -qF "$4" stderr.txt
    pass "$1" $? stderr.txt
}
with_cc 'a compiler that only says no is trouble of the system' 3 false \
    "the compiler 'false' failed on the reference, by no fault of its source: exit status 1 without a message; free memory and disk space, or name another compiler with CC"
with_cc 'so is one that is killed' 3 "$PWD/killed" 'by no fault of its source: stopped by signal 9 (Killed);'
with_cc 'one whose cc1 is killed' 3 "$PWD/cc1killed" 'Killed signal terminated program cc1;'
with_cc 'one without memory' 3 "$PWD/no_memory" 'cc1: out of memory allocating 65536 bytes;'
with_cc 'one on a full disk' 3 "$PWD/no_space" 'No space left on device;'
with_cc 'and one that is not there' 3 /no/such/cc "cannot start '/no/such/cc': No such file or directory"
cp -r scale broken && echo 'int x = ;' >>broken/reference.c
said_status() { # said_status NAME STATUS WORDS COMMAND...
    "${@:4}" >stdout.txt 2>stderr.txt </dev/null
    local got=$?
    (($2 == got)) && grep -qF "$3" stderr.txt
    pass "$1" $? stderr.txt
}
said_status 'a reference that does not compile is input' 2 'the reference does not compile with cc:' \
    "$RIDGE" run broken -q --no-journal
cp -r scale undefined && sed -i 's/= (float)((double)a \* x.i.)/= scaled(a, x[i])/; s/^void/float scaled(float a, float x);\n&/' undefined/reference.c
said_status 'so is one that calls what is defined nowhere' 2 \
    "/undefined/reference.c: the reference calls 'scaled', which is defined nowhere: define it in this file or include its source" \
    "$RIDGE" run undefined -q --no-journal
said_status 'a report into a folder that is not there is trouble of the system' 3 \
    "ridge: cannot write '/no/such/x.html': No such file or directory; its folder does not exist: make it, or name another" \
    "$RIDGE" report --journal sealed/j.sqlite -o /no/such/x.html
said_status 'so is an export' 3 "ridge: cannot write '/no/such/x': No such file or directory" \
    "$RIDGE" export --journal sealed/j.sqlite -o /no/such/x
said_status 'and a page in the place of a folder' 3 "ridge: cannot write 'open': Is a directory; name a file in it" \
    "$RIDGE" report --journal sealed/j.sqlite -o open
said_status 'a file to import that is not there is input' 2 "ridge: cannot read '/no/such/x': No such file or directory; check the path" \
    "$RIDGE" import /no/such/x --no-journal
program clang_killed 'case "$*" in *--version*) echo "clang version 14.0.6" ;; *) kill -9 $$ ;; esac'
mkdir tools && mv clang_killed tools/clang
said_status "a kernel's compiler that is killed is trouble of the system" 3 \
    'clang 14.0.6 crashed while compiling scale/scale.cu: stopped by signal 9 (Killed); free memory' \
    env PATH="$PWD/tools:$PATH" RIDGE_CACHE="$work/own" "$RIDGE" "${run_scale[@]}" --no-journal --compiler clang

# ---- a full disk -----------------------------------------------------------------------------------

if (($(id -u) == 0)) && mkdir full && mount -t tmpfs -o size=400k tmpfs full 2>/dev/null; then
    trap 'umount "$work/full"; rm -rf "$work"' EXIT
    "$RIDGE" run faults -q --variant right --journal full/j.sqlite >/dev/null 2>&1
    i=0
    while ((i++ < 80)) && "$RIDGE" run scale -q --journal full/j.sqlite >/dev/null 2>stderr.raw; do :; done
    grep -qE '^ridge: cannot write to the journal full/j.sqlite: database or disk is full: free some space, or name another file with --journal or RIDGE_JOURNAL' stderr.raw
    pass 'a full disk ends the run with one message' $? stderr.raw
    before=$("$RIDGE" log -n 0 --journal full/j.sqlite 2>stderr.txt | wc -l)
    ((before > 0))
    pass 'what was recorded before can be read' $? stderr.txt
    said 'a cache on a full disk is only slower' 0 \
        env RIDGE_CACHE="$work/full/cache" "$RIDGE" "${run_scale[@]}" --no-journal </dev/null
    umount full
    trap 'rm -rf "$work"' EXIT
else
    echo 'skip - a full disk: no small file system can be mounted here'
fi

(
    ulimit -f 96
    i=0
    while ((i++ < 40)) && "$RIDGE" run scale -q --journal limit.sqlite >/dev/null 2>stderr.raw; do :; done
    exit $((i > 40))
)
pass 'a limit on file sizes ends the run' $?
grep -qE '^ridge: cannot write to the journal limit.sqlite: (disk I/O error|database or disk is full)' stderr.raw
pass 'with one message' $? stderr.raw
"$RIDGE" log --journal limit.sqlite >stdout.txt 2>stderr.txt && [[ -s stdout.txt ]]
pass 'and what was recorded before can be read' $? stderr.txt
said 'the next run records again' 0 "$RIDGE" "${run_scale[@]}" --journal limit.sqlite </dev/null

if [[ -w /dev/full ]]; then
    "$RIDGE" "${run_scale[@]}" --no-journal >/dev/full 2>stderr.txt
    status=$?
    diff -u <(echo 'ridge: cannot write the results to standard output: No space left on device') \
        stderr.txt >diff.txt
    pass 'a standard output that is full is said' $(($? != 0 || status != 3)) diff.txt
fi

# ---- kill -9 -------------------------------------------------------------------------------------------

"$RIDGE" run faults -q --variant right --variant endless --journal killed.sqlite >/dev/null 2>&1 &
ridge=$!
for ((i = 0; i < 1200; i++)); do
    [[ $(result_count killed.sqlite) == 1 ]] && worker=$(cat "/proc/$ridge/task/$ridge/children") &&
        [[ -n $worker ]] && break
    sleep 0.05
done
kill -9 "$ridge"
wait "$ridge" 2>/dev/null
[[ $(result_count killed.sqlite) == 1 ]]
pass 'a result recorded before kill -9 stays' $?
"$RIDGE" log --journal killed.sqlite | found 'not finished'
pass 'and the run is marked as not finished' $?
for ((i = 0; i < 1200; i++)); do
    [[ -n ${worker// /} && ! -e /proc/${worker// /} ]] && break
    sleep 0.05
done
[[ -n ${worker// /} && ! -e /proc/${worker// /} ]]
pass 'no worker is left behind' $?
said 'the next run records in the same journal' 0 \
    "$RIDGE" "${run_scale[@]}" --journal killed.sqlite </dev/null
"$RIDGE" log --journal killed.sqlite | wc -l | diff - <(echo 2) >diff.txt
pass 'and both are there' $? diff.txt

"$RIDGE" run faults -q --variant right --variant endless --journal stopped.sqlite >/dev/null 2>stderr.raw &
ridge=$!
for ((i = 0; i < 1200; i++)); do
    [[ $(result_count stopped.sqlite) == 1 ]] && break
    sleep 0.05
done
kill -TERM "$ridge"
wait "$ridge"
status=$?
diff -u - stderr.raw >diff.txt <<'END'
ridge: interrupted
  1 result was recorded before: `ridge show 1`
END
pass 'an interrupted run says what it leaves' $(($? != 0 || status != 3)) diff.txt

# ---- a damaged journal ------------------------------------------------------------------------------------

head -c 5000 sealed/j.sqlite >cut.sqlite
said 'a journal cut short is said' 3 "$RIDGE" log --journal cut.sqlite <<'END'
ridge: cannot read the journal cut.sqlite: database disk image is malformed: move the file away, or name another with --journal or RIDGE_JOURNAL
END
said 'and is not written to' 3 "$RIDGE" "${run_scale[@]}" --journal cut.sqlite <<'END'
ridge: cannot open the journal cut.sqlite: database disk image is malformed: move the file away, or name another with --journal or RIDGE_JOURNAL
END
cp sealed/j.sqlite noise.sqlite
dd if=/dev/zero bs=4096 seek=1 count=10 conv=notrunc of=noise.sqlite 2>/dev/null
said 'a journal overwritten in part is said' 3 "$RIDGE" log --journal noise.sqlite <<'END'
ridge: cannot read the journal noise.sqlite: database disk image is malformed: move the file away, or name another with --journal or RIDGE_JOURNAL
END
echo 'not a journal, but a text that somebody keeps' >text.sqlite
said 'a file that is no journal is said' 3 "$RIDGE" log --journal text.sqlite <<'END'
ridge: cannot read the journal text.sqlite: file is not a database: move the file away, or name another with --journal or RIDGE_JOURNAL
END
said 'and is not written to' 3 "$RIDGE" "${run_scale[@]}" --journal text.sqlite <<'END'
ridge: cannot open the journal text.sqlite: file is not a database: move the file away, or name another with --journal or RIDGE_JOURNAL
END
: >empty.sqlite
said 'an empty journal says that nothing is recorded' 2 "$RIDGE" log --journal empty.sqlite <<'END'
ridge: the journal empty.sqlite is empty: nothing was recorded yet
END

# A compiled kernel's cache file cut short is compiled anew.
find "$RIDGE_CACHE" -type f ! -name '*.so' -exec truncate -s 100 '{}' +
said 'a damaged cache is mended' 0 "$RIDGE" "${run_scale[@]}" --no-journal </dev/null
# No memory for the device is trouble of the system, not a check that failed.
(
    ulimit -v 400000
    exec "$RIDGE" "${run_scale[@]}" --no-journal
) >memory.txt 2>&1 </dev/null
status=$?
[ $status = 3 ] && grep -q "memory: Cannot allocate memory" memory.txt
pass "no memory for the simulated GPU ends with status 3" $? memory.txt
# What is known of a compiler too: one changed byte of its version made it "too old".
find "$RIDGE_CACHE/tools" -type f -exec sed -i '1s/^./?/' '{}' +
said 'a damaged note about a compiler is made anew' 0 "$RIDGE" "${run_scale[@]}" --no-journal </dev/null

finish

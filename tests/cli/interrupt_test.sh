#!/usr/bin/env bash
# ridge is asked to stop, or killed, while something else works for it: a compiler, a pipe that nobody
# writes. It ends at once, nothing goes on without it, and the machine is left as it was.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang cc git pgrep
stage scale

# A compiler that starts another process and never ends, as cc starts cc1; `marks` of this test only.
marker=$((100000 + $$))
mkdir bin
cat >bin/slowcc <<END
#!/bin/sh
: >"\${TMPDIR:-/tmp}/slowcc-litter"
sleep $marker &
sleep $marker
END
chmod +x bin/slowcc
slow_running() { pgrep -f "^sleep $marker\$" >/dev/null; }
wait_for() { # wait_for SECONDS COMMAND...
    local i=0 n=$(($1 * 50))
    shift
    until "$@"; do
        ((i++ < n)) || return 1
        sleep 0.02
    done
}
not() { ! "$@"; }
ms() { echo $(($(date +%s%N) / 1000000)); }

# interrupted NAME SIGNAL STATUS COMMAND...: begins, is signalled once the slow compiler runs, ends at once (it would
# wait for more than a day; the limit is for a loaded machine); the compiler with all it started too.
most_ms=5000
interrupted() {
    local name=$1 signal=$2 status=$3 got begun
    shift 3
    cat >wanted.txt
    "$@" >stdout.txt 2>stderr.raw </dev/null &
    local ridge=$!
    wait_for 120 slow_running || echo 'the compiler was not started' >>stderr.raw
    begun=$(ms)
    kill -"$signal" $ridge 2>/dev/null
    wait $ridge 2>/dev/null
    got=$?
    local took=$(($(ms) - begun))
    mask_places <stderr.raw >stderr.txt
    diff -u wanted.txt stderr.txt >diff.txt
    local same=$?
    ((got == status)) || echo "exit status $got, not $status" >>diff.txt
    ((took < most_ms)) || echo "it took $took ms" >>diff.txt
    pass "$name" $((same != 0 || got != status || took >= most_ms)) diff.txt
    wait_for 20 not slow_running
    pass 'and nothing runs on' $?
    pkill -f "^sleep $marker\$"
}

reference_message() {
    cat <<'END'
ridge: interrupted while 'WORK/bin/slowcc' was running
  compiling the reference 'WORK/scale/reference.c'
END
}
for signal in INT TERM HUP; do
    reference_message | interrupted "the reference's compiler, SIG$signal" $signal 3 \
        env CC="$work/bin/slowcc" "$RIDGE" run scale -q --no-journal
done
interrupted "the reference's compiler, kill -9" KILL 137 \
    env CC="$work/bin/slowcc" "$RIDGE" run scale -q --no-journal </dev/null
[[ -n $(find "$RIDGE_CACHE/work" -name slowcc-litter) ]]
pass 'a compiler that is killed leaves its files' $?
"$RIDGE" help >/dev/null
[[ -z $(find "$RIDGE_CACHE/work" -mindepth 1 ! -name .lock) ]]
pass 'and the next start removes them' $?

CC=$work/bin/slowcc expect '--timeout covers the compiling of the reference' 3 \
    run scale -q --no-journal --timeout 2 <<'END'
ridge: WORK/scale/reference.c: WORK/bin/slowcc did not finish compiling the reference within 2 s and was stopped; --timeout gives it more time
  in case N=4096
END
wait_for 20 not slow_running
pass 'and ends it' $?

# ---- the kernel's compiler ---------------------------------------------------------------------------

real_clang=$(type -ap clang | grep -v ccache | head -n 1) # ccache would find ours again
version=$("$real_clang" --version | sed -nE '1s/.*version ([0-9.]+).*/\1/p')
cat >bin/clang <<END
#!/bin/sh
[ "\$1" = --version ] && exec $real_clang --version
echo "\$*" >>"$work/compiled"
[ -e "$work/slow" ] && { sleep $marker & sleep $marker; }
exec $real_clang "\$@"
END
chmod +x bin/clang
plain_path=$PATH
PATH=$work/bin:$PATH
"$RIDGE" run scale -q --no-journal >/dev/null 2>&1 # the reference and the compiler's version are known from here on
touch slow
edit scale/scale.cu '$a// another'
interrupted "the kernel's compiler, SIGINT" INT 3 "$RIDGE" run scale -q --no-journal <<'END'
ridge: interrupted while 'WORK/bin/clang' was running
  compiling scale/scale.cu
END
expect "--timeout covers the compiling of kernels" 3 run scale -q --no-journal --timeout 2 <<END
ridge: clang $version did not finish compiling scale/scale.cu within 2 s; --timeout gives it more time
  in case N=4096
END
rm -f slow compiled
edit scale/scale.cu '$aint broken('
"$RIDGE" run scale -q --no-journal >/dev/null 2>&1
wc -l <compiled | diff - <(echo 1) >diff.txt
pass 'a source that does not compile is compiled once, not for every variant' $? diff.txt
edit scale/scale.cu '$d'
PATH=$plain_path

# ---- files that are not there to be read -----------------------------------------------------------------

mkfifo fifo
piped() { # piped NAME FILE-IN-THE-MESSAGE COMMAND...
    local name=$1 got
    cat >wanted.txt
    timeout 60 "${@:2}" >/dev/null 2>stderr.raw </dev/null
    got=$?
    mask_places <stderr.raw >stderr.txt
    diff -u wanted.txt stderr.txt >diff.txt
    local same=$?
    ((got == 2)) || echo "exit status $got, not 2" >>diff.txt
    pass "$name" $((same != 0 || got != 2)) diff.txt
}
piped 'a pipe is no experiment' "$RIDGE" run fifo <<'END'
ridge: cannot read 'fifo': it is a pipe, and a regular file is needed; copy its content to a file first
END
piped 'a pipe cannot be imported' "$RIDGE" import fifo <<'END'
ridge: cannot read 'fifo': it is a pipe, and a regular file is needed; copy its content to a file first
END
cp -r scale piped
rm piped/scale.cu
mkfifo piped/scale.cu
piped 'a pipe is no source' "$RIDGE" run piped --no-journal <<'END'
ridge: cannot read 'WORK/piped/scale.cu': it is a pipe, and a regular file is needed; copy its content to a file first
  reading the kernel source
  in case N=4096
END
piped 'a pipe is no journal' "$RIDGE" log --journal fifo <<'END'
ridge: the journal fifo is a pipe: name a regular file
END

# ---- the repository ---------------------------------------------------------------------------------------

cp -r scale repository
(cd repository && git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm a) >/dev/null
unset GIT_CEILING_DIRECTORIES
touch -d '2020-01-01' repository/scale.cu # a git status that may write would refresh the index
before=$(stat -c '%i %y' repository/.git/index)
printf '#!/bin/sh\ntouch %s\n' "$work/started" >bin/monitor
chmod +x bin/monitor
git -C repository config core.fsmonitor "$work/bin/monitor"
"$RIDGE" run repository -q --param N=4096 --journal git.sqlite >/dev/null
"$RIDGE" show --journal git.sqlite --json | found '"git": "[0-9a-f]\{40\}"'
pass 'the commit is recorded' $?
[[ $(stat -c '%i %y' repository/.git/index) == "$before" ]]
pass "and the repository's index is left alone" $?
[[ ! -e started ]]
pass 'and no program that the repository names is started' $?

finish

#!/usr/bin/env bash
# The journal on a real PostgreSQL server: all tests of the journal, whole commands, several runners at once, a server
# that is killed in the middle and comes back or does not, passwords, and what is said where libpq is missing.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
. "$root/tests/support/postgres.sh"
postgres_need
need cc
journal_test=${RIDGE%/*}/tests/journal/journal_test
[[ -x $journal_test ]] || { echo "$journal_test is not built"; exit 77; }
postgres_make && postgres_start || exit 1
ask() { psql -AtXqc "$1" "$postgres"; }
address() { echo "$postgres?options=-csearch_path%3D$1"; } # of a schema
database() { ask "CREATE DATABASE $1"; postgres=${postgres%/*}/$1; }

RIDGE_TEST_POSTGRES=$postgres "$journal_test" >units.txt 2>&1
pass 'all tests of the journal hold on a server' $? units.txt
((failures > 0)) || grep -qE '^1\.\.25$|25 test\(s\) run' units.txt # TAP, or cmocka's own
pass 'and they ran there' $? units.txt

# Several runners, and the server is killed while they write: it comes back, and they go on.
database killed
writers() { # writers COUNT RESULTS: their process ids in pids[]
    pids=()
    for ((w = 0; w < $1; w++)); do
        rm -f "writer$w.txt"
        RIDGE_JOURNAL="$postgres?connect_timeout=${timeout:-100}" "$journal_test" write "$2" >"writer$w.txt" 2>&1 &
        pids+=($!)
    done
    for ((w = 0; w < $1; w++)); do
        until grep -q begun "writer$w.txt"; do kill -0 "${pids[$w]}" || break; sleep 0.02; done
    done
}
all_ended() {
    local pid status=0
    for pid in "${pids[@]}"; do wait "$pid" || status=1; done
    return $status
}
writers 4 40
postgres_kill
sleep 0.3
postgres_start
all_ended
pass 'four runners outlive a server that is killed and comes back' $? writer0.txt
ask 'SELECT run, count(*), count(DISTINCT variant) FROM results GROUP BY run ORDER BY run' >counts.txt
printf '%d|40|40\n' 1 2 3 4 | diff - counts.txt >diff.txt
pass 'every result is there, and once' $? diff.txt
[[ $(ask "SELECT count(*) FROM runs WHERE finished = 1") == 4 && $(ask 'SELECT count(*) FROM samples') == 480 ]]
pass 'and their runs are finished' $?

# It does not come back: what it has not is kept on this machine, and added later.
stage scale
# The reference of the second case waits until the server is gone: three results are there by then, and three are not.
sed "s|^{|&\n    while (N == 8192 \&\& access(\"$work/gone\", F_OK) != 0) usleep(20000);|; 1a #include <unistd.h>" -i scale/reference.c
before=$(ask 'SELECT max(id) FROM results')
"$RIDGE" run scale --device sim:h200 --seed 1 -q --journal "$postgres?connect_timeout=2" >run.txt 2>&1 &
run=$!
for ((i = 0; i < 3000; i++)); do
    (($(ask "SELECT count(*) FROM results WHERE id > $before") >= 3)) && break
    kill -0 $run || break
    sleep 0.02
done
timeout=2 writers 2 30
postgres_kill
touch gone
wait "$run"
pass 'a run ends well though its server went away' $? run.txt
grep -Eq 'warning: .*; 3 results of this run are in .*/unsent.sqlite instead, and .ridge import .* to run [0-9]+ of the server' run.txt
pass 'and says what the server has not' $? run.txt
all_ended
pass 'runners end well though the server is away' $? writer0.txt
grep -q 'kept [1-9]' writer0.txt && grep -q 'kept [1-9]' writer1.txt
pass 'their results are kept' $? writer0.txt
[[ -s $RIDGE_HOME/unsent.sqlite ]]
pass 'in a file of this machine' $?
expect 'a server that is away before the run is an error' 3 log --journal "${postgres/postgres@/lab:geheim@}" <<END
ridge: cannot open the journal ${postgres/postgres@/lab@}: connection to server on socket "$postgres_folder/.s.PGSQL.5432" failed: Connection refused: is the server there, and does it take this user? A password belongs in ~/.pgpass
END
postgres_start
export RIDGE_JOURNAL=$postgres
"$RIDGE" import "$RIDGE_HOME/unsent.sqlite" 2>import.txt
grep -Eq '^[1-9][0-9]* results added, 0 new runs; 0 were there before$' import.txt
pass 'ridge import adds them to the runs that they belong to' $? import.txt
"$RIDGE" import "$RIDGE_HOME/unsent.sqlite" 2>import.txt
grep -Eq '^0 results added, 0 new runs; [1-9][0-9]* were there before$' import.txt
pass 'and only once' $? import.txt
ask 'SELECT count(*), count(DISTINCT variant), finished FROM results JOIN runs ON run = runs.id WHERE run > 4
     GROUP BY run, finished ORDER BY run' >counts.txt
printf '%s\n' '6|3|1' '30|30|1' '30|30|1' | diff - counts.txt >diff.txt
pass 'so that the runs are whole' $? diff.txt

# Whole commands.
database team
export RIDGE_JOURNAL=${postgres/postgres@/postgres:geheim@}
unset RIDGE_TEST_POSTGRES
rm -r scale gone
stage scale
sed -i 's/^  N: .*/  N: 4096/' scale/experiment.yaml
for time in 1 2; do
    "$RIDGE" run scale --device sim:h200 --seed 1 -q --journal "$RIDGE_JOURNAL" >run.txt 2>&1 || cat run.txt
done
for reads in 'log' 'show scale' 'history scale' 'explain scale' 'annotate scale:plain' 'compare 1 2' 'report scale -o page.html' \
    'show 1 --json' 'baseline save main 1' 'baseline list' 'hypothesize scale:plain wider --expect time=-10%' \
    'hypothesize scale:plain --undo' 'baseline rm main'; do
    # shellcheck disable=SC2086
    "$RIDGE" $reads >"said.txt" 2>&1
    pass "ridge $reads, on a server" $? said.txt
    cat said.txt >>all.txt
done
grep -q '^ *2 ' <("$RIDGE" log)
pass 'the log has both runs' $?
"$RIDGE" show 1 --json >from_server.json && "$RIDGE" import "$RIDGE_HOME/unsent.sqlite" --journal here.sqlite -q &&
    "$RIDGE" run scale --device sim:h200 --seed 1 -q --journal here.sqlite --json >from_file.json
figures() { python3 -c 'import json,sys
print([(r["variant"], r["counters"], r["time_ns"]) for r in json.load(open(sys.argv[1]))["results"]])' "$1"; }
diff <(figures from_server.json) <(figures from_file.json) >diff.txt
pass 'a run comes back from a server as from a file' $? diff.txt

# Passwords: in nothing that was printed or recorded.
"$RIDGE" log "$RIDGE_JOURNAL" >>all.txt 2>&1
"$RIDGE" log --journal "postgresql://lab:geheim@host:x/y" >>all.txt 2>&1
"$RIDGE" log --journal "${postgres/postgres@/nobody:geheim@}" >>all.txt 2>&1
"$postgres_bin/pg_dump" "$postgres" >>all.txt
cat run.txt ./*.json "$postgres_folder/log" >>all.txt
! grep -n geheim all.txt >found.txt
pass 'no password is shown or recorded' $? found.txt
expect 'an address that libpq does not take is refused' 2 log --journal 'postgresql://lab:geheim@host/y?pasword=geheim' <<'END'
ridge: libpq does not take the journal's address postgresql://lab@host/y: it is written postgresql://user@host:port/database, what is special in a part as %40
END

# What belongs to others, and what may not be written.
ask 'CREATE SCHEMA others; CREATE TABLE others.runs(id INT); CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader'
RIDGE_JOURNAL=$(address others) "$RIDGE" log >said.txt 2>&1
grep -q 'has tables of another program: nothing was changed' said.txt
pass 'tables of another program are refused' $? said.txt
[[ $(ask "SELECT count(*) FROM pg_tables WHERE schemaname = 'others'") == 1 ]]
pass 'and stay as they are' $?
RIDGE_JOURNAL=${postgres/postgres@/reader@} "$RIDGE" log >said.txt 2>&1
pass 'a role that may only read reads' $? said.txt
RIDGE_JOURNAL=${postgres/postgres@/reader@} "$RIDGE" run scale --device sim:h200 -q >said.txt 2>&1
grep -q 'permission denied.*: the role may not' said.txt
pass 'and hears why it cannot record' $? said.txt
RIDGE_JOURNAL=$(address missing) "$RIDGE" run scale --device sim:h200 -q >said.txt 2>&1
grep -q 'CREATE SCHEMA makes one' said.txt
pass 'a schema that is not there is said' $? said.txt

# Without libpq: one line, and everything else works.
mkdir empty && echo | cc -shared -x c - -o empty/libpq.so.5
LD_LIBRARY_PATH=$work/empty expect 'a missing libpq is said with how to get it' 3 log --journal postgresql://lab:geheim@db/ridge <<'END'
ridge: the journal postgresql://lab@db/ridge needs PostgreSQL's client library, and libpq.so.5 is not here: `apt-get install libpq5` brings it
END
LD_LIBRARY_PATH=$work/empty "$RIDGE" log --journal here.sqlite >said.txt 2>&1
pass 'and a file needs none' $? said.txt
! ldd "$RIDGE" | found libpq
pass 'the program is not linked with it' $?
finish

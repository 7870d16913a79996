#!/usr/bin/env bash
# Names and files of strangers: what they say is shown as it is and steers nothing; what is not ridge's
# is left alone.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang python3
stage scale
export RIDGE_JOURNAL=$work/j.sqlite
"$RIDGE" run scale --param N=4096 -q >/dev/null

# ---- another program's database ------------------------------------------------------------------------

python3 - <<'END'
import sqlite3
for name, version, mark in ("notes", 0, 0), ("same", 2, 0), ("marked", 2, 77):
    db = sqlite3.connect(name + ".sqlite")
    db.execute("create table notes(a)")
    db.execute("insert into notes values(1)")
    db.execute("pragma user_version = %d" % version)
    db.execute("pragma application_id = %d" % mark)
    db.commit()
END
for name in notes same marked; do
    cp $name.sqlite before.sqlite
    expect "a database of another program is not recorded in ($name)" 2 \
        run scale -q --journal $name.sqlite <<END
ridge: the file $name.sqlite is a database of another program, not a journal of ridge: nothing was changed; name another file with --journal or RIDGE_JOURNAL
END
    cmp -s before.sqlite $name.sqlite && [[ ! -e $name.sqlite-wal ]]
    pass 'and stays as it was' $?
done
expect 'nor read' 2 log --journal notes.sqlite <<'END'
ridge: the file notes.sqlite is a database of another program, not a journal of ridge: nothing was changed; name another file with --journal or RIDGE_JOURNAL
END
python3 - <<'END'
import shutil, sqlite3
shutil.copy("j.sqlite", "old.sqlite")
db = sqlite3.connect("old.sqlite")
assert db.execute("pragma application_id").fetchone()[0] == 0x52494447
db.execute("pragma application_id = 0")
db.commit()
END
expect 'a journal from before the mark is one' 0 log --journal old.sqlite </dev/null

# ---- databases whose own queries never end -----------------------------------------------------------------

python3 - <<'END'
import shutil, sqlite3
endless = "with recursive c(x) as (select 1 union all select x + 1 from c) select %s from c"
shutil.copy("j.sqlite", "views.sqlite")
db = sqlite3.connect("views.sqlite")
columns = [r[1] for r in db.execute("pragma table_info(runs)")]
db.execute("alter table runs rename to former")
db.execute("create view runs(%s) as %s" % (",".join(columns), endless % ",".join(["x"] * len(columns))))
db.commit()
shutil.copy("j.sqlite", "triggers.sqlite")
db = sqlite3.connect("triggers.sqlite")
db.execute("create trigger t after insert on runs begin delete from results; end")
db.commit()
db = sqlite3.connect("nsys.sqlite")
kernel = "start end deviceId streamId demangledName shortName gridX gridY gridZ blockX blockY blockZ".split()
db.execute('create view CUPTI_ACTIVITY_KIND_KERNEL("%s") as %s' % ('","'.join(kernel), endless % ",".join(["x"] * len(kernel))))
db.execute("create table StringIds(id, value)")
db.commit()
END
for name in views triggers; do
    expect "a journal with $name is refused" 2 log --journal $name.sqlite <<END
ridge: the file $name.sqlite has views or triggers, which no journal of ridge has: nothing was read; name another file with --journal or RIDGE_JOURNAL
END
done
timeout 100 "$RIDGE" import nsys.sqlite --no-journal >stdout.txt 2>stderr.txt
status=$?
((status == 2)) && grep -q '^ridge: nsys.sqlite: ' stderr.txt
pass 'a view in the place of kernels is not asked' $? stderr.txt

# ---- where files go --------------------------------------------------------------------------------------

mkdir elsewhere tmp
(
    cd elsewhere
    unset RIDGE_JOURNAL RIDGE_HOME RIDGE_CACHE XDG_CACHE_HOME XDG_DATA_HOME
    HOME='' TMPDIR=$work/tmp "$RIDGE" run ../scale -q --param N=4096 --no-journal >/dev/null
    HOME=relative TMPDIR=$work/tmp "$RIDGE" run ../scale -q --param N=4096 --no-journal >/dev/null
)
ls -A elsewhere | diff - /dev/null >diff.txt
pass 'without HOME nothing is put into the working directory' $? diff.txt
"$RIDGE" report --markdown >direct.txt
"$RIDGE" report --markdown -o - >dash.txt
cmp direct.txt dash.txt >diff.txt && [[ ! -e - ]]
pass 'report -o - is standard output' $? diff.txt
"$RIDGE" export --format csv >direct.txt
"$RIDGE" export --format csv -o - | cmp direct.txt - >diff.txt && [[ ! -e - ]]
pass 'export -o - too' $? diff.txt

# ---- names that steer a terminal ----------------------------------------------------------------------

# Every text of a recorded run becomes hostile.
python3 - <<'END'
import json, shutil, sqlite3
evil = "x\x1b]0;owned\x07\x1b[2J\u202ecod.exe\u009b31m<script>alert(1)</script>"
keep = {"provenance", "status", "verdict", "class", "kind", "cc", "resource", "results", "time"}
def spoil(value, key=None):
    if isinstance(value, dict):
        return {k: spoil(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [spoil(v, key) for v in value]
    return evil if isinstance(value, str) and key not in keep else value
shutil.copy("j.sqlite", "evil.sqlite")
db = sqlite3.connect("evil.sqlite")
for table, column in ("results", "detail"), ("runs", "header"):
    for row, text in db.execute("select id, %s from %s" % (column, table)).fetchall():
        db.execute("update %s set %s = ? where id = ?" % (table, column),
                   (json.dumps(spoil(json.loads(text))), row))
db.execute("update runs set device = ?, experiment = ?, git = ?, started = ?", [evil] * 4)
db.execute("update results set variant = ?, case_label = ?", [evil] * 2)
db.commit()
END
tame() { # tame NAME COMMAND...: ends well, prints much, no control character, no mark of direction
    local name=$1
    shift
    "$RIDGE" "$@" --journal evil.sqlite >stdout.txt 2>stderr.txt
    cat stdout.txt stderr.txt | python3 -c '
import sys
text = sys.stdin.buffer.read().decode()
bad = {hex(ord(c)) for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or c in "\u202e"}
print(bad) if bad else None
sys.exit(bool(bad) or "cod.exe" not in text or "<script>alert" in text.replace("\\<", "<") and "--json" not in sys.argv and "--markup" in sys.argv)' \
        "${markup-}" "$@" >diff.txt
    local same=$?
    head -n 5 stderr.txt >>diff.txt
    pass "$name" $same diff.txt
}
tame 'show' show 1
tame 'show, plain' show 1 --plain
tame 'explain' explain 1
tame 'log' log
tame 'report --text' report 1 --text
tame 'show --json' show 1 --json
python3 -c 'import json; json.load(open("stdout.txt"))' 2>diff.txt
pass 'which stays JSON' $? diff.txt
markup=--markup
tame 'report' report 1
tame 'report --svg' report 1 --svg
tame 'report --compare' report --compare 1 1
unset markup
tame 'report --markdown' report 1 --markdown
# Outside blocks and spans of code, where nothing is HTML.
! awk '/^```/ { code = !code } !code' stdout.txt | sed 's/`[^`]*`//g' | grep '[^\\]<' >diff.txt
pass 'and holds no raw HTML' $? diff.txt
printf '"ID","Kernel Name","Device","Metric Name","Metric Unit","Metric Value"\n"0","k\033[2Jcod.exe","dev\033]0;x\007","gpu__time_duration.sum","ns","5"\n' >evil.csv
tame 'import' import evil.csv --no-journal

# ---- paths -----------------------------------------------------------------------------------------------

for folder in 'größe' 'a"b' 'a\b' 'k:v' "it's" 'a b'; do
    cp -r scale "$folder"
    sed -i "s/^experiment: scale/experiment: odd/" "$folder/experiment.yaml"
    "$RIDGE" run "$folder" -q --param N=4096 >stdout.txt 2>diff.txt
    pass "a folder named $folder" $? diff.txt
    "$RIDGE" annotate "$folder:plain" >stdout.txt 2>diff.txt && grep -q 'a \* x\[i\]' stdout.txt
    pass 'and its lines are annotated' $? diff.txt
done
mkdir scale2 && sed 's/^experiment: scale/experiment: hidden/' scale/experiment.yaml >scale2/experiment.yaml
cp scale/scale.cu scale/reference.c scale2 && "$RIDGE" run scale2 -q --param N=4096 >/dev/null
mkdir hidden
expect 'a folder that has the name of a run hides nothing' 0 show hidden </dev/null

finish

#!/usr/bin/env bash
# ridge agent as clients meet it: recorded exchanges of both revisions, the script of examples/agent, and how it ends.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need clang python3
stage scale
export RIDGE_JOURNAL=$work/journal.db

for exchange in "$root"/tests/agent/exchanges/*.txt; do
    timeout 200 python3 "$root/tests/agent/replay.py" "$RIDGE" "$exchange" >said.txt 2>&1
    status=$?
    pass "the recorded exchange of $(basename "$exchange" .txt) is answered" $status said.txt
done

for revision in 2026-07-28 2025-11-25; do
    timeout 250 python3 "$root/examples/agent/loop.py" --ridge "$RIDGE" --revision "$revision" --journal "$work/loop.db" >said.txt 2>progress.txt
    [ $? = 0 ] && grep -q '^  padded: verified$' said.txt && grep -q '^  faster: ' said.txt &&
        grep -q 'transpose N=256' progress.txt
    pass "examples/agent goes through the loop, revision $revision" $? said.txt
done
"$RIDGE" log --journal "$work/loop.db" --json >said.txt
grep -q '"experiment": "transpose"' said.txt
pass 'its runs are in the journal that the server was given' $?

# A line of the run's own on standard output would be no message.
printf '%s\n' 'no json' '{"jsonrpc":"2.0","id":1,"method":"ping"}' | timeout 60 "$RIDGE" agent >said.txt 2>err.txt
[ $? = 0 ] && [ "$(wc -l <said.txt)" = 2 ] && [ ! -s err.txt ] && tail -1 said.txt | found '^{"jsonrpc":"2.0","id":1,"result":{}}$'
pass 'it ends with its input, status 0, and says nothing beside its messages' $? said.txt

# A cancelled run is ended at once, with all its processes, and the next call is answered.
mkfifo in
anew said.txt err.txt
timeout 300 "$RIDGE" agent <in >said.txt 2>err.txt &
exec 7>in
m='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":1}'
call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s,%s}}\n' "$1" "$2" "$3" "$m" >&7; }
call 1 run '{"experiment":"scale","device":"sim:h200","param":["N=33554432"]}'
for _ in $(seq 1200); do [ -s said.txt ] && break; sleep 0.1; done
printf '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"test"}}\n' >&7
call 2 verify '{"experiment":"scale","device":"sim:h200","param":["N=256"],"fields":["results.verified"]}'
exec 7>&-
wait $!
[ $? = 0 ] && grep -q 'notifications/progress' said.txt && ! grep -q '"id":1,' said.txt && grep -q '"id":2,.*"isError":false' said.txt
pass 'a cancelled run is not answered, the next call is' $? said.txt

timeout 60 "$RIDGE" agent --call-limit 0 </dev/null >said.txt 2>&1
[ $? = 2 ] && grep -q "option --call-limit: '0' is not a positive number" said.txt
pass 'a limit that is none is refused' $? said.txt

finish

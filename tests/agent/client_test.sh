#!/usr/bin/env bash
# ridge agent by the protocol's own client libraries, one of each revision, from npm (client/package-lock.json holds their versions
# and hashes). Skips where they are not here and cannot be had. RIDGE_MCP_CLIENT names a folder with them.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need clang node
libraries=${RIDGE_MCP_CLIENT:-}
if [[ -z $libraries ]]; then
    need npm
    libraries=$work/client
    mkdir "$libraries" && cp "$root"/tests/agent/client/package*.json "$libraries"
    timeout 90 npm ci --prefix "$libraries" --prefer-offline --ignore-scripts --no-audit --no-fund --fetch-retries 0 \
        --fetch-timeout 20000 >npm.txt 2>&1 || { echo "npm cannot get the client libraries: $(tail -n 1 npm.txt)"; exit 77; }
fi
cp "$root/tests/agent/client/client.mjs" .
[[ $libraries -ef . ]] || ln -s "$libraries/node_modules" node_modules
stage scale
export RIDGE_JOURNAL=$work/journal.db
for revision in 2026-07-28 2025-11-25; do
    timeout 280 node client.mjs "$revision" "$RIDGE" >said.txt 2>&1
    [ $? = 0 ] && grep -q '^cancelled, and the next call is answered$' said.txt
    pass "the client library of revision $revision goes through the loop" $? said.txt
done
finish

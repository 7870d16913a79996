#!/usr/bin/env bash
# An installed tree runs wherever it is moved to, from any folder: its own files are found beside it.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang
unset RIDGE_DATA_DIR
install -D "$RIDGE" 'tree of mine/bin/ridge'
mkdir -p 'tree of mine/share/ridge' elsewhere
cp -rL "${RIDGE%/*}"/share/ridge/. 'tree of mine/share/ridge/'

cd elsewhere || exit 1
"$work/tree of mine/bin/ridge" run transpose --param N=64 --variant naive -q >out.txt 2>stderr.txt
pass 'a shipped experiment runs by its name from an installed tree' $? stderr.txt
grep -q '^naive  *yes ' out.txt
pass 'and is verified' $? out.txt
"$work/tree of mine/bin/ridge" devices >out.txt 2>stderr.txt && grep -q sim:h200 out.txt
pass 'the chips are found there' $? stderr.txt
ln -s "$work/tree of mine/bin/ridge" link
./link devices >out.txt 2>stderr.txt
pass 'and through a link to the program' $? stderr.txt

rm -r "$work/tree of mine/share"
"$work/tree of mine/bin/ridge" devices >out.txt 2>stderr.txt
status=$?
if [[ -d /usr/local/share/ridge ]]; then
    echo 'skip - a tree without its files says so: ridge is installed here'
else
    grep -q "set RIDGE_DATA_DIR to the folder that holds gpus/" stderr.txt && ((status == 3))
    pass 'a tree without its files says so' $? stderr.txt
fi

finish

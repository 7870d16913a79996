#!/usr/bin/env bash
# An installed tree runs wherever it is moved to, from any folder: its own files are found beside it.
# RIDGE_TREE=FOLDER: of that installation, which holds usr/ (the content of packages).
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang cc pkg-config
unset RIDGE_DATA_DIR
mkdir -p 'tree of mine/share/ridge' elsewhere
if [[ -n ${RIDGE_TREE-} ]]; then
    cp -r "$RIDGE_TREE"/usr/. 'tree of mine/'
else
    install -D "$RIDGE" 'tree of mine/bin/ridge'
    cp -rL "${RIDGE%/*}"/share/ridge/. 'tree of mine/share/ridge/'
fi

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

[[ -z ${RIDGE_TREE-} ]] || {
    cd "$work" || exit 1
    pc=$(cd "$RIDGE_TREE" && echo usr/lib/*/pkgconfig)
    cp -r "$RIDGE_TREE" moved
    export PKG_CONFIG_PATH=$work/moved/$pc PKG_CONFIG_SYSROOT_DIR=$work/moved
    read -ra flags < <(pkg-config --cflags --libs ridge)
    cc "$root/examples/region/main.c" "${flags[@]}" -o region >out.txt 2>&1 &&
        LD_LIBRARY_PATH=$work/moved/${pc%/pkgconfig} ./region sim:h200 "$root/examples/region/kernels.cu" >out.txt 2>&1 &&
        grep -q '^recorded as run ' out.txt
    pass 'a program builds by pkg-config and finds the chips beside the library' $? out.txt
    finish
}

plain_library || {
    echo 'skip - the installed library: libridge is instrumented'
    finish
}
# The library: `make install` as it stands, nothing built anew, and a program by pkg-config.
cd "$work" || exit 1
(cd "$root" && env -u MAKEFLAGS make -s BUILD="${BUILD:-build}" -o "${BUILD:-build}/flags" \
    -o "${BUILD:-build}/sources" PREFIX=/opt/ridge DESTDIR="$work/tree" install) >out.txt 2>&1
pass 'make install puts all of it under DESTDIR' $? out.txt
cd "$work/tree/opt/ridge" && ls bin/ridge include/ridge.h lib/libridge.a lib/libridge.so lib/ridge/libridge-capture.so \
    lib/libridge.so.0 lib/pkgconfig/ridge.pc share/ridge/gpus/h200.yaml share/ridge/probe.cu >"$work/out.txt" 2>&1
pass 'the header, the libraries and ridge.pc among it' $? "$work/out.txt"
cd "$work" || exit 1
export PKG_CONFIG_PATH=$work/tree/opt/ridge/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$work/tree
read -ra flags < <(pkg-config --cflags --libs ridge)
cc "$root/examples/region/main.c" "${flags[@]}" -o region >out.txt 2>&1 &&
    LD_LIBRARY_PATH=$work/tree/opt/ridge/lib ./region sim:h200 "$root/examples/region/kernels.cu" >out.txt 2>&1 &&
    grep -q '^recorded as run ' out.txt
pass 'a program builds by pkg-config and finds the chips beside the library' $? out.txt
(cd "$root" && env -u MAKEFLAGS make -s BUILD="${BUILD:-build}" PREFIX=/opt/ridge DESTDIR="$work/tree" \
    uninstall) >out.txt 2>&1
find tree -type f -o -type l >left.txt
[[ ! -s left.txt ]]
pass 'make uninstall leaves nothing' $? left.txt

finish

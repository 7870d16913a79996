#!/usr/bin/env bash
# What lies in examples/ops: systemd accepts the unit, and the commands of unit and container are some of this ridge.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need cc python3
ops=$root/examples/ops ridge=$(realpath "$RIDGE")
sed "s|/usr/bin/ridge|$ridge|" "$ops/ridge-monitor.service" >ridge-monitor.service
if command -v systemd-analyze >/dev/null; then
    systemd-analyze verify "$work/ridge-monitor.service" >verify.txt 2>&1
    pass 'systemd accepts the unit' $? verify.txt
else
    echo 'skip - systemd accepts the unit: systemd-analyze is not here'
fi

cc -std=gnu17 -fPIC -shared -o "$work/libnvidia-ml.so.1" "$root/tests/monitor/fake_nvml.c"
: >state
export FAKE_NVML=$work/state
command_runs() { # ARGUMENTS: but for the address and the canary, which need a port and a GPU that computes
    LD_LIBRARY_PATH=$work "$RIDGE" "$@" --once >out.txt 2>err.txt
}
read -ra unit < <(sed -nE 's|^ExecStart=/usr/bin/ridge (.*) --serve.*|\1|p' "$ops/ridge-monitor.service")
command_runs "${unit[@]}"
pass 'the command of the unit runs' $? err.txt
mapfile -t words < <(sed -n 's/^CMD //p' "$ops/Containerfile" | python3 -c 'import json, sys; print("\n".join(json.load(sys.stdin)))')
[[ ${words[*]} == 'monitor --interval 5s --serve 0.0.0.0:9400' ]] && command_runs "${words[@]:0:3}"
pass 'so does that of the container' $? err.txt

packages() { # of the container's stage N
    awk -v stage="$1" '/^FROM/ {at++} at == stage' "$ops/Containerfile" | sed -e ':a' -e '/\\$/N; s/\\\n//; ta' |
        sed -nE 's/^RUN .*--no-install-recommends ([^&]*).*/\1/p' | tr -s ' ' '\n' | sed '/^$/d' | sort
}
awk -F'|' '/^build\|/ && $2 != "clang" {print $2}' "$root/scripts/setup" | sort >setup.txt
diff setup.txt <(packages 1) >diff.txt
pass 'the container builds with what scripts/setup names, but for the compiler of kernels' $? diff.txt
grep -qx 'RUN make -C /src clean && make .*' "$ops/Containerfile"
pass 'objects of another system are not taken into it' $?
if grep -qx 'VERSION_ID="12"' /etc/os-release 2>/dev/null &&
    command -v dpkg >/dev/null && command -v readelf >/dev/null; then
    readelf -d "$RIDGE" | sed -nE 's/.*NEEDED.*\[(lib(yaml|sqlite3|jansson|ffi|xxhash)[^]]*)\]/\1/p' >needed.txt
    while read -r library; do dpkg -S "*/$library" | sed 's/:.*//'; done <needed.txt | sort -u >libraries.txt
    [[ $(wc -l <needed.txt) == 5 ]] && comm -23 libraries.txt <(packages 2) >missing.txt && [[ ! -s missing.txt ]]
    pass 'it runs with the libraries that ridge is linked with' $? missing.txt
else
    echo 'skip - it runs with the libraries that ridge is linked with: this is not Debian 12'
fi
finish

#!/usr/bin/env bash
# ridge monitor --serve on a fake NVML, scraped as Prometheus does: both formats by the rules (tests/monitor/check_metrics.py,
# and promtool where it is installed), token, TLS, what is refused.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need python3
cc -std=gnu17 -fPIC -shared -o "$work/libnvidia-ml.so.1" "$root/tests/monitor/fake_nvml.c" || {
    echo 'not ok - the fake NVML compiles'
    exit 1
}
export FAKE_NVML=$work/state LD_LIBRARY_PATH=$work
printf 'gpus 2\n0.xid.1 31\n1.nvlink.3 0\n0.name quote" back\\slash\n' >state

# start OPTION...: url is where it serves; ends with stop.
start() {
    anew served.out served.txt
    "$RIDGE" monitor --serve :0 --interval 200ms "$@" >served.out 2>served.txt &
    server=$!
    for _ in $(seq 1200); do
        url=$(sed -n 's/^serving //p' served.txt 2>/dev/null)
        [[ -n $url ]] && return
        kill -0 $server 2>/dev/null || break
        sleep 0.05
    done
}
stop() {
    kill -TERM $server
    wait $server
}

# fetch PATH HEADER...: the body; status is in status.txt, the content's type in type.txt.
fetch() {
    python3 - "$url" "$@" <<'END'
import ssl, sys, urllib.request, urllib.error
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
headers = dict(h.split(": ", 1) for h in sys.argv[3:])
# Without a proxy: it is this machine.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
request = urllib.request.Request(sys.argv[1] + sys.argv[2].lstrip("/"), headers=headers)
try:
    answer = opener.open(request, timeout=100)
except urllib.error.HTTPError as refused:
    answer = refused
open("status.txt", "w").write(str(answer.status))
open("type.txt", "w").write(answer.headers["Content-Type"])
sys.stdout.buffer.write(answer.read())
END
}

start
if grep -q 'libmicrohttpd.so.12 is not here' served.txt; then
    echo 'libmicrohttpd is not here'
    exit 77
fi
[[ $url =~ ^http://127\.0\.0\.1:[0-9]+/$ ]]
pass 'without an address it serves this machine alone, and says where' $? served.txt

# fetch_until FILE PATTERN: the metrics, once they have it: figures are those of the newest sample, and the first is on
# its way when the address is said.
fetch_until() {
    for _ in $(seq 300); do
        fetch /metrics >"$1"
        grep -q "$2" "$1" && return
        sleep 0.1
    done
    return 1
}
fetch_until metrics.txt '^hw_gpu_utilization_ratio{'
grep -q 'version=0.0.4' type.txt && python3 "$root/tests/monitor/check_metrics.py" prometheus <metrics.txt >check.txt 2>&1
pass "a scrape keeps the rules of Prometheus' format" $? check.txt
fetch /metrics 'Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5' >open.txt
grep -q 'openmetrics-text; version=1.0.0' type.txt &&
    python3 "$root/tests/monitor/check_metrics.py" openmetrics <open.txt >check.txt 2>&1
pass 'and those of OpenMetrics, for who asks' $? check.txt
if command -v promtool >/dev/null; then
    promtool check metrics <metrics.txt >check.txt 2>&1
    pass 'promtool has nothing to say against the names' $? check.txt
else
    echo "skip - promtool has nothing to say against the names: promtool (Debian's prometheus) is not here"
fi
grep -qF 'hw_gpu_utilization_ratio{hw_id="GPU-00000000-0000-4000-8000-000000000001",hw_type="gpu",gpu="1",hw_gpu_task="general"} 0.62' metrics.txt &&
    grep -qF 'hw_name="quote\" back\\slash"' metrics.txt
pass 'GPUs are told apart by UUID, and names are quoted' $?

fetch /api/history | python3 -c '
import json, sys
h = json.load(sys.stdin)
assert [s["title"] for s in h["gpus"][1]["series"]][:2] == ["busy", "memory"]
assert h["gpus"][0]["series"][0]["shares"][0] == 0.62' >python.txt 2>&1
pass 'the history is there for charts' $? python.txt
fetch / >page.html
grep -q text/html type.txt && grep -q '<script src="/monitor.js" defer>' page.html && fetch /monitor.js | cmp -s - "$root/assets/monitor.js" &&
    fetch /monitor.css | cmp -s - "$root/assets/monitor.css" && ! grep -E 'https?://' page.html
pass 'the page needs no network' $?
printf 'gpus 2\n0.power_mw 123000\n' >state
fetch_until newest.txt '^hw_power_watts{.*gpu="0"} 123$'
pass 'figures are those of the newest sample' $?
stop
pass 'a signal ends it, with exit status 1 as there was an alert' $(($? != 1))
[[ ! -s served.out ]]
pass 'a service prints nothing on its own' $? served.out

printf '%s\n' 'a-token-of-some-length' >token
start --token-file token
fetch /metrics 'Authorization: Bearer a-token-of-some-lengtH' >answer.txt
[[ $(<status.txt) == 401 ]] && ! grep -q GPU answer.txt
pass 'a wrong token gets no figure' $? answer.txt
fetch /metrics 'Authorization: Bearer a-token-of-some-length' >answer.txt
[[ $(<status.txt) == 200 ]]
pass 'the right one does' $? answer.txt
stop

if command -v openssl >/dev/null && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
    -subj /CN=localhost -keyout key.pem -out cert.pem >openssl.txt 2>&1; then
    start --tls-cert cert.pem --tls-key key.pem
    fetch /healthz >answer.txt
    [[ $url == https://* && $(<answer.txt) == ok ]]
    pass 'with a certificate it is https' $? served.txt
    stop
    expect 'a certificate without its key is refused' 2 monitor --serve :0 --tls-cert cert.pem <<'END'
ridge: options --tls-cert and --tls-key need each other
END
else
    echo 'skip - with a certificate it is https: openssl is not here'
fi

expect 'an address that is none is refused' 2 monitor --serve example.org:80 <<'END'
ridge: option --serve: 'example.org:80' is no ADDRESS:PORT: 127.0.0.1:9400, [::1]:9400, :9400 (loopback), 0.0.0.0:9400 (every interface)
END
expect 'an address of another machine is refused' 3 monitor --serve 192.0.2.1:9400 <<'END'
ridge: cannot serve at 192.0.2.1:9400: Cannot assign requested address
END
expect 'a token without a server is refused' 2 monitor --token-file token <<'END'
ridge: options --token-file, --tls-cert and --tls-key need --serve
END
"$RIDGE" monitor --serve 0.0.0.0:0 --once >/dev/null 2>exposed.txt
grep -q 'warning: other machines may read' exposed.txt
pass 'serving other machines without a token is warned of' $? exposed.txt
finish

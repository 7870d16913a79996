#!/usr/bin/env bash
# A real scrape: Debian's prometheus reads /metrics (a token, OpenMetrics as it asks for it) and answers for what it has;
# promtool checks the names; the page draws in a real browser. Each is skipped where it is not installed.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need python3
cc -std=gnu17 -fPIC -shared -o "$work/libnvidia-ml.so.1" "$root/tests/monitor/fake_nvml.c" || {
    echo 'not ok - the fake NVML compiles'
    exit 1
}
printf 'gpus 2\n' >state
printf '0123456789abcdef0123456789abcdef\n' >token

serve() { # OPTION...: url
    anew served.txt
    FAKE_NVML=$work/state LD_LIBRARY_PATH=$work "$RIDGE" monitor --serve :0 --interval 200ms "$@" >/dev/null 2>served.txt &
    server=$!
    for _ in $(seq 1200); do
        url=$(sed -n 's/^serving //p' served.txt 2>/dev/null)
        [[ -n $url ]] && return
        kill -0 $server 2>/dev/null || break
        sleep 0.05
    done
}
get() { python3 -c "
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
sys.stdout.write(opener.open(sys.argv[1], timeout=60).read().decode())" "$1"; }

serve --token-file token
if [[ -z ${url:-} ]]; then
    echo "skip - a real scrape: $(tail -n 1 served.txt)"
    exit 0
fi
if command -v prometheus >/dev/null; then
    cat >prometheus.yml <<END
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - job_name: ridge
    authorization: {credentials_file: $work/token}
    static_configs: [{targets: ["${url#http://}"]}]
END
    sed -i 's|/"\]|"]|' prometheus.yml
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    prometheus --config.file=prometheus.yml --storage.tsdb.path="$work/tsdb" --web.listen-address="127.0.0.1:$port" \
        >prometheus.txt 2>&1 &
    prometheus=$!
    query="http://127.0.0.1:$port/api/v1/query?query="
    for _ in $(seq 120); do
        get "${query}hw_gpu_memory_usage_bytes" >answer.json 2>/dev/null
        grep -q '"hw_id"' answer.json && break
        kill -0 $prometheus 2>/dev/null || break
        sleep 0.5
    done
    grep -q '"hw_id":"GPU-' answer.json
    pass 'prometheus has what it scraped, by the GPU that it is of' $? answer.json
    get "${query}up" >answer.json && grep -q '"value":\[[0-9.]*,"1"\]' answer.json
    pass 'and calls the target up' $? answer.json
    get "${query}ridge_gpu_info" >answer.json && (($(grep -o '"hw_id"' answer.json | wc -l) >= 2))
    pass 'of both GPUs' $? answer.json
    kill -TERM $prometheus
    wait $prometheus
else
    echo "skip - prometheus has what it scraped: Debian's prometheus is not here"
fi
kill -TERM $server
wait $server

serve
if command -v promtool >/dev/null; then
    get "${url}metrics" >metrics.txt && promtool check metrics <metrics.txt >check.txt 2>&1
    pass 'promtool has nothing to say against the names' $? check.txt
else
    echo "skip - promtool has nothing to say against the names: Debian's prometheus is not here"
fi
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
# draw URL: page.html, as the browser has it after five seconds of its own clock. The browser's folder has a short name, as
# the path of a socket in it may have 107 characters.
draw() {
    local folder status=0
    folder=$(mktemp -d /tmp/ridge-browser.XXXXXX) || return
    HOME=$folder TMPDIR=$folder timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-proxy-server \
        --virtual-time-budget=5000 --dump-dom "$1" >page.html 2>browser.txt || status=$?
    rm -rf "$folder"
    return $status
}
if [[ -z $browser ]]; then
    echo 'skip - the page draws its charts in a browser: no Chromium here'
elif ! draw 'data:text/html,<p id=a></p><script>a.append(6*7)</script>' || ! grep -q '>42<' page.html; then
    echo "skip - the page draws its charts in a browser: $browser draws no page here: $(tail -n 1 browser.txt)"
else
    draw "$url"
    status=$?
    python3 - page.html >drawn.txt <<'END' || status=1
import sys
page = open(sys.argv[1]).read()
print(len(page), 'characters,', page.count('<svg'), 'charts,', page.count('GPU-'), 'UUIDs')
sys.exit(not (page.count('<svg') + page.count('<canvas') >= 2 and 'NVIDIA' in page))
END
    tail -n 3 browser.txt >>drawn.txt
    pass 'the page draws its charts in a browser' $status drawn.txt
fi
kill -TERM $server
wait $server
finish

#!/usr/bin/env bash
# ridge report: the page holds everything itself, escapes hostile text, and works in a browser:
# drawn, no console message, points reached and a variant chosen by keyboard.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
export LC_ALL=C

has() { # has NAME PATTERN FILE
    if grep -q -- "$2" "$3"; then echo "ok - $1"; else echo "not ok - $1"; fi
}
hasnt() {
    if grep -q -- "$2" "$3"; then echo "not ok - $1: $(grep -- "$2" "$3" | head -n 1)"; else echo "ok - $1"; fi
}

work=$TMPDIR/page
mkdir -p "$work/hostile"
cp experiments/transpose/transpose.cu experiments/transpose/reference.c "$work/hostile"
sed -e 's|^title: .*|title: "</title><script>alert(1)</script>\&\\"<b>"|' \
    experiments/transpose/experiment.yaml >"$work/hostile/experiment.yaml"
export RIDGE_JOURNAL=$work/journal.db
"$RIDGE" run "$work/hostile" -q --param N=256 >/dev/null
"$RIDGE" report -o "$work/page.html"
"$RIDGE" report --svg -o "$work/roof.svg"

hasnt 'hostile text is escaped' '<script>alert' "$work/page.html"
has 'hostile text is there as text' '&lt;script&gt;alert' "$work/page.html"
hasnt 'nothing is loaded from elsewhere' 'src=\|<link\|url(\|@import' "$work/page.html"
has 'roofline as a file of its own' '<style>' "$work/roof.svg"
has 'annotated source' 'class="source"' "$work/page.html"
has 'expectations are judged' 'class="expectations"' "$work/page.html"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [[ -z $browser ]]; then
    echo 'skip - in a browser: no Chromium here (apt-get install chromium)'
    exit 0
fi
# The same page with a script at its end that works it by keyboard and reports what came of it.
python3 - "$work" <<'PY' || { echo 'skip - in a browser: no python3 to write the page'; exit 0; }
import sys
work = sys.argv[1]
page = open(work + "/page.html").read()
probe = """<script>
const report = [];
const points = [...document.querySelectorAll('.point')];
points[0].focus();
report.push('tip=' + !document.getElementById('tip').hidden);
report.push('focusable=' + (document.activeElement === points[0]));
points[0].dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
report.push('chosen=' + document.querySelectorAll('.chosen').length);
report.push('dim=' + (document.querySelectorAll('.dim').length > 0));
points[0].dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}));
report.push('cleared=' + (document.querySelectorAll('.chosen, .dim').length === 0));
const box = document.querySelector('svg.roofline').getBoundingClientRect();
report.push('drawn=' + (box.width > 300 && box.height > 150));
const p = document.createElement('p'); p.id = 'probe'; p.textContent = report.join(' ');
document.body.append(p);
</script></body>"""
open(work + "/probe.html", "w").write(page.replace("</body>", probe))
PY
# TMPDIR: Chromium puts a socket there, whose path must be short.
TMPDIR=/tmp timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
    --enable-logging=stderr --dump-dom "file://$work/probe.html" >"$work/dom.html" 2>"$work/console" || true
hasnt 'no console message' 'CONSOLE' "$work/console"
for fact in tip=true focusable=true dim=true cleared=true drawn=true; do
    has "in a browser: $fact" "id=\"probe\">.*$fact" "$work/dom.html"
done
hasnt 'in a browser: a variant is chosen' 'chosen=0' "$work/dom.html"

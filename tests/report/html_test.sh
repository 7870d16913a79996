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
cp -r experiments/common "$work"
cp experiments/transpose/*.cu experiments/transpose/reference.c "$work/hostile"
sed -e 's|^title: .*|title: "</title><script>alert(1)</script>\&\\"<b>"|' \
    experiments/transpose/experiment.yaml >"$work/hostile/experiment.yaml"
export RIDGE_JOURNAL=$work/journal.db
"$RIDGE" run "$work/hostile" -q --param N=256 >/dev/null
"$RIDGE" report -o "$work/page.html"
"$RIDGE" report --svg -o "$work/roof.svg"

# Measured samples, as another tool took them: one variant steady, one with two humps.
{
    printf '{"context": {}, "benchmarks": ['
    for i in {0..59}; do
        printf '%s{"name": "steady<i>", "run_type": "iteration", "real_time": 100.%02d, "time_unit": "us"}' \
            "${comma-}" $((i * 7 % 60))
        comma=,
        printf ',{"name": "two humps", "run_type": "iteration", "real_time": %d.%02d, "time_unit": "us"}' \
            $((50 + i % 2)) $((i * 7 % 60))
    done
    printf ']}\n'
} >"$work/bench.json"
"$RIDGE" import "$work/bench.json" -q >/dev/null
"$RIDGE" report -o "$work/samples.html"
"$RIDGE" run "$work/hostile" -q --param N=256 --cache warm >/dev/null
"$RIDGE" report --compare 1 3 -o "$work/compare.html"

hasnt 'hostile text is escaped' '<script>alert' "$work/page.html"
has 'hostile text is there as text' '&lt;script&gt;alert' "$work/page.html"
hasnt 'nothing is loaded from elsewhere' 'src=\|<link\|url(\|@import' "$work/page.html"
has 'roofline as a file of its own' '<style>' "$work/roof.svg"
has 'annotated source' 'class="source"' "$work/page.html"
has 'time by line, the reasons in words' '<td title="[0-9]* % [a-z_]*: [a-z].*[0-9.]* % [a-z_]*</td>' "$work/page.html"
has 'expectations are judged' 'class="expectations"' "$work/page.html"

has 'a violin a variant' 'class="violin" d="M' "$work/samples.html"
has 'its figures are in words' '<title>steady&lt;i&gt;: median 100 us, 95 % interval .* 60 samples' "$work/samples.html"
hasnt 'no figure is NaN' '="[^"]*nan' "$work/samples.html"
has 'a comparison as a page' 'class="forest"' "$work/compare.html"
hasnt 'hostile text is escaped there too' '<script>alert' "$work/compare.html"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [[ -z $browser ]]; then
    echo 'skip - in a browser: no Chromium here (apt-get install chromium)'
    exit 0
fi
# The same pages with a script at their end that works them by keyboard and reports what came of it.
python3 - "$work" <<'PY' || { echo 'skip - in a browser: no python3 to write the pages'; exit 0; }
import sys
work = sys.argv[1]
probe = """<script>
const report = [];
const points = [...document.querySelectorAll('.point, svg.forest')];
points[0].focus();
points[0].dispatchEvent(new FocusEvent('focus')); // a headless window may have no focus to give
report.push('tip=' + !document.getElementById('tip').hidden);
report.push('focusable=' + (document.activeElement === points[0]));
points[0].dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
report.push('chosen=' + document.querySelectorAll('.chosen').length);
report.push('dim=' + (document.querySelectorAll('.dim').length > 0));
points[0].dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}));
report.push('cleared=' + (document.querySelectorAll('.chosen, .dim').length === 0));
const box = document.querySelector('svg').getBoundingClientRect();
report.push('drawn=' + (box.width > 200 && box.height > 20));
report.push('named=' + points.every(p => p.querySelector('title').textContent.length > 10));
const p = document.createElement('p'); p.id = 'probe'; p.textContent = report.join(' ');
document.body.append(p);
</script></body>"""
for name in "page", "samples", "compare":
    page = open(f"{work}/{name}.html").read()
    open(f"{work}/{name}-probe.html", "w").write(page.replace("</body>", probe))
PY
look() { # look PAGE FACT...
    local name=$1 fact
    shift
    # TMPDIR: Chromium puts a socket there, whose path must be short.
    TMPDIR=/tmp timeout 200 "$browser" --headless --no-sandbox --disable-gpu \
        --user-data-dir="$work/profile" --enable-logging=stderr --dump-dom \
        "file://$work/$name-probe.html" >"$work/dom.html" 2>"$work/console" || true
    hasnt "in a browser, $name: no console message" 'CONSOLE' "$work/console"
    for fact in "$@" tip=true focusable=true drawn=true named=true; do
        has "in a browser, $name: $fact" "id=\"probe\">.*$fact" "$work/dom.html"
    done
}
look page dim=true cleared=true
hasnt 'in a browser: a variant is chosen' 'chosen=0' "$work/dom.html"
look samples dim=true cleared=true
look compare

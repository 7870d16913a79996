#!/usr/bin/env bash
# Where a chip's figure is from, `ridge explain` repeats word for word: a section is that of a page that is named.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
nameless=$(sed -n 's/.*source: "\(.*\)".*/\1/p' gpus/*.yaml | grep 'section [0-9]' | grep -v 'docs/[a-z0-9-]*\.md,\{0,1\} section [0-9]')
if [[ -n $nameless ]]; then
    printf 'not ok - the page of each section is named\n%s\n' "$nameless"
    exit 1
fi
echo 'ok - the page of each section is named'

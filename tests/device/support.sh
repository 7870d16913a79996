# What the tests of devices share: sourced first. $RIDGE is the program, $here this folder, $cc the compiler, and $work a
# folder of the test's own, which ends with it.
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
RIDGE=${RIDGE:-$here/../../build/ridge}
read -ra cc <<<"${CC:-cc}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

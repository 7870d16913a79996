#!/usr/bin/env bash
# A kernel that goes wrong, in each way: what is said to the letter, and exit status 1. The other
# variants of the run go on.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang
stage faults
export COLUMNS=999

# fault NAME VARIANT [OPTION...]: standard input is what `verify` prints below the case's heading;
# of several problems the first.
fault() {
    local name=$1 variant=$2 wanted=1 got same
    shift 2
    case $variant in right | prints | exits) wanted=0 ;; esac
    cat >wanted.txt
    "$RIDGE" verify faults --compiler clang --seed 1 -j 1 -q --variant "$variant" "$@" \
        >raw.txt 2>stderr.txt
    got=$?
    mask_places <raw.txt | sed -n '1,/^N=256$/!p' | sed -E 's/; [0-9]+ times at this place//; s/ran [0-9]+ warp/ran N warp/' |
        awk '/^  faults\/faults.cu:/ && seen++ { next } { print }' | cat - stderr.txt >out.txt
    diff -u wanted.txt out.txt >diff.txt
    same=$?
    ((got == wanted)) || echo "exit status $got, not $wanted" >>diff.txt
    pass "$name" $((same != 0 || got != wanted)) diff.txt
}

fault 'a right kernel is verified' right --check <<'END'
  right  verified
END

fault 'a wrong result names its worst element' wrong --check <<'END'
  wrong  wrong result

wrong: wrong result
  wrong result: out[77] is 1000, the reference says 77 (off by 923); 1 of 256 elements are wrong
END

fault 'elements never written are counted' unwritten --check <<'END'
  unwritten  wrong result

unwritten: wrong result
  wrong result: 128 of 256 elements of 'out' were never written, first out[1]
END

fault 'a write past the end names kernel, line, thread, block, address and buffer' out-of-bounds --check <<'END'
  out-of-bounds  failed

out-of-bounds: failed
  faults/faults.cu:27: kernel 'out_of_bounds': writes 4 bytes at ADDRESS, 12 bytes past the end of 'out' (1024 bytes) (block (1,0,0), thread (72,0,0), address ADDRESS)
END

fault 'a read before the start names the buffer' reads-outside --check <<'END'
  reads-outside  failed

reads-outside: failed
  faults/faults.cu:32: kernel 'reads_outside': reads 4 bytes at ADDRESS, 4 bytes before the start of 'in' (1024 bytes) (block (1,0,0), thread (2,0,0), address ADDRESS)
END

fault 'a null pointer is said' null --check <<'END'
  null  failed

null: failed
  faults/faults.cu:38: kernel 'null_pointer': writes 4 bytes at 0x0, through a null pointer (block (0,0,0), thread (0,0,0))
END

fault 'a write outside shared memory is said' shared-outside --check <<'END'
  shared-outside  failed

shared-outside: failed
  faults/faults.cu:44: kernel 'shared_outside': writes 4 bytes of shared memory at 4001024: the block has 1024 bytes (block (0,0,0), thread (5,0,0), address 0x3d0d00)
END

fault 'a misaligned access is said' misaligned --check <<'END'
  misaligned  failed

misaligned: failed
  faults/faults.cu:51: kernel 'misaligned': writes 4 bytes at ADDRESS, which is not a multiple of 4 (block (0,0,0), thread (9,0,0), address ADDRESS)
END

fault 'an uninitialised read is found by --check' uninitialised --check <<'END'
  uninitialised  wrong result

uninitialised: wrong result
  wrong result: out[40] is 0, the reference says 40 (off by 40); 1 of 256 elements are wrong
  faults/faults.cu:59: kernel 'uninitialised': reads 4 bytes of shared memory at 1200 that nothing wrote (block (0,0,0), thread (40,0,0), address 0x4b0)
END

fault 'a race on shared memory names both threads' shared-race --check <<'END'
  shared-race  wrong result

shared-race: wrong result
  wrong result: out[224] is 0, the reference says 224 (off by 224); 255 of 256 elements are wrong
  faults/faults.cu:65: kernel 'shared_race': writes shared memory at 0x80 that thread (0,0,0) of block (0,0,0) reads with no barrier between (block (0,0,0), thread (32,0,0), the other: block (0,0,0), thread (0,0,0), line 66, address 0x80)
END

fault 'a race on global memory between blocks names both' global-race --check <<'END'
  global-race  wrong result

global-race: wrong result
  wrong result: out[0] is 128, the reference says 0 (off by 128); 128 of 256 elements are wrong
  faults/faults.cu:71: kernel 'global_race': writes global memory at ADDRESS that thread (0,0,0) of block (0,0,0) writes with no barrier between (block (1,0,0), thread (0,0,0), the other: block (0,0,0), thread (0,0,0), line 72, address ADDRESS)
END

fault 'a barrier that not all threads reach is said' barrier --check <<'END'
  barrier  failed

barrier: failed
  faults/faults.cu:80: kernel 'barrier_divergence': reaches a barrier with 16 of the warp's 32 threads: the others are elsewhere (block (0,0,0), thread (0,0,0))
END

fault 'threads that exited before a barrier are a note with --check' exits --check <<'END'
  exits  verified

  exits: note: faults/faults.cu:121: kernel 'exits': waits at a barrier that 32 of the block's 256 threads never reach: they have exited, which the hardware accepts and PTX leaves undefined (block (0,0,0), thread (192,0,0))
END

fault 'threads that exited before a barrier do not hold it' exits <<'END'
  exits  verified
END

fault 'a failed assertion is said with its text' assert --check <<'END'
  assert  failed

assert: failed
  faults/faults.cu:94: kernel 'asserts': fails the assertion 'I != 33' (faults/faults.cu:94, in void asserts(int *, const int *, int)) (block (0,0,0), thread (33,0,0))
END

fault 'a trap is said' trap --check <<'END'
  trap  failed

trap: failed
  faults/faults.cu:101: kernel 'traps': runs into a trap (block (0,0,0), thread (64,0,0))
END

fault 'a kernel that is not in the source is said with those that are' missing --check <<'END'
  missing  failed

missing: failed
  faults/experiment.yaml:36:29: faults/faults.cu has no kernel 'no_such_kernel'; it has: right, wrong, unwritten, out_of_bounds, reads_outside, null_pointer, shared_outside, misaligned, uninitialised, shared_race, global_race, barrier_divergence, ...
        - {name: missing, kernel: no_such_kernel, grid: 1, block: 256, args: [out, in, N]}
                                  ^
END

fault 'a wrong number of arguments is said' arguments --check <<'END'
  arguments  failed

arguments: failed
  faults/experiment.yaml:37:31: kernel 'right' takes 3 arguments, this launch gives 2
        - {name: arguments, kernel: right, grid: 1, block: 256, args: [out, in]}
                                    ^
END

fault 'what a kernel prints is shown' prints --check <<'END'
  prints  verified

prints (printed)
  I am thread 3 of 256
END

fault 'a kernel that never ends is stopped by --timeout' endless --timeout 3 <<'END'
  endless  failed

endless: failed
  variant 'endless' did not end within 3 s and was stopped; --timeout gives it more time
END

fault 'a kernel that never ends is stopped by --budget' endless --budget 100000 <<'END'
  endless  failed

endless: failed
  faults/faults.cu:87: kernel 'endless': ran N warp instructions without ending (the budget is 100000) (block (0,0,0), thread (0,0,0))
END

"$RIDGE" verify faults --compiler clang -q --variant right --variant trap --variant prints \
    >out.txt 2>stderr.txt
pass 'the variants after a faulty one still run' $(($? != 1)) stderr.txt
grep -c verified out.txt | diff - <(echo 2) >diff.txt
pass 'and are verified' $? diff.txt

finish

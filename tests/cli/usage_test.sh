#!/usr/bin/env bash
# Commands, options and parameters that are wrong: the exact message and the exit status.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang
stage scale

expect 'no command is refused' 2  <<'END'
ridge: no command: `ridge help` lists them
END

expect 'an unknown command is refused' 2 frobnicate <<'END'
ridge: there is no command 'frobnicate': `ridge help` lists them
END

expect 'a mistyped command gets a suggestion' 2 rnu scale <<'END'
ridge: there is no command 'rnu' (did you mean 'run'?): `ridge help` lists them
END

expect 'an option in place of a command is said' 2 --json run scale <<'END'
ridge: '--json' stands where the command should: ridge COMMAND [options] [arguments]; `ridge help` lists the commands
END

expect 'a mistyped option in place of a command gets a suggestion' 2 --versoin <<'END'
ridge: unknown option '--versoin' (did you mean '--version'?)
END

expect 'a missing argument is said' 2 run <<'END'
ridge: `ridge run` needs EXPERIMENT: ridge run [options] EXPERIMENT
END

expect 'an argument too many is said' 2 run scale other <<'END'
ridge: `ridge run` takes one argument: unexpected 'other'
END

expect 'a mistyped option gets a suggestion' 2 run scale --variants plain <<'END'
ridge: unknown option '--variants' of `ridge run` (did you mean '--variant'?)
END

expect 'an unknown option is refused' 2 run scale --frobnicate <<'END'
ridge: unknown option '--frobnicate' of `ridge run`: `ridge help run` lists them
END

expect 'an unknown letter is refused' 2 run -x scale <<'END'
ridge: unknown option '-x' of `ridge run`: `ridge help run` lists them
END

expect 'an option of another command is refused' 2 verify scale --cache warm <<'END'
ridge: unknown option '--cache' of `ridge verify`: `ridge help verify` lists them
END

expect 'an option without its value is refused' 2 run scale --device <<'END'
ridge: option --device needs a value: --device DEVICE
END

expect 'a value for an option that takes none is refused' 2 run scale --json=3 <<'END'
ridge: option --json takes no value
END

expect 'a seed that is no number is refused' 2 run scale --seed -1 <<'END'
ridge: option --seed: '-1' is not a whole number from 0 to 9223372036854775807
END

expect 'a number of threads out of bounds is refused' 2 run scale --threads 0 <<'END'
ridge: option --threads: '0' is not a whole number from 1 to 4096
END

expect 'a timeout of nothing is refused' 2 run scale --timeout 0 <<'END'
ridge: option --timeout: '0' is not a positive number
END

expect 'a cache state that is none is refused' 2 run scale --cache hot <<'END'
ridge: option --cache: 'hot' is neither cold nor warm
END

expect 'an unknown objective is refused, with a suggestion' 2 run scale --no-journal --objective energi <<'END'
ridge: unknown objective 'energi' (did you mean 'energy'?)
END
"$RIDGE" run scale --no-journal --device sim:h200 -q --plain --objective energy -p N=4096 >said.txt 2>&1
grep -q '^Best energy: not known: no variant has a measured energy; 2 of 3 ran' said.txt
pass 'the simulated GPU has no energy, and says so' $? said.txt
expect 'an unknown compiler is refused' 2 run scale --no-journal --compiler gcc <<'END'
ridge: unknown compiler 'gcc': it is one of auto, nvrtc, clang, nvcc
  in case N=4096
END

expect 'a shell without completion is refused' 2 --completion tcsh <<'END'
ridge: no completion for 'tcsh': bash, zsh or fish
END

expect 'a name that is no folder name is refused' 2 new a/b <<'END'
ridge: 'a/b' cannot be an experiment's name: letters, digits, - and _ only
END

expect 'new does not overwrite' 2 new scale <<'END'
ridge: 'scale' exists already: choose another name
END

expect 'an unknown device gets a suggestion and the list' 2 run scale --device sim:h20 <<'END'
ridge: unknown device 'sim:h20' (did you mean 'sim:h200'?); it is one of: auto, sim:a100, sim:h100, sim:h200, sim:mi250x, sim:mi300x, sim:rtx4090, sim:rx7900xtx, sim:v100
END

expect 'an unknown kind of device gets the list' 2 run scale --device tpu <<'END'
ridge: unknown device 'tpu'; it is one of: auto, sim:a100, sim:h100, sim:h200, sim:mi250x, sim:mi300x, sim:rtx4090, sim:rx7900xtx, sim:v100
END

expect 'an unknown variant gets a suggestion' 2 run scale --variant plian <<'END'
ridge: experiment 'scale' has no variant 'plian' (did you mean 'plain'?)
END

expect 'an unknown variant is refused' 2 run scale --variant zzz <<'END'
ridge: experiment 'scale' has no variant 'zzz'; it has: strided, plain, modern
END

expect '--param without a value is refused' 2 run scale --param N <<'END'
ridge: --param 'N': write NAME=VALUE or NAME=VALUE,VALUE
END

expect '--param with an empty value is refused' 2 run scale --param N= <<'END'
ridge: --param 'N=': '' is not a number: write NAME=VALUE or NAME=VALUE,VALUE
END

expect '--param with an empty value in the list is refused' 2 run scale --param N=1,,2 <<'END'
ridge: --param 'N=1,,2': '' is not a number: write NAME=VALUE or NAME=VALUE,VALUE
END

expect '--param with a word is refused' 2 run scale --param N=many <<'END'
ridge: --param 'N=many': 'many' is not a number: write NAME=VALUE or NAME=VALUE,VALUE
END

expect '--param of an unknown parameter is refused' 2 run scale --param M=3 <<'END'
ridge: --param: unknown parameter 'M' (known: N)
END

expect '--param with a fraction for a whole number is refused' 2 run scale --param N=1e3 <<'END'
ridge: --param 'N=1e3': '1e3' is not a whole number of 64 bits, and 'N' has whole numbers in the experiment
END

expect '--param beyond 64 bits is refused' 2 run scale --param N=99999999999999999999 <<'END'
ridge: --param 'N=99999999999999999999': '99999999999999999999' is not a whole number of 64 bits, and 'N' has whole numbers in the experiment
END

expect '--param of zero elements is refused at the buffer' 2 run scale --no-journal --param N=0 <<'END'
ridge: scale/experiment.yaml:14:12: the count of buffer 'x' is 0 (N with N=0); it must be at least 1 and at most 4 TiB
        count: N
               ^
  in case N=0
END

expect '--param of less than zero elements is refused at the buffer' 2 run scale --no-journal --param N=-5 <<'END'
ridge: scale/experiment.yaml:14:12: the count of buffer 'x' is -5 (N with N=-5); it must be at least 1 and at most 4 TiB
        count: N
               ^
  in case N=-5
END

expect 'buffers beyond the device are refused' 2 run scale --no-journal --param N=100000000000 <<'END'
ridge: the buffers need 800 GB and sim:h200 has 141 GB: choose smaller parameters (--param)
  in case N=100000000000
END

expect 'buffers beyond any device are refused' 2 run scale --no-journal --param N=4000000000000 <<'END'
ridge: scale/experiment.yaml:14:12: the count of buffer 'x' is 4000000000000 (N with N=4000000000000); it must be at least 1 and at most 4 TiB
        count: N
               ^
  in case N=4000000000000
END

# Who reads JSON gets some, with the reason.
edit scale/scale.cu 's/__global__/__globl__/'
"$RIDGE" run scale --json -q >out.json 2>err.txt
[ $? = 2 ] && grep -q '"kind": "input"' out.json && grep -q '"message": ".*does not compile' out.json
pass 'a compile error is JSON too' $? out.json
"$RIDGE" show 99 --json >out.json 2>/dev/null
grep -q '"error": {' out.json
pass 'and so are the errors of other commands' $? out.json

# Help keeps to the terminal's width, and cuts no command short.
for of in '' gate baseline; do
    COLUMNS=80 LC_ALL=C.UTF-8 "$RIDGE" help $of >out.txt 2>err.txt && [ "$(wc -L <out.txt)" -le 80 ]
    pass "ridge help $of fits in 80 columns" $? out.txt
done
"$RIDGE" help >out.txt
grep -qF 'ridge baseline save|list|show|rm [NAME] [SUITE...|RUN...]' out.txt
pass 'a long command is shown whole' $? out.txt
finish

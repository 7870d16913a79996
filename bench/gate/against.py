#!/usr/bin/env python3
"""How honest `ridge gate --against` is on this machine: A/A alarms, and how often a planted slow-down is caught.

usage: bench/gate/against.py RIDGE SELFTEST.CU [rounds] [percent] [device]

A git repository with three experiments (a copy and a calibrated delay, of three sizes) is made in a temporary
folder. In each A/A round a constant that no thread uses is edited, so that the code differs and its time does
not; in each planted round the delay is made `percent` longer. 1 % is allowed. Prints a line per round and a
table; exit status 0 whatever the figures. SPDX-License-Identifier: Apache-2.0
"""
import json, os, subprocess, sys, tempfile

ridge, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 6
planted_pct = float(sys.argv[4]) if len(sys.argv) > 4 else 2.0
device = sys.argv[5] if len(sys.argv) > 5 else "cuda:0"
SIZES = {"small": (1 << 16, 100), "medium": (1 << 20, 1000), "large": (1 << 23, 2000)}  # elements, steps

EXPERIMENT = """experiment: %s
source: kernel.cu
reference: {variant: kernel}
params: {N: [%d]}
buffers:
  in: {type: f32, count: N, fill: "uniform(-1,1)"}
  out: {type: f32, count: N, output: true, tolerance: {rel: 0, abs: 0}}
gate: {percent: 1}
variants:
  - name: kernel
    kernel: self_test
    grid: 4*device.sm_count
    block: 256
    args: [out, in, N, i32 %d]
"""

def call(*words, **more):
    return subprocess.run(words, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more).stdout

def write(name, steps):
    os.makedirs(f"all/{name}", exist_ok=True)
    with open(f"all/{name}/experiment.yaml", "w") as f:
        f.write(EXPERIMENT % (name, SIZES[name][0], steps))

def kernel(constant):
    text = open(source).read().replace("out[0] = 0.0f", f"out[0] = {constant}.0f")
    for name in SIZES:
        with open(f"all/{name}/kernel.cu", "w") as f:
            f.write(text)

def median(name):
    out = subprocess.run([ridge, "run", f"all/{name}", "--device", device, "--no-journal", "--json", "-q"],
                         check=True, text=True, stdout=subprocess.PIPE).stdout
    return json.loads(out)["results"][0]["time_ns"]["median"]

def gate():
    out = subprocess.run([ridge, "gate", "--against", "HEAD", "all", "--device", device, "--json", "-q"],
                         check=False, text=True, stdout=subprocess.PIPE).stdout
    report = json.loads(out)
    for e in report["entries"]:
        print(f"    {e['experiment']:8} {e['verdict']:18} {e['why']}", flush=True)
    return report["entries"]

def main():
    os.chdir(tempfile.mkdtemp())
    call("git", "init", "-q", ".")
    for key, value in ("user.name", "a"), ("user.email", "a@a"):
        call("git", "config", key, value)
    for name, (_, steps) in SIZES.items():
        write(name, steps)
    kernel(0)
    longer = {}
    for name, (_, steps) in SIZES.items():
        base = median(name)
        write(name, 2 * steps)
        step_ns = (median(name) - base) / steps
        write(name, steps)
        longer[name] = steps + round(planted_pct / 100 * base / step_ns)
        print(f"{name}: {base / 1000:.2f} us measured, a step {step_ns:.2f} ns, planted {longer[name] - steps} steps", flush=True)
    call("git", "add", "-A")
    call("git", "commit", "-qm", "base")
    alike, slower = [], []
    for i in range(rounds):
        print(f"A/A round {i + 1}", flush=True)
        kernel(i + 1)
        alike += gate()
    kernel(0)
    for name in SIZES:
        write(name, longer[name])
    for i in range(rounds):
        print(f"planted {planted_pct} % round {i + 1}", flush=True)
        slower += gate()
    for name in SIZES:
        a = [e["verdict"] for e in alike if e["experiment"] == name]
        p = [e["verdict"] for e in slower if e["experiment"] == name]
        print(f"{name}: A/A called slower {a.count('regressed')} of {len(a)}, too noisy {a.count('too noisy to tell')}; "
              f"planted {planted_pct} % caught {p.count('regressed')} of {len(p)}, too noisy {p.count('too noisy to tell')}")

main()

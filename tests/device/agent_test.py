#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An agent's calls that run on a device: a measured run with its progress, a call that is cancelled in the middle, and the
server and the device after it. agent_test.py RIDGE DEVICE JOURNAL EXAMPLES"""
import json
import sys
import time

ridge, device, journal, examples = sys.argv[1:]
sys.path.insert(0, examples)
import loop  # noqa: E402


def say(good, name, why=""):
    print(f"{'ok' if good else 'not ok'} - {name}")
    if why and not good:
        print("# " + str(why)[:1000])


class Cancelling(loop.Server):
    def cancel_at_progress(self, tool, **arguments):
        """Cancels the call when it first reports progress; the seconds until the server has ended it."""
        number = next(self.ids)
        meta = dict(self.meta, progressToken=number)
        self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                   "params": {"name": tool, "arguments": arguments, "_meta": meta}})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("method") == "notifications/progress":
                break
            if message.get("id") == number:
                raise RuntimeError("it ended before it was cancelled")
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        began = time.monotonic()
        self.call("verify", experiment="transpose", device=device, param=["N=256"], variant=["tiled"])
        return time.monotonic() - began


def measured(server, revision):
    seen = []
    run = server.request("tools/call", name="run", on_progress=seen.append, arguments={
        "experiment": "transpose", "device": device, "param": ["N=1024"], "variant": ["padded"],
        "fields": ["results.variant", "results.status", "results.verified", "results.time_ns"]})
    results = (run.get("structuredContent") or {}).get("results", [])
    right = [r for r in results if r["status"] == "ok" and r["verified"]]
    clock = {r["time_ns"]["provenance"] for r in right}
    say(len(right) >= 2 and clock == ({"modelled"} if device.startswith("sim:") else {"measured"}),
        f"{revision}: a run's times are {'/'.join(clock)}", run)
    say(seen and seen[-1]["progress"] <= 100 and all(a["progress"] <= b["progress"] for a, b in zip(seen, seen[1:])),
        f"{revision}: it reports progress ({len(seen)} times)", seen)
    for r in right:
        print(f"# {r['variant']}: {r['time_ns']['median'] / 1000:.2f} us, {r['time_ns']['samples']} samples")


for revision in ("2026-07-28", "2025-11-25"):
    server = Cancelling([ridge, "agent", "--journal", journal], revision)
    measured(server, revision)
    try:
        took = server.cancel_at_progress("run", experiment="matmul-f32", device=device, param=["N=2048", "M=2048", "K=2048"])
        say(took < 30, f"{revision}: a cancelled run ends, and the next call finds the device free ({took:.1f} s)")
    except RuntimeError as why:
        say(False, f"{revision}: a cancelled run ends, and the next call finds the device free", why)
    say(server.close() == 0, f"{revision}: the server ends with its input")

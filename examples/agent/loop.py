#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The loop as an agent goes through it, with nothing but Python: starts `ridge agent`, verifies and runs a shipped
experiment on the simulated GPU, prices an idea before it is written, and looks whether the variant that has it kept
the promise.

    examples/agent/loop.py [--ridge build/ridge] [--revision 2025-11-25] [--journal FILE] [--log]

--log prints each message as it passes, shortened, on standard error."""
import argparse
import itertools
import json
import subprocess
import sys


class Server:
    """A server of tools by the Model Context Protocol on a child's standard streams: one message a line."""

    def __init__(self, command, revision, log=False):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ids, self.log, self.meta = itertools.count(1), log, {}
        if revision >= "2026-07-28":  # no session: each request says what it speaks
            self.meta = {"io.modelcontextprotocol/protocolVersion": revision,
                         "io.modelcontextprotocol/clientCapabilities": {},
                         "io.modelcontextprotocol/clientInfo": {"name": "loop.py", "version": "1"}}
            self.request("server/discover")
        else:
            self.request("initialize", protocolVersion=revision, capabilities={},
                         clientInfo={"name": "loop.py", "version": "1"})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        line = json.dumps(message)
        if self.log:
            print("->", line[:300], file=sys.stderr)
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, on_progress=None, **params):
        """Sends a request and waits for its answer; what comes before are notes of progress."""
        number = next(self.ids)
        meta = dict(self.meta, **({"progressToken": number} if on_progress else {}))
        if meta:
            params["_meta"] = meta
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for line in self.process.stdout:
            if self.log:
                print("<-", line.decode().rstrip()[:300], file=sys.stderr)
            message = json.loads(line)
            if message.get("method") == "notifications/progress":
                on_progress(message["params"])
            elif message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(message["error"]["message"])
                return message["result"]
        raise RuntimeError("the server has ended")

    def call(self, tool, **arguments):
        """A tool's result, as the JSON of the command's --json."""
        result = self.request("tools/call", name=tool, arguments=arguments,
                              on_progress=lambda p: print(f"  {p['progress']:3} % {p['message']}", file=sys.stderr))
        if result["isError"]:
            raise RuntimeError(result["content"][0]["text"])
        return result["structuredContent"]

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=30)


def microseconds(ns):
    return f"{ns / 1000:.2f} us"


def loop(server):
    tools = [tool["name"] for tool in server.request("tools/list")["tools"]]
    print(f"{len(tools)} tools: {', '.join(tools)}")

    print("\nIs each variant right?")
    case = {"experiment": "transpose", "device": "sim:h200", "param": ["N=256"]}
    for result in server.call("verify", **case, fields=["results.variant", "results.verified", "results.status"])["results"]:
        print(f"  {result['variant']}: {'verified' if result['verified'] else result['status']}")

    print("\nHow long do two of them take, and what holds them back?")
    run = server.call("run", **case, variant=["padded"], fields=[
        "results.variant", "results.time_ns", "results.findings.title", "results.findings.file",
        "results.findings.line", "results.findings.fix", "results.findings.expected_time_ns"])
    times = {}
    for result in run["results"]:
        times[result["variant"]] = result["time_ns"]["median"]
        print(f"  {result['variant']}: {microseconds(times[result['variant']])} {result['time_ns']['provenance']}")
        for finding in result["findings"][:1]:
            print(f"    {finding['file']}:{finding['line']}: {finding['title']}")
            print(f"    {finding['fix']} Expected: {microseconds(finding['expected_time_ns'])}")

    print("\nWhat would 'tiled' take without its bank conflicts?")
    idea = server.call("what_if", experiment="transpose:tiled", what_if="conflicts=0")["results"][0]
    print(f"  {microseconds(idea['time_ns'])} -> {microseconds(idea['expected_time_ns'])} {idea['provenance']}")

    print("\nWhat did the padding that takes them away bring?")
    pair = server.call("compare", before=f"{run['run']}:tiled", after=f"{run['run']}:padded",
                       fields=["pairs.time", "pairs.after"])["pairs"][0]
    print(f"  {pair['time']['verdict']}: {microseconds(times['tiled'])} -> {microseconds(times['padded'])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--ridge", default="build/ridge")
    parser.add_argument("--revision", default="2026-07-28")
    parser.add_argument("--journal")
    parser.add_argument("--log", action="store_true")
    o = parser.parse_args()
    server = Server([o.ridge, "agent"] + (["--journal", o.journal] if o.journal else []), o.revision, o.log)
    try:
        loop(server)
    finally:
        status = server.close()
    return status


if __name__ == "__main__":
    sys.exit(main())

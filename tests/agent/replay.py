#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replays a recorded exchange with `ridge agent`: replay.py RIDGE EXCHANGE. A line `> MESSAGE` is sent; `< MESSAGE` must come next,
with at least these keys and values; `* MESSAGE` may come any number of times, at least once. Input schemas are held to JSON
Schema where python3 has jsonschema."""
import json
import subprocess
import sys


def fits(wanted, got):
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(k in got and fits(v, got[k]) for k, v in wanted.items())
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) >= len(wanted) and all(map(fits, wanted, got))
    return wanted == got and type(wanted) is type(got)


def check_schemas(message):
    try:
        from jsonschema import Draft202012Validator as Validator
    except ImportError:
        return
    for tool in message.get("result", {}).get("tools", []):
        Validator.check_schema(tool["inputSchema"])
        assert tool["description"], tool["name"]


def main(ridge, exchange):
    server = subprocess.Popen([ridge, "agent"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    waiting, repeated = None, False
    for number, line in enumerate(open(exchange, encoding="utf-8"), 1):
        kind, text = line[0], line[2:]
        if kind == ">":
            server.stdin.write(text.encode())
            server.stdin.flush()
            continue
        if kind not in "<*":
            continue
        wanted = json.loads(text)
        while True:
            said = waiting or server.stdout.readline()
            waiting = None
            got = json.loads(said)
            check_schemas(got)
            if kind == "*" and fits(wanted, got):
                repeated = True
                continue
            break
        if kind == "*":
            assert repeated, f"{exchange}:{number}: {text} did not come, but {said[:400]}"
            waiting, repeated = said, False
        else:
            assert fits(wanted, got), f"{exchange}:{number}: wanted {text}got {said[:2000]}"
    server.stdin.close()
    left = server.stdout.read()
    assert left == b"", f"said more: {left[:400]}"
    return server.wait(timeout=60)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

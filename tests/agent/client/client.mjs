// Drives `ridge agent` with the protocol's own client libraries. node client.mjs REVISION RIDGE [ENVIRONMENT NAME=VALUE...]
// Prints a line for each thing that holds; throws at the first that does not.
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";

const [revision, ridge] = process.argv.slice(2);
const library = revision === "2026-07-28" ? "@modelcontextprotocol/client" : "@modelcontextprotocol/sdk/client";
const { Client } = await import(library === "@modelcontextprotocol/client" ? library : `${library}/index.js`);
const { StdioClientTransport } = await import(library === "@modelcontextprotocol/client" ? `${library}/stdio` : `${library}/stdio.js`);

const transport = new StdioClientTransport({ command: ridge, args: ["agent"], env: process.env, stderr: "inherit" });
const options = library === "@modelcontextprotocol/client" ? { versionNegotiation: { mode: { pin: revision } } } : {};
const client = new Client({ name: "ridge-test", version: "1" }, options);
await client.connect(transport);
assert.equal(client.getServerVersion()?.name, "ridge");
console.log("connected", client.getNegotiatedProtocolVersion?.() ?? revision);

const { tools } = await client.listTools();
for (const name of ["run", "verify", "explain", "annotate", "compare", "occupancy", "what_if", "history", "devices"])
    assert.ok(tools.some((tool) => tool.name === name), `${name} is a tool`);
console.log("tools", tools.length);

const progress = [];
const call = (name, given) =>
    library === "@modelcontextprotocol/client"
        ? client.callTool({ name, arguments: given }, { onprogress: (p) => progress.push(p), timeout: 120000 })
        : client.callTool({ name, arguments: given }, undefined, { onprogress: (p) => progress.push(p), timeout: 120000 });

const ran = await call("run", { experiment: "scale", device: "sim:h200", param: ["N=4096"], variant: ["plain"], fields: ["results.variant", "results.verified"] });
assert.ok(!ran.isError, JSON.stringify(ran));
assert.ok(ran.structuredContent.results.every((r) => r.verified === true));
assert.deepEqual(JSON.parse(ran.content[0].text), ran.structuredContent);
console.log("ran", ran.structuredContent.results.length);
assert.ok(progress.length > 0 && progress.every((p) => p.progress >= 0 && p.progress <= 100));
console.log("progress was reported");

const wrong = await call("verify", { experiment: "nowhere" });
assert.equal(wrong.isError, true);
assert.match(wrong.content[0].text, /nowhere/);
console.log("a mistake is one message");

const stop = new AbortController();
const long = client.callTool({ name: "run", arguments: { experiment: "scale", device: "sim:h200", param: ["N=33554432"] } },
    ...(library === "@modelcontextprotocol/client" ? [] : [undefined]),
    { signal: stop.signal, timeout: 120000, onprogress: () => stop.abort("enough") });
await assert.rejects(long);
const after = await call("occupancy", { device: "h200", block: 256, registers: 32 });
assert.ok(!after.isError);
console.log("cancelled, and the next call is answered");
await client.close();

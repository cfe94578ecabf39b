import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";

/** The agents for proxies are CommonJS modules that the build of the SDK contains. */

const folder = mkdtempSync(join(tmpdir(), "mgmt-proxies-"));
let proxy: Server;
let asked: string[] = [];
beforeAll(async () => {
  proxy = createServer((request, response) => {
    asked.push(`${String(request.method)} ${String(request.url)}`);
    response.setHeader("content-type", "application/json").end('{"data":{"id":"user_1"}}');
  });
  proxy.on("connect", ({ url }, socket) => {
    asked.push(`CONNECT ${String(url)}`);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => {
  proxy.close();
  rmSync(folder, { recursive: true, force: true });
});

const calls = (createClient: string, nodeTransport: string): string => `
  const call = async (baseUrl) => {
    const options = { token: "token", allowInsecureHttp: true, maxRetries: 0 };
    const client = ${createClient}({ baseUrl, ...options, transport: ${nodeTransport}() });
    const { data, error } = await client.safe.me.get();
    console.log(data?.id ?? error.name);
  };
  call("http://api.example.com").then(() => call("https://api.example.com"));
`;
const asModule = `
  import { createClient } from "@mgmt/sdk";
  import { nodeTransport } from "@mgmt/sdk/node";
  ${calls("createClient", "nodeTransport")}`;
const asCommonJs = calls('require("@mgmt/sdk").createClient', 'require("@mgmt/sdk/node").nodeTransport');

const bundled = async (format: "esm" | "cjs"): Promise<string[]> => {
  const outfile = join(folder, `program.${format === "esm" ? "mjs" : "cjs"}`);
  await build({
    stdin: { contents: asModule, resolveDir: root },
    // The paths of this repository lead to its sources.
    tsconfigRaw: {},
    bundle: true,
    platform: "node",
    ...{ format, outfile },
  });
  return [outfile];
};

const programs = [
  ["the ES modules", () => ["--input-type=module", "--eval", asModule]],
  ["the CommonJS modules", () => ["--input-type=commonjs", "--eval", asCommonJs]],
  ["a bundle as an ES module", () => bundled("esm")],
  ["a bundle as CommonJS", () => bundled("cjs")],
] as const;

describe.each(programs)("requests through a proxy, by %s", (_form, words) => {
  it("arrive, and print no password of the proxy when DEBUG is set", async () => {
    asked = [];
    const address = `http://user:CANARY@127.0.0.1:${String((proxy.address() as AddressInfo).port)}`;
    const env = { PATH: process.env["PATH"], DEBUG: "*", HTTP_PROXY: address, HTTPS_PROXY: address };
    const child = spawn(process.execPath, await words(), { cwd: root, env });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect({ stdout, stderr }).toEqual({ stdout: "user_1\nConnectionError\n", stderr: "" });
    expect(asked).toEqual(["GET http://api.example.com/v1/me", "CONNECT api.example.com:443"]);
  });
});

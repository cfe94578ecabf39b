import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import * as here from "@mgmt/sdk";
import { setupBuilds } from "./build.js";

const { bundle } = setupBuilds();

type Sdk = typeof here;

describe("copies of the SDK in one process", () => {
  const copies: { name: string; sdk: Sdk }[] = [{ name: "source", sdk: here }];

  beforeAll(async () => {
    const source = 'export * from "@mgmt/sdk";';
    const esm = await bundle(source, { minify: true });
    const cjs = await bundle(source, { format: "cjs" });
    // Both are the SDK itself, bundled.
    copies.push({ name: "esm", sdk: (await import(pathToFileURL(esm).href)) as Sdk });
    copies.push({ name: "cjs", sdk: createRequire(import.meta.url)(cjs) as Sdk });
  });

  it("recognize each other's errors by `instanceof`, by class, status and code", () => {
    const init = {
      status: 409,
      code: "app:already_exists",
      message: "m",
      method: "POST",
      path: "/",
      details: {},
    };
    for (const { name, sdk } of copies) {
      const error = new sdk.AppAlreadyExistsError(init);
      const refused = new sdk.InvalidArgumentError("id", "must not be empty");
      const late = new sdk.TimeoutError({ method: "GET", url: "https://x.test/" }, 5);
      for (const { name: other, sdk: theirs } of copies) {
        const pair = `${name} → ${other}`;
        expect(error instanceof theirs.AppAlreadyExistsError, pair).toBe(true);
        expect(error instanceof theirs.ConflictError, pair).toBe(true);
        expect(error instanceof theirs.ApiError, pair).toBe(true);
        expect(error instanceof theirs.MgmtError, pair).toBe(true);
        expect(error instanceof theirs.NotFoundError, pair).toBe(false);
        expect(error instanceof theirs.DatabaseBusyError, pair).toBe(false);
        expect(theirs.isApiError(error, "app:already_exists"), pair).toBe(true);
        expect(refused instanceof theirs.InvalidArgumentError, pair).toBe(true);
        expect(refused instanceof theirs.ApiError, pair).toBe(false);
        expect(late instanceof theirs.ConnectionError, pair).toBe(true);
      }
    }
  });

  it("preserve the names of errors when they are minified", () => {
    const init = { status: 409, code: "x", message: "m", method: "GET", path: "/", details: {} };
    for (const { sdk } of copies) {
      expect(new sdk.DatabaseBusyError(init).name).toBe("DatabaseBusyError");
      expect(new sdk.ConflictError(init).stack).toMatch(/^ConflictError: m/);
      expect(new sdk.PagingError("cursor_missing", undefined).name).toBe("PagingError");
    }
  });
});

describe("a program over nodeTransport", () => {
  it("touches neither fetch nor Request, which cost a process 100 ms on Node 20", async () => {
    const program = await bundle(`
      import { createServer } from "node:http";
      import { createClient } from "@mgmt/sdk";
      import { nodeTransport } from "@mgmt/sdk/node";
      for (const name of ["fetch", "Request", "Response", "Headers"]) {
        Object.defineProperty(globalThis, name, { get() { throw new Error(name + " was touched"); } });
      }
      const server = createServer((_, response) => response.end('{"data":[],"pagination":{"hasMore":false}}'));
      server.listen(0, "127.0.0.1", async () => {
        const client = createClient({ baseUrl: "http://127.0.0.1:" + server.address().port, token: false, transport: nodeTransport() });
        const items = await client.projects.list().toArray();
        server.close();
        console.log(JSON.stringify(items));
      });
    `);
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    expect(stdout).toBe("[]\n");
  });

  it("ends by itself: open connections do not keep it alive", async () => {
    const program = await bundle(`
      import { Worker } from "node:worker_threads";
      import { createClient } from "@mgmt/sdk";
      import { nodeTransport } from "@mgmt/sdk/node";
      const source = 'const { createServer } = require("node:http");'
        + 'const s = createServer((_, r) => r.end("{\\\\"data\\\\":{}}"));'
        + 's.keepAliveTimeout = 3600000;'
        + 's.listen(0, "127.0.0.1", () => require("node:worker_threads").parentPort.postMessage(s.address().port));';
      const worker = new Worker(source, { eval: true });
      worker.on("message", async (port) => {
        worker.unref();
        const client = createClient({ baseUrl: "http://127.0.0.1:" + port, token: false, transport: nodeTransport() });
        await client.me.get();
        console.log("done");
      });
    `);
    const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 20_000 });
    expect(stdout).toBe("done\n");
  });
});

import { Agent, request } from "node:http";
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type Socket, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { chooseEphemeralParent } from "../../src/machine/data-dir/directories.js";
import type { Ready } from "@mgmt/platform";
import { call, finalStatus } from "../api.js";
import { temporaryDirectory } from "../cluster.js";
import { PlatformProcess, bundleProgram } from "../platform-process.js";

const maxFiles = 256;

let directory: string;
let platform: PlatformProcess;
const idle: Socket[] = [];
/** Keeps one connection, because none can be opened at the limit. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  directory = await temporaryDirectory(await chooseEphemeralParent());
  const program = await bundleProgram(directory);
  platform = await PlatformProcess.start(program, { port: 0, ephemeral: true }, { maxFiles });
});
afterAll(async () => {
  agent.destroy();
  for (const socket of idle) socket.destroy();
  await platform.end("SIGTERM");
  await rm(directory, { recursive: true, force: true });
});

/** Creates a project. Returns the status, `Retry-After`, and the id of its database. */
const createProject = ({ baseUrl, token }: Ready) =>
  new Promise<{ status: number; retryAfter: string | undefined; databaseId: string | undefined }>(
    (resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      request(`${baseUrl}/v1/projects`, { method: "POST", headers, agent }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => {
          const { data } = JSON.parse(text) as { data?: { database: { id: string } } };
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers["retry-after"],
            databaseId: data?.database.id,
          });
        });
      })
        .on("error", reject)
        .end("{}");
    },
  );

const openFiles = (): number => readdirSync(`/proc/${String(platform.ready.pid)}/fd`).length;

describe.skipIf(process.platform !== "linux")("a platform that has opened all files it may open", () => {
  it("creates, or refuses with Retry-After, and creates again when files are free", async () => {
    const { ready } = platform;
    const { hostname, port } = new URL(ready.baseUrl);
    expect((await createProject(ready)).status).toBe(201);
    for (let count = 0; count < maxFiles; count += 1) {
      idle.push(connect(Number(port), hostname).on("error", () => undefined));
    }
    await vi.waitFor(() => expect(openFiles()).toBeGreaterThanOrEqual(maxFiles - 1));

    // The first ones take databases and connections that exist already.
    const refused = await vi.waitUntil(
      async () => {
        const { status, retryAfter } = await createProject(ready);
        expect([201, 503]).toContain(status);
        return status === 503 && { retryAfter };
      },
      { timeout: 30_000, interval: 0 },
    );
    expect(refused).toEqual({ retryAfter: "1" });

    for (const socket of idle) socket.destroy();
    await vi.waitFor(() => expect(openFiles()).toBeLessThan(maxFiles / 2));
    const { status, databaseId = "" } = await createProject(ready);
    expect(status).toBe(201);
    expect(await finalStatus(ready, databaseId)).toBe("ready");
    const databases = await call(ready, "GET", "/v1/databases");
    expect(JSON.stringify(databases)).not.toContain('"failure"');
  });
});

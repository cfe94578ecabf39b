import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, get as sendGet } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";
import { controlSecretHeader } from "@mgmt/mock/server";
import { parseCommandLine } from "./arguments.js";
import { run } from "./run.js";
import { type Ready, failure, get, withCommand } from "../../test/command/run-command.js";

const folder = mkdtempSync(join(tmpdir(), "mgmt-mock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};

/** Listens on a port that no other program uses, until the returned function is called. */
const listen = async (): Promise<{ port: string; close: () => Promise<void> }> => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  return {
    // It listens on a host.
    port: String((other.address() as AddressInfo).port),
    close: () => new Promise((resolve) => void other.close(() => resolve())),
  };
};

describe("the command", () => {
  it("prints its address and a token, serves, and stops", async () => {
    const ready = await withCommand([], async (ready) => {
      const { status } = await get(ready, "/v1/me");
      expect([ready.event, status]).toEqual(["ready", 200]);
      return ready;
    });
    await expect(fetch(ready.baseUrl)).rejects.toThrow();
  });

  it("has a control surface, whose secret can be chosen", async () => {
    const seed = async ({ baseUrl, controlSecret = "" }: Ready) =>
      (
        await fetch(`${baseUrl}/_control/seed/project`, {
          method: "POST",
          headers: { [controlSecretHeader]: controlSecret },
        })
      ).status;
    expect(await withCommand([], seed)).toBe(200);
    const chosen = { MGMT_MOCK_CONTROL_SECRET: "chosen" };
    expect(await withCommand([], (ready) => Promise.resolve(ready.controlSecret), chosen)).toBe("chosen");
    // Other machines could reach it.
    expect(
      await withCommand(["--host=0.0.0.0"], (ready) => Promise.resolve(ready.controlSecret)),
    ).toBeUndefined();
  });

  it("has the address of --base-url, behind a proxy that passes its host on", async () => {
    const { port, close } = await listen();
    await close();
    const baseUrl = "https://mock.example.com/api";
    await withCommand([`--port=${port}`, `--base-url=${baseUrl}`], async (ready) => {
      expect(ready.baseUrl).toBe(baseUrl);
      const statusFor = (host: string) =>
        new Promise((resolve, reject) => {
          const headers = { host, authorization: `Bearer ${ready.token}` };
          sendGet({ host: "127.0.0.1", port, path: "/v1/me", headers }, (response) => {
            response.resume();
            resolve(response.statusCode);
          }).on("error", reject);
        });
      expect(await statusFor("mock.example.com")).toBe(200);
      expect(await statusFor("other.example.com")).toBe(403);
    });
  });

  it("starts with the resources of a seed file, also after a reset", async () => {
    const seed = file("seeds.json", [
      { kind: "project", as: "shop", name: "shop" },
      { kind: "database", projectId: "@shop", name: "reports" },
    ]);
    await withCommand([`--seed=${seed}`], async (ready) => {
      const names = async () => (await get(ready, "/v1/databases")).body.data.map(({ name }) => name);
      expect(await names()).toContain("reports");
      await fetch(`${ready.baseUrl}/_control/reset`, {
        method: "POST",
        headers: { [controlSecretHeader]: ready.controlSecret ?? "" },
      });
      expect(await names()).toContain("reports");
    });
  });

  it("starts with a snapshot", async () => {
    const mock = setupMock();
    await mock.seed.project({ name: "stored" });
    const seed = file("snapshot.json", mock.snapshot());
    const { body } = await withCommand([`--seed=${seed}`], (ready) => get(ready, "/v1/projects"));
    expect(body.data.map(({ name }) => name)).toEqual(["stored"]);
  });

  it("has the same ids in every run with --deterministic", async () => {
    const workspace = () =>
      withCommand(["--deterministic=shop"], ({ workspaceId }) => Promise.resolve(workspaceId));
    expect(await workspace()).toBe(await workspace());
  });

  it("limits, delays, and changes error codes as its flags say", async () => {
    const flags = ["--rate-limit=1", "--error-codes=public", "--latency=30"];
    await withCommand(flags, async (ready) => {
      const startedAt = performance.now();
      expect((await get(ready, "/v1/apps")).status).toBe(200);
      // Timers may fire a millisecond early.
      expect(performance.now() - startedAt).toBeGreaterThan(28);
      const { status, body } = await get(ready, "/v1/apps");
      expect([status, body.error?.code]).toEqual([429, "rate-limit-exceeded"]);
    });
  });

  it("prints its flags and stops with --help", async () => {
    const printed: string[] = [];
    const never = new Promise<void>(() => undefined);
    await run(["--help"], { env: {}, stopped: never, print: (text) => printed.push(text) });
    expect(printed.join("")).toContain("--unknown-fields refuse|ignore");
  });
});

describe("a wrong use of the command", () => {
  it("says that the port is in use", async () => {
    const { port, close } = await listen();
    expect(await failure([`--port=${port}`])).toContain(
      `Port ${port} of 127.0.0.1 is in use. Stop the other server, or choose a port`,
    );
    await close();
  });

  it.each<[string[], string]>([
    [["--prot=1"], "There is no flag --prot. Run with --help for the flags"],
    [["--port=http"], '--port must be a whole number from 0 to 65535, not "http"'],
    [["--port=70000"], "--port must be a whole number"],
    [["--latency=-1"], "--latency"],
    [["--error-codes=internal"], '--error-codes must be contract or public, not "internal"'],
    [["--base-url=localhost"], "--base-url must be an http or https URL without credentials, query or /v1"],
    [["--base-url=http://localhost/v1"], "--base-url must be an http or https URL without credentials"],
    [["--base-url=http://localhost?a=b"], "--base-url must be an http or https URL without credentials"],
    [["--base-url=http://ada:secret@localhost"], "URL without credentials, query or /v1. Run"],
    [["serve"], "serve"],
    [["--upstream=http://127.0.0.1:1"], "--upstream URL and --record FILE need each other"],
    [["--upstream=http://127.0.0.1:1", "--record=x.json"], "http://127.0.0.1:1 cannot be reached"],
    [["--replay=nowhere.json"], "The recording nowhere.json cannot be used: it cannot be read"],
    [["--recorded-latency"], "--recorded-latency needs --replay FILE"],
    [["--report=x.json"], "--report needs --replay FILE"],
    [
      ["--replay=x.json", "--record=y.json", "--upstream=http://127.0.0.1:1"],
      "--record and --replay cannot be combined",
    ],
    [
      ["--replay=x.json", "--recorded-latency", "--latency=1"],
      "--latency and --recorded-latency cannot be combined",
    ],
  ])("refuses %j", async (flags, message) => {
    expect(await failure(flags)).toContain(message);
  });
});

it("the Dockerfile uses flags that exist", () => {
  const dockerfile = readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8");
  const entry: string[] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? "");
  const port = /^EXPOSE (\d+)$/m.exec(dockerfile)?.[1];
  expect(parseCommandLine(entry.slice(1))).toMatchObject({ host: "0.0.0.0", port: Number(port) });
});

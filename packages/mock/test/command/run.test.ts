import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";
import { controlSecretHeader, createServer as createMockServer } from "@mgmt/mock/server";
import { parseCommandLine } from "../../src/command/arguments.js";
import { run } from "../../src/command/run.js";

const folder = mkdtempSync(join(tmpdir(), "mgmt-mock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};

interface Ready {
  event: string;
  baseUrl: string;
  token: string;
  workspaceId: string;
  controlSecret?: string;
  replayed?: object;
}

/** Runs the command on a free port until `use` is done. */
const withCommand = async <T>(
  flags: string[],
  use: (ready: Ready) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> => {
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  let ended: Promise<void> = Promise.resolve();
  const ready = await new Promise<Ready>((resolve, reject) => {
    ended = run(["--port=0", ...flags], {
      env,
      whenStopped: stopped,
      print: (text) => resolve(JSON.parse(text)),
    });
    ended.catch(reject);
  });
  try {
    return await use(ready);
  } finally {
    stop();
    await ended;
  }
};

const get = async ({ baseUrl, token }: Ready, path: string) => {
  const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
  const body: { data: { name: string }[]; error?: { code: string } } = await response.json();
  return { status: response.status, body };
};

const failure = (flags: string[]): Promise<string> =>
  withCommand(flags, () => Promise.resolve("started")).catch((error: unknown) => String(error));

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

  it("applies faults to delayed responses", async () => {
    await withCommand(["--latency=1"], async (ready) => {
      await fetch(`${ready.baseUrl}/_control/faults`, {
        method: "POST",
        headers: { [controlSecretHeader]: ready.controlSecret ?? "" },
        body: JSON.stringify({ operation: "projects.list", status: 503 }),
      });
      expect((await get(ready, "/v1/projects")).status).toBe(503);
    });
  });

  it("starts with a recording, also after a reset, and writes where the service differed", async () => {
    const upstream = await createMockServer();
    await upstream.engine.seed.project({ name: "recorded" });
    upstream.engine.faults.add({ operation: "me.get", status: 418, code: "me:strange" });
    const recording = join(folder, "recording.json");
    const token = await upstream.engine.tokens.user();
    await withCommand([`--upstream=${upstream.baseUrl}`, `--record=${recording}`], async (ready) => {
      await get({ ...ready, token }, "/v1/projects");
      await get({ ...ready, token }, "/v1/me");
    });
    await upstream.close(0);

    const report = join(folder, "report.json");
    await withCommand([`--replay=${recording}`, `--report=${report}`], async (ready) => {
      expect(ready.replayed).toEqual({ compared: 2, skipped: 0, differences: 1 });
      await fetch(`${ready.baseUrl}/_control/reset`, {
        method: "POST",
        headers: { [controlSecretHeader]: ready.controlSecret ?? "" },
      });
      const { body } = await get(ready, "/v1/projects");
      expect(body.data.map(({ name }) => name)).toEqual(["recorded"]);
    });
    expect(JSON.parse(readFileSync(report, "utf8"))).toContainEqual({
      operationId: "me.get",
      compared: 1,
      skipped: [],
      differences: [{ kind: "status", request: "GET /v1/me", recorded: "418", reference: "200" }],
    });
  });

  it("delays operations as they were recorded", async () => {
    const exchange = { operationId: "projects.list", method: "GET", path: "/v1/projects", authorized: true };
    const recording = file("slow.json", {
      format: "mgmt-recording",
      version: 1,
      seeds: [],
      exchanges: [10, 30, 5_000].map((latency) => ({ ...exchange, status: 200, code: null, latency })),
    });
    await withCommand([`--replay=${recording}`, "--recorded-latency"], async (ready) => {
      const startedAt = performance.now();
      await get(ready, "/v1/projects");
      expect(performance.now() - startedAt).toBeGreaterThan(28);
    });
  });

  it("prints its flags and stops with --help", async () => {
    const printed: string[] = [];
    const never = new Promise<void>(() => undefined);
    await run(["--help"], { env: {}, whenStopped: never, print: (text) => printed.push(text) });
    expect(printed.join("")).toContain("--unknown-fields refuse|ignore");
  });
});

describe("a wrong use of the command", () => {
  it("says that the port is in use", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    // It listens on a host.
    const port = String((other.address() as AddressInfo).port);
    expect(await failure([`--port=${port}`])).toContain(
      `Port ${port} of 127.0.0.1 is in use. Stop the other server, or choose a port`,
    );
    other.close();
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

  it.each<[string, unknown, string]>([
    ["text", "hello", "it is not JSON"],
    ["an object", {}, "it is neither an array of resources nor a snapshot"],
    ["a newer snapshot", { version: 9 }, "a newer server may have created it"],
    ["an entry that is no object", [1], "entry 1 is not an object"],
    ["an entry without a kind", [{ name: "shop" }], 'entry 1 has no kind, such as "project"'],
    [
      "an unknown kind",
      [{ kind: "table" }],
      '"table" is not a kind of resource: use user, workspace, project',
    ],
    ["an unknown field", [{ kind: "project", nmae: "shop" }], "entry 1 (project) was refused"],
    ["a misspelled field", [{ kind: "project", nmae: "shop" }], "nmae"],
    [
      "an unknown reference",
      [{ kind: "database", projectId: "@shop" }],
      "entry 1 refers to @shop, which no earlier entry names",
    ],
  ])("says what is wrong with %s as a seed file", async (_name, content, message) => {
    expect(await failure([`--seed=${file("bad.json", content)}`])).toContain(message);
  });

  it("says that the seed file does not exist", async () => {
    expect(await failure(["--seed=nowhere.json"])).toContain(
      "The seed file nowhere.json cannot be used: it cannot be read",
    );
  });
});

it("the Dockerfile uses flags that exist", () => {
  const dockerfile = readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8");
  const entry: string[] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? "");
  const port = /^EXPOSE (\d+)$/m.exec(dockerfile)?.[1];
  expect(parseCommandLine(entry.slice(1))).toMatchObject({ host: "0.0.0.0", port: Number(port) });
});

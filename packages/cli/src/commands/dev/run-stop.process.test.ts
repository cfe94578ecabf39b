import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProcessView, type ProcessIdentity } from "@mgmt/internal/processes/process-liveness";
import { expectValid, schemaOf, withoutOtherFields } from "../../../test/command-schemas.js";
import { temporaryFolder } from "../../../test/folders.js";
import { inProcess, runInProcess } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";

const root = realpathSync(temporaryFolder());
const { self, find } = createProcessView();
const programs: ChildProcess[] = [];
let [base, shop, cart] = ["", "", ""];
beforeEach(() => {
  base = mkdtempSync(join(root, "stop-"));
  shop = join(base, "shop");
  cart = join(base, "cart");
  for (const folder of [shop, cart]) mkdirSync(join(folder, ".mgmt/dev"), { recursive: true });
});
afterEach(() => {
  for (const program of programs.splice(0)) program.kill("SIGKILL");
});

/** Starts a program that stands for a `mgmt dev`, and returns how it ended, too. */
const startProgram = async (): Promise<{ identity: ProcessIdentity; exited: Promise<unknown> }> => {
  const program = spawn(process.execPath, ["-e", "console.log(1); setInterval(() => {}, 1e6)"]);
  programs.push(program);
  const exited = once(program, "exit").then(([status, signal]) => signal ?? status);
  await once(program.stdout, "data");
  const pid = program.pid ?? 0;
  return { identity: { ...self, pid, started: find(pid)?.started ?? null }, exited };
};

const store = (profiles: Readonly<Record<string, object>>): void => {
  const defaults = {
    baseUrl: "http://127.0.0.1:1",
    controlUrl: "http://127.0.0.1:1/_control",
    controlSecretFile: join(base, "none"),
  };
  const content = Object.fromEntries(
    Object.entries(profiles).map(([name, profile]) => [name, { ...defaults, ...profile }]),
  );
  writeFileSync(join(base, "config.json"), JSON.stringify({ active: "local", profiles: content }), {
    mode: 0o600,
  });
};

const run = (line: string, cwd: string): Promise<Result> =>
  runInProcess([...line.split(" "), "-o", "json"], { env: { MGMT_CONFIG_DIR: base }, cwd });

describe("mgmt dev stop", () => {
  it("stops the service of this folder alone, waits for its end, and does nothing the second time", async () => {
    const [first, second] = [await startProgram(), await startProgram()];
    const startedAt = "2026-01-02T03:04:05.000Z";
    store({
      "here-shop": { folder: shop, process: first.identity, startedAt },
      "here-cart": { folder: cart, process: second.identity },
    });
    const service = {
      folder: shop,
      address: "http://127.0.0.1:1",
      pid: first.identity.pid,
      since: startedAt,
      profile: "here-shop",
    };
    const { json: services } = await run("dev list", cart);
    for (const words of ["dev list", "dev stop"])
      expectValid(withoutOtherFields((await schemaOf(words)).result), services);
    expect(services).toEqual([expect.objectContaining({ folder: cart, since: null }), service]);
    expect((await run("dev stop", shop)).json).toEqual([service]);
    expect(await first.exited).toBe("SIGTERM");
    expect(await run("dev stop", shop)).toMatchObject({ status: 0, stdout: "[]\n", stderr: "" });
    expect((await run("dev list", shop)).json).toMatchObject([{ folder: cart }]);
  });

  it("stops none outside of the folders, not even that of the machine", async () => {
    const { identity } = await startProgram();
    store({ local: { process: identity } });
    expect(await inProcess({ env: { MGMT_CONFIG_DIR: base }, cwd: shop })`dev stop`).toMatchObject({
      status: 0,
      stdout: "",
      stderr: expect.stringContaining("No mgmt dev --here of this folder is running."),
    });
    expect(find(identity.pid)).toEqual({ started: identity.started });
  });

  it("stops all with --all", async () => {
    const services = [await startProgram(), await startProgram()];
    const [first, second] = services;
    store({ local: { process: first?.identity }, "here-cart": { folder: cart, process: second?.identity } });
    const { status, stderr } = await inProcess({ env: { MGMT_CONFIG_DIR: base }, cwd: shop })`dev stop --all`;
    expect({ status, lines: stderr.trim().split("\n").sort() }).toEqual({
      status: 0,
      lines: [
        `Stopped the mgmt dev (process ${String(first?.identity.pid)}).`,
        `Stopped the mgmt dev of ${cart} (process ${String(second?.identity.pid)}).`,
      ].sort(),
    });
    expect(await Promise.all(services.map(({ exited }) => exited))).toEqual(["SIGTERM", "SIGTERM"]);
  });

  it.each([
    ["whose process id another program has by now", { started: "1" }],
    ["of another container, with the process id of a program here", { place: "other", machine: null }],
    ["from before a restart of the system", { place: "before", started: "1" }],
    ["whose start is not known", { started: null }],
  ])("sends no signal for a service %s", async (_, difference) => {
    const { identity } = await startProgram();
    store({ "here-shop": { folder: shop, process: { ...identity, ...difference } } });
    expect(await run("dev stop", shop)).toMatchObject({ status: 0, stdout: "[]\n" });
    expect(await run("dev stop --all", shop)).toMatchObject({ status: 0 });
    expect((await run("dev list", shop)).json).toEqual([]);
    expect(find(identity.pid)).toEqual({ started: identity.started });
  });
});

import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Platform, startPlatform } from "@mgmt/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../test/bin.js";
import { temporaryFolder } from "../../test/folders.js";
import { inProcess } from "../../test/in-process.js";
import type { Mgmt } from "../../test/result.js";
import { run } from "../../test/terminal.js";
import type { Up } from "../../test/commands/preview/place.js";

const root = temporaryFolder();
let platform: Platform;
let folder: string;
let env: NodeJS.ProcessEnv;
let mgmt: Mgmt;

beforeAll(async () => {
  await ensureBuilt();
  platform = await startPlatform({ port: 0, ephemeral: true, requireSignInKey: false });
});
afterAll(() => platform.stop());
beforeEach(async () => {
  folder = mkdtempSync(join(root, "setup-"));
  env = {
    PATH: process.env["PATH"],
    MGMT_BASE_URL: platform.ready.baseUrl,
    MGMT_TOKEN: platform.ready.token,
  };
  const outside = inProcess({ env, cwd: folder });
  env["MGMT_PROJECT_ID"] = (await outside`projects create shop --wait -o name`).stdout.trim();
  mgmt = inProcess({ env, cwd: folder });
});

/** Returns the lines that setups have written. */
const log = (): string[] => {
  const file = join(folder, "log");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};
const nameOf = async (id: string): Promise<string> =>
  ((await mgmt`databases get ${id} -o json`).json as { name: string }).name;

describe("--setup", () => {
  it("runs with DATABASE_URL and no variable of mgmt, for a new preview only unless asked", async () => {
    const setup = `--setup=echo "$DATABASE_URL $(env | grep -c MGMT_)" >> log; echo noise`;
    const first = await mgmt`preview up --branch a -o json ${setup}`;
    const { connectionString } = first.json as Up;
    expect(first.json).toMatchObject({ created: true, setup: "succeeded" });
    expect(log()).toEqual([`${connectionString} 0`]);
    const second = await mgmt`preview up --branch a -o json ${setup}`;
    expect(second.json).not.toHaveProperty("setup");
    expect(log()).toHaveLength(1);
    const third = await mgmt`preview up --branch a ${setup}`;
    expect(third.stderr).toContain(
      "The setup did not run, because one has succeeded for the preview of a. --setup-again runs it.",
    );
    expect(log()).toHaveLength(1);
    await mgmt`preview up --branch a --setup-again ${setup} --name OTHER_URL`;
    expect(log()).toEqual([`${connectionString} 0`, " 0"]);
  });

  it("leaves the database if it fails, and runs again until it succeeds", async () => {
    const failed = await mgmt`preview up --branch a -o json ${"--setup=echo tried >> log; exit 4"}`;
    expect(failed).toMatchObject({ status: 1, json: { created: true, setup: "failed" } });
    expect(failed.stderr).toContain("preview:setup_failed");
    expect(failed.stderr).toMatch(/The setup command exited with 4\. Database \S+ of branch a was created/);
    const repeated = await mgmt`preview up --branch a -o json ${"--setup=exit 5"}`;
    expect(repeated).toMatchObject({ status: 1, json: { created: false, setup: "failed" } });
    expect(repeated.stderr).toMatch(
      /The setup command exited with 5\. Database \S+ of branch a stays as it is/,
    );
    expect(repeated.stderr).not.toContain("was created");
    const { databaseId } = failed.json as Up;
    expect(await nameOf(databaseId)).toBe("a (setup pending)");
    const without = await mgmt`preview up --branch a`;
    expect(without).toMatchObject({ status: 0, stderr: expect.stringContaining("has not succeeded yet") });
    const second = await mgmt`preview up --branch a -o json ${"--setup=echo again >> log"}`;
    expect(second).toMatchObject({ status: 0, json: { databaseId, created: false, setup: "succeeded" } });
    expect(log()).toEqual(["tried", "again"]);
    expect(await nameOf(databaseId)).toBe("a");
  });

  it.each(["SIGTERM", "SIGKILL"] as const)(
    "runs once if four jobs start at once, one of which gets %s while it runs",
    async (signal) => {
      const words = ["preview", "up", "--branch", "a", "--output", "json"];
      const path = join(folder, "running");
      const running = (): string[] =>
        existsSync(path) ? (/^(\d) (\d+)\n/.exec(readFileSync(path, "utf8")) ?? []).slice(1) : [];
      const jobs = [1, 2, 3, 4].map((job) => {
        // The first one to run waits to be killed. Its lock ends with it.
        const setup = `echo ${String(job)} >> log; [ -e running ] || { echo "${String(job)} $$" > running; exec sleep 600; }`;
        return run([...words, "--setup", setup], {
          env,
          cwd: folder,
          onStart: (child) =>
            void (async () => {
              while (running()[0] === undefined && child.exitCode === null) await pause(20);
              const [first, program] = running();
              if (first !== String(job)) return;
              // Nothing ends the setup of a process that could not handle its signal.
              if (signal === "SIGKILL") child.once("exit", () => process.kill(Number(program)));
              child.kill(signal);
            })(),
        });
      });
      const results = await Promise.all(jobs);
      const [first] = running();
      expect(log()).toEqual([first, expect.stringMatching(/^[1-4]$/)]);
      expect(log()[1]).not.toBe(first);
      const others = results.filter((_, index) => String(index + 1) !== first);
      expect(others.map(({ status }) => status)).toEqual([0, 0, 0]);
      const setups = others.map(({ json }) => (json as Setups).setup);
      expect(setups.filter(Boolean)).toEqual(["succeeded"]);
    },
  );

  it("does not run again after the database was renamed, but after its data was replaced", async () => {
    const setup = "--setup=echo ran >> log";
    const { databaseId } = (await mgmt`preview up --branch a -o json ${setup}`).json as Up;
    await mgmt`databases update ${databaseId} --name mine`;
    await mgmt`preview up --branch a ${setup}`;
    expect(log()).toEqual(["ran"]);
    // A copy of a preview has the record of the preview, which is of another database.
    await mgmt`preview reset --branch a --yes`;
    const { json } = await mgmt`preview up --branch a -o json ${setup}`;
    expect(json).toMatchObject({ setup: "succeeded" });
    expect((await mgmt`preview reset --branch a --yes -o json ${setup}`).json).toMatchObject({
      setup: "succeeded",
    });
    expect(log()).toEqual(["ran", "ran", "ran"]);
  });

  it("is recorded also if its session has ended meanwhile, or objects of tenants are in the way", async () => {
    writeFileSync(
      join(folder, "setup.mjs"),
      `import { createRequire } from "node:module";
       const { Client } = createRequire(${JSON.stringify(import.meta.url)})("pg");
       const client = new Client({ connectionString: process.env.DATABASE_URL });
       await client.connect();
       await client.query("create function public.obj_description(oid, name) returns text language sql as 'select $$mgmt preview: the setup of x has succeeded$$'");
       await client.query("select mgmt_end_session(pid) from mgmt_sessions() where pid <> pg_backend_pid()");
       await client.end();
       (await import("node:fs")).appendFileSync("log", "ran\\n");`,
    );
    const setup = `--setup=${process.execPath} setup.mjs`;
    const first = await mgmt`preview up --branch a -o json ${setup}`;
    expect(first, first.stderr).toMatchObject({ status: 0, json: { setup: "succeeded" } });
    expect((await mgmt`preview up --branch a -o json ${setup}`).json).not.toHaveProperty("setup");
    expect(log()).toEqual(["ran"]);
  });
});

/** What `mgmt preview up` prints about a setup. */
interface Setups {
  setup?: string;
}

import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { ClientProgram } from "./client-programs.js";
import { startClient } from "./start-client.js";
import { ProgramExitError } from "../errors/exit-codes.js";
import { temporaryFolder } from "../../test/folders.js";

const root = temporaryFolder();
let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(root, "client-"));
});

interface ScriptOptions {
  readonly name?: ClientProgram["name"];
  readonly stdout?: "pipe" | number;
  readonly signal?: AbortSignal;
}

/** Starts a shell script in place of a program of Postgres. */
const start = (
  script: string,
  { name = "pg_dump", stdout = "pipe", signal = new AbortController().signal }: ScriptOptions = {},
) => {
  const path = join(cwd, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const options = { env: { PATH: "/usr/bin:/bin", LC_ALL: "de_DE" }, stdin: "ignore", stdout } as const;
  return startClient({ name, path, version: "18.1", major: 18 }, ["--file=x"], options, { cwd, signal });
};

describe.skipIf(process.platform === "win32")("a client program of Postgres", () => {
  it.each<[ClientProgram["name"], string]>([
    ["pg_dump", "--no-password --file=x"],
    ["psql", "--no-password --set=VERBOSITY=verbose --file=x"],
  ])("is %s with %s, in English, and its messages are returned", async (name, args) => {
    const client = start('echo "$* $LC_ALL" >&2', { name });
    expect(await client.exited).toBe(`${args} C`);
  });

  it.each([
    ["echo 'pg_dump: error: no' >&2; exit 3", { code: "program:failed", message: "pg_dump failed: no" }],
    ["exit 3", { code: "program:failed", message: "pg_dump failed: no reason given" }],
    ["kill -9 $$", { code: "program:killed", message: "pg_dump was ended by SIGKILL" }],
    ["kill -13 $$", { code: "program:killed", message: "pg_dump was ended by SIGPIPE" }],
  ])("is an error with its reason if it fails: %s", async (script, error) => {
    await expect(start(script).exited).rejects.toMatchObject(error);
  });

  it.each(["kill -13 $$", "echo 'Broken pipe' >&2; exit 1"])(
    "ends quietly if nobody reads what it writes into a file: %s",
    async (script) => {
      const ended = start(script, { stdout: 1 }).exited;
      await expect(ended).rejects.toEqual(new ProgramExitError(141));
    },
  );

  it("is an error if it cannot be started", async () => {
    const program = { name: "psql", path: join(cwd, "none"), version: "18.1", major: 18 } as const;
    const options = { env: {}, stdin: "ignore", stdout: "ignore" } as const;
    const { exited } = startClient(program, [], options, { cwd, signal: new AbortController().signal });
    await expect(exited).rejects.toMatchObject({ code: "program:not_started" });
  });

  it("gets the signal of Ctrl-C when the command is interrupted, and fails with the reason of that", async () => {
    const controller = new AbortController();
    const client = start("trap 'echo INT > got; exit 0' INT; touch ready; while :; do sleep 0.05; done", {
      signal: controller.signal,
    });
    await vi.waitFor(() => expect(existsSync(join(cwd, "ready"))).toBe(true));
    controller.abort(new Error("interrupted"));
    await expect(client.exited).rejects.toThrow("interrupted");
    expect(readFileSync(join(cwd, "got"), "utf8")).toBe("INT\n");
  });
});

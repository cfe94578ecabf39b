import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ensureBuilt } from "../../test/bin.js";
import { temporaryFolder } from "../../test/folders.js";
import { inPty } from "../../test/pty.js";
import { type Result, run, useSession } from "../../test/terminal.js";

const root = temporaryFolder();
const session = useSession();
let projectId: string;
/** Somebody else's repository with programs of its own, which create a mark. */
let repository: string;
let mark: string;
/** The user's folder of programs, which create another one. */
let own: string;
let ownMark: string;
beforeAll(async () => {
  await ensureBuilt();
  projectId = (await session.server.engine.seed.project({ name: "shop" })).id;
  for (let count = 0; count < 100; count += 1) await session.server.engine.seed.project();
}, 120_000);

const names = ["git", "jq", "psql", "pg_dump", "pg_restore", "less", "ssh", "my-browser", "sh"];

const writePrograms = (folder: string, created: string, programs: readonly string[]): void => {
  mkdirSync(folder, { recursive: true });
  for (const name of programs) {
    writeFileSync(join(folder, name), `#!/bin/sh\ntouch '${created}'\n`);
    chmodSync(join(folder, name), 0o755);
  }
};

beforeEach(() => {
  const base = mkdtempSync(join(root, "lookup-"));
  repository = join(base, "repository");
  mark = join(base, "attacked");
  own = join(base, "own");
  ownMark = join(base, "started");
  for (const folder of [repository, join(repository, "bin")]) writePrograms(folder, mark, names);
});

const environment = (path: string): NodeJS.ProcessEnv => ({
  ...session.env,
  MGMT_PROJECT_ID: projectId,
  PATH: path,
  TERM: "xterm",
});
const inRepository = (path: string, ...words: string[]): Promise<Result> =>
  run(words, { cwd: repository, env: environment(path) });

describe.skipIf(process.platform === "win32")("with entries in PATH that are not absolute", () => {
  /** An empty entry, which is the working directory, and relative ones. */
  const paths = (): [string, string, string] => [`:.:bin:${own}:${process.env["PATH"] ?? ""}`, "", ".:bin"];

  it("no program of the working directory is run", async () => {
    for (const path of paths()) {
      await inRepository(path, "projects", "list", "--jq", ".[].id");
      await inRepository(path, "env", "--file", ".env");
      await inRepository(path, "preview", "list");
      await inRepository(path, "preview", "prune", "--remote", "ssh://127.0.0.1:1/shop.git", "--yes");
      await inRepository(path, "psql", "--command", "select 1");
      await inRepository(path, "db", "dump", "--file", "shop.dump");
      expect(existsSync(mark)).toBe(false);
    }
  });

  it("the pager is not one of the working directory, whatever its name", async () => {
    writePrograms(own, ownMark, ["less"]);
    const [path] = paths();
    for (const PAGER of [undefined, "less -R"]) {
      await inPty(["projects", "list", "--all"], [], { ...environment(path), PAGER }, undefined, repository);
      expect(existsSync(mark)).toBe(false);
    }
    expect(existsSync(ownMark)).toBe(true);
  });

  // Only xdg-open, the program that opens addresses on Linux, uses this variable.
  it.runIf(process.platform === "linux")("the browser is not one of the working directory", async () => {
    writePrograms(own, ownMark, ["my-browser"]);
    const env = { ...environment(paths()[0]), BROWSER: "my-browser" };
    const { json } = await run(["open", "docs", "--browser", "-o", "json"], { cwd: repository, env });
    expect(json).toMatchObject({ opened: true });
    await vi.waitFor(() => expect(existsSync(ownMark)).toBe(true));
    expect(existsSync(mark)).toBe(false);
  });

  it("mgmt run finds the program that the user names, as a shell does", async () => {
    const { status } = await inRepository(`.:${process.env["PATH"] ?? ""}`, "run", "--", "less");
    expect({ status, ran: existsSync(mark) }).toEqual({ status: 0, ran: true });
  });
});

import { existsSync, readFileSync, mkdtempSync, writeFileSync, statSync, symlinkSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SecretFile } from "./secret-file.js";
import { temporaryFolder } from "../../test/folders.js";
import { runInProcess } from "../../test/in-process.js";
import type { Result } from "../../test/result.js";
import { type Session, startSession } from "../../test/terminal.js";

const root = temporaryFolder();
let session: Session;
let folder: string;
let projectId: string;
beforeEach(async () => {
  session = await startSession();
  projectId = (await session.server.engine.seed.project()).id;
  folder = mkdtempSync(join(root, "sinks-"));
  writeFileSync(join(folder, "github-env"), "A=1");
  writeFileSync(join(folder, "github-output"), "");
});
afterEach(() => session.close());

const create = (flags: string, env: NodeJS.ProcessEnv = {}): Promise<Result> =>
  runInProcess(["databases", "create", "--project-id", projectId, "-o", "json", ...flags.split(" ")], {
    cwd: folder,
    env: {
      ...session.env,
      GITHUB_ENV: join(folder, "github-env"),
      GITHUB_OUTPUT: join(folder, "github-output"),
      ...env,
    },
  });

const read = (name: string): string => readFileSync(join(folder, name), "utf8");

/** Makes the disk full: files keep a part of what is appended, and the next append fails. */
const fillDisk = async ({ after = 0 } = {}): Promise<void> => {
  const handle = await open(join(folder, "github-env"), "r");
  // All handles have this prototype, which Node.js does not export.
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { appendFile } = prototype;
  let count = 0;
  vi.spyOn(prototype, "appendFile").mockImplementation(async function (this: FileHandle, data, options) {
    count += 1;
    if (count <= after) return appendFile.call(this, data, options);
    await appendFile.call(this, Buffer.from(data).subarray(0, 20), options);
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  });
};

const databases = () => session.server.engine.store.databases.list({ projectId });
const passwordIn = (text: string): string => /postgres:\/\/[^:]+:([^@]+)@/.exec(text)?.[1] ?? "none";

describe("the files of secrets", () => {
  it("get the secret, and the result only its mask", async () => {
    const { status, stdout, stderr } = await create(
      "--secret-file new.json --github-env URL --github-output url --gitlab-dotenv g.env",
    );
    expect(status, stderr).toBe(0);
    const password = passwordIn(read("github-env"));
    expect(read("github-env")).toMatch(/^A=1\nURL<<(\S+)\npostgres:\S+\n\1\n$/);
    expect(read("github-output")).toMatch(/^url<<(\S+)\npostgres:\S+\n\1\n$/);
    expect(read("g.env")).toMatch(/^DATABASE_URL=postgres:\S+\n$/);
    for (const name of ["new.json", "github-output", "g.env"]) expect(read(name)).toContain(password);
    expect(stdout + stderr).not.toContain(password);
    if (process.platform === "win32") return;
    for (const name of ["new.json", "g.env"]) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["--secret-file new.json", "new.json", 0],
    ["--github-env URL", "github-env", 0],
    ["--github-env URL --github-output url", "github-output", 1],
    ["--secret-file new.json --github-env URL", "github-env", 1],
  ])("are named if the disk is full: the new password is lost with %s", async (flags, file, after) => {
    await fillDisk({ after });
    const { status, json, stderr } = await create(flags);
    expect(status).toBe(1);
    // The database exists, so the result names it.
    expect(json).toMatchObject({ id: databases().at(-1)?.id });
    expect(stderr).toContain(join(folder, file));
    expect(stderr).toContain("no space left on the device");
    expect(stderr).toMatch(/con_\w+/);
  });

  it("are left without a half secret: --secret-file is removed", async () => {
    await fillDisk();
    await create("--secret-file new.json");
    expect(existsSync(join(folder, "new.json"))).toBe(false);
  });

  it("keep whole lines alone if the disk becomes full between two secrets", async () => {
    const file = await SecretFile.create("new.json", folder);
    await fillDisk({ after: 1 });
    await file.append({ id: "first" });
    await expect(file.append({ id: "second, which has more than 20 characters" })).rejects.toThrow("ENOSPC");
    expect(await file.close()).toBe(true);
    expect(read("new.json")).toBe('{"id":"first"}\n');
  });

  it("are named if a secret that can be read again was not written", async () => {
    const { json } = await create("--show-secrets");
    const id = (json as { id: string }).id;
    await fillDisk();
    const line = ["databases", "connections", "list", id, "--secret-file", "old.json"];
    const { status, stderr } = await runInProcess(line, { cwd: folder, env: session.env });
    expect(status).toBe(1);
    expect(stderr).toContain("secret_file:unwritable");
    expect(stderr).not.toMatch(/lost/i);
  });

  it.each([
    ["--secret-file github-env", "secret_file:exists"],
    ["--secret-file missing/new.json", "secret_file:unwritable"],
    ["--secret-file link", "secret_file:exists"],
    ["--github-env PATH", "variable:reserved"],
    ["--github-env URL --ndjson -", "usage:invalid"],
    ["--gitlab-dotenv link", "variable:unwritable"],
    ["--gitlab-dotenv g.env --secret-file github-env", "secret_file:exists"],
  ])("are refused before anything is created: %s", async (flags, code) => {
    symlinkSync(join(folder, "target"), join(folder, "link"));
    const before = databases().length;
    const { status, stderr } = await create(flags);
    expect(stderr).toContain(code);
    expect(status).not.toBe(0);
    expect([databases().length, existsSync(join(folder, "target"))]).toEqual([before, false]);
  });

  it("fail if the result has no secret for a variable, and are left as they were", async () => {
    const { json } = await create("--show-secrets");
    const line = ["databases", "get", (json as { id: string }).id, "--github-env", "URL"];
    const env = { ...session.env, GITHUB_ENV: join(folder, "github-env") };
    session.server.engine.faults.add({
      operation: "databases.get",
      status: 200,
      contentType: "application/json",
      body: JSON.stringify({ data: { id: "db_1", name: "none" } }),
    });
    const result = await runInProcess(line, { cwd: folder, env });
    expect(result.status).not.toBe(0);
    expect(read("github-env")).toBe("A=1");
  });
});

import { spawn } from "node:child_process";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ephemeralBase } from "../src/directories.js";
import { PlatformError, startPlatform } from "../src/index.js";
import type { ImportStep } from "../src/records/import-old-state.js";
import { call, control, makeProject, query } from "./api.js";
import { findPrograms, temporaryDirectory } from "./cluster.js";
import { type OldDirectory, connectToRecords, copyDirectory, makeOldDirectory } from "./old-data-dir.js";
import { bundleProgram } from "./platform-process.js";

let root: string;
let old: string;
let made: OldDirectory;

beforeAll(async () => {
  root = await temporaryDirectory(await ephemeralBase());
  old = join(root, "old");
  made = await makeOldDirectory(old);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const copyOf = async (name: string): Promise<string> => {
  const dataDir = join(root, name);
  await copyDirectory(old, dataDir);
  return dataDir;
};

const stateFiles = async (dataDir: string): Promise<string[]> =>
  (await readdir(dataDir)).filter((name) => name.includes("state")).sort();

const readJson = async (dataDir: string, name: string) =>
  JSON.parse(await readFile(join(dataDir, name), "utf8"));

/** Starts a platform on the directory and checks that it has everything that the old one had. */
const checkImported = async (dataDir: string): Promise<void> => {
  const platform = await startPlatform({ port: 0, dataDir });
  const { token, workspaceId } = made.ready;
  expect(platform.ready).toMatchObject({ token, workspaceId });
  const { id, database } = made.project;
  expect((await call(platform.ready, "GET", `/v1/projects/${id}`)).id).toBe(id);
  expect(await query(database.connectionString, "select text from notes")).toEqual([{ text: "kept" }]);
  expect(await stateFiles(dataDir)).toEqual([]);
  expect(await readJson(dataDir, "platform.json")).toMatchObject({ format: 2 });
  await platform.stop();
};

const failure = async (dataDir: string): Promise<PlatformError> => {
  const outcome = await startPlatform({ port: 0, dataDir }).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(PlatformError);
  return outcome as PlatformError;
};

describe("a data directory whose records are in state files", () => {
  it("is imported at the next start, once, with the state that a reset restores", async () => {
    const dataDir = await copyOf("imported");
    await checkImported(dataDir);
    const platform = await startPlatform({ port: 0, dataDir });
    await makeProject(platform.ready);
    expect(await call(platform.ready, "GET", "/v1/projects")).toHaveLength(2);
    await control(platform.ready, "POST", "/reset", {});
    expect(await call(platform.ready, "GET", "/v1/projects")).toEqual([]);
    await platform.stop();
  });

  describe("whose import is killed", () => {
    let program: string;

    beforeAll(async () => {
      program = await bundleProgram(root, "run-import");
    });

    /** Returns the signal that ended the import. */
    const killAfter = async (step: ImportStep, dataDir: string): Promise<string | null> => {
      const { binaries } = await findPrograms();
      const child = spawn(process.execPath, [program, dataDir, step], {
        stdio: ["ignore", "inherit", "inherit"],
        env: { ...process.env, MGMT_POSTGRES: binaries.directory },
      });
      return new Promise((resolve) => child.once("exit", (_status, signal) => resolve(signal)));
    };

    it.each<[ImportStep, string[]]>([
      ["manifest written", ["initial-state.json", "state.json"]],
      ["records filled", ["initial-state.json", "state.json"]],
      ["files removed", []],
    ])("has everything at the next start: %s", async (step, files) => {
      const dataDir = await copyOf(step.replace(" ", "-"));
      expect(await killAfter(step, dataDir)).toBe("SIGKILL");
      expect(await stateFiles(dataDir)).toEqual(files);
      // Earlier versions refuse the directory from here on.
      expect(await readJson(dataDir, "platform.json")).toMatchObject({ format: 2 });
      await checkImported(dataDir);
    });
  });

  it("is imported although one of the files was removed already", async () => {
    const dataDir = await copyOf("half-removed");
    await checkImported(dataDir);
    await writeFile(join(dataDir, "initial-state.json"), "{", { mode: 0o600 });
    await checkImported(dataDir);
  });

  it("is refused and left as it was when the tables do not accept its rows", async () => {
    const dataDir = await copyOf("doubled");
    const state = await readJson(dataDir, "state.json");
    const [[sequence, row]] = state.store.projects.rows;
    state.store.projects.rows.push([sequence + 1, row]);
    state.store.projects.next = sequence + 2;
    await writeFile(join(dataDir, "state.json"), JSON.stringify(state), { mode: 0o600 });
    const before = await readFile(join(dataDir, "state.json"), "utf8");
    const error = await failure(dataDir);
    expect(error.code).toBe("platform:data_dir_corrupt");
    expect(error.message).toContain("no valid state of the server");
    expect(await readFile(join(dataDir, "state.json"), "utf8")).toBe(before);
    expect(await readJson(dataDir, "platform.json")).toMatchObject({ format: 1 });

    state.store.projects.rows.pop();
    await writeFile(join(dataDir, "state.json"), JSON.stringify(state), { mode: 0o600 });
    await checkImported(dataDir);
  });

  it("is refused when its databases have records already", async () => {
    const dataDir = await copyOf("both");
    await checkImported(dataDir);
    for (const name of ["platform.json", "state.json", "initial-state.json"]) {
      await writeFile(join(dataDir, name), await readFile(join(old, name)), { mode: 0o600 });
    }
    const error = await failure(dataDir);
    expect(error.code).toBe("platform:data_dir_corrupt");
    expect(error.message).toContain("platform.json is older than its databases");
    expect(await stateFiles(dataDir)).toEqual(["initial-state.json", "state.json"]);
  });

  it("is refused when neither the files nor the tables have records", async () => {
    const dataDir = await copyOf("neither");
    const manifest = await readJson(dataDir, "platform.json");
    await writeFile(join(dataDir, "platform.json"), JSON.stringify({ ...manifest, format: 2 }), {
      mode: 0o600,
    });
    for (const name of ["state.json", "initial-state.json"]) await rm(join(dataDir, name));
    const error = await failure(dataDir);
    expect(error.code).toBe("platform:data_dir_corrupt");
    expect(error.message).toContain("have no records");
  });
});

describe("a data directory of a newer version", () => {
  it("is refused because of its tables, which stay as they are", async () => {
    const dataDir = await copyOf("newer");
    const platform = await startPlatform({ port: 0, dataDir });
    const client = await connectToRecords(dataDir, platform.ready);
    await client.query("insert into mgmt.migrations values (999)");
    await client.end();
    await platform.stop();
    const error = await failure(dataDir);
    expect(error.code).toBe("platform:data_dir_newer");
    expect(error.hint).toContain("Update @mgmt/platform");
  });
});

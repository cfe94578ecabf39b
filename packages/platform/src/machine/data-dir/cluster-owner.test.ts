import { mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openDataDir } from "./data-dir.js";
import { PlatformError } from "@mgmt/platform";
import { temporaryDirectory } from "../../../test/cluster.js";

let root: string;
let dataDir: string;

beforeAll(async () => {
  root = await temporaryDirectory();
});
beforeEach(async () => {
  dataDir = join(root, "data");
  await rm(dataDir, { recursive: true, force: true });
  await mkdir(dataDir, { mode: 0o700 });
  const postgres = { major: 18, port: 1, directPort: 3, password: "not-a-secret", complete: true };
  const manifest = { format: 1, directory: (await stat(dataDir)).ino, port: 2, postgres };
  await writeFile(join(dataDir, "platform.json"), JSON.stringify(manifest), { mode: 0o600 });
});
afterAll(() => rm(root, { recursive: true, force: true }));

const makeCluster = async (name: string): Promise<void> => {
  const cluster = join(dataDir, name);
  await mkdir(join(cluster, "global"), { recursive: true, mode: 0o700 });
  await writeFile(join(cluster, "PG_VERSION"), "18\n", { mode: 0o600 });
  await writeFile(join(cluster, "global", "pg_control"), "", { mode: 0o600 });
  await writeFile(join(cluster, "made-as"), name, { mode: 0o600 });
};

const open = async (): Promise<string[]> => {
  const opened = await openDataDir(dataDir);
  await opened.release();
  return (await readdir(dataDir)).sort();
};

const former = "postgres.0123456789ab.former";
const copy = "postgres.0123456789ab.tmp";

describe("a data directory whose cluster was being replaced by a copy for another account", () => {
  it("gets its cluster back when the process was killed before the copy took its place", async () => {
    await makeCluster(former);
    await makeCluster(copy);
    expect(await open()).toEqual(["platform.json", "postgres"]);
    expect(await readFile(join(dataDir, "postgres", "made-as"), "utf8")).toBe(former);
  });

  it("keeps the copy when the process was killed while it removed the former cluster", async () => {
    await makeCluster("postgres");
    await mkdir(join(dataDir, former, "base"), { recursive: true, mode: 0o700 });
    expect(await open()).toEqual(["platform.json", "postgres"]);
  });

  it("keeps what has a similar name, and is refused without a cluster", async () => {
    const names = ["postgres.former", "postgres.0123.former", "other.0123456789ab.former"];
    for (const name of names) await makeCluster(name);
    const error = await open().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PlatformError);
    expect(error).toMatchObject({ code: "platform:data_dir_corrupt" });
    expect((await readdir(dataDir)).sort()).toEqual([...names, "platform.json"].sort());
  });
});

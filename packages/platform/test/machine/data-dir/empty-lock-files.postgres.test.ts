import { chown, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseEphemeralParent } from "../../../src/machine/data-dir/directories.js";
import { PostgresServer, type ServerOptions } from "../../../src/machine/postgres/server.js";
import { makeCluster, temporaryDirectory } from "../../cluster.js";

let directory: string;
let options: ServerOptions;

beforeAll(async () => {
  directory = await temporaryDirectory(await chooseEphemeralParent());
  options = await makeCluster(directory);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** Writes a file that belongs to the account of Postgres. */
const write = async (name: string, text: string): Promise<void> => {
  const path = join(options.directory, name);
  await writeFile(path, text, { mode: 0o600 });
  const { uid, gid } = await stat(options.directory);
  await chown(path, uid, gid);
};

describe("a cluster whose postmaster was killed while it wrote its lock files", () => {
  it("starts when the file with its process id is empty", async () => {
    await write("postmaster.pid", "");
    const server = await PostgresServer.start(options);
    await server.stop();
    expect(await readdir(options.directory)).not.toContain("postmaster.pid");
  });

  it("starts when the lock file of its socket is empty", async () => {
    // No process has the highest possible id.
    await write("postmaster.pid", "4194304\n");
    await write(`.s.PGSQL.${String(options.port)}.lock`, "");
    const server = await PostgresServer.start(options);
    await server.stop();
    expect(await readdir(options.directory)).not.toContain("postmaster.pid");
  });
});

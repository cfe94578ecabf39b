import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Ready } from "@mgmt/platform";
import { call, finalStatus, makeProject, query } from "../api.js";
import { connectToRecords } from "../records-session.js";
import { type PlatformProcess, Platforms } from "../platform-process.js";
import { running } from "../processes.js";

const platforms = new Platforms();

/** Kills the platform after a deletion has dropped the database, while it waits to drop its roles. */
const killDuringDeletion = async (
  platform: PlatformProcess,
  dataDir: string,
  path: string,
  databaseId: string,
): Promise<void> => {
  const locker = await connectToRecords(dataDir, platform.ready);
  // What a transaction sees may be older, so another connection looks for the database.
  const observer = await connectToRecords(dataDir, platform.ready);
  // They end together with Postgres.
  for (const client of [locker, observer]) client.on("error", () => undefined);
  try {
    await locker.query("begin; lock table pg_authid in share row exclusive mode");
    const deleted = call(platform.ready, "DELETE", path).catch(() => "unanswered");
    await vi.waitFor(async () => {
      const { rowCount } = await observer.query("select from pg_database where datname = $1", [databaseId]);
      expect(rowCount).toBe(0);
    });
    const pids = platform.descendants();
    await platform.end("SIGKILL");
    expect(await deleted).toBe("unanswered");
    await vi.waitFor(() => expect(running(pids)).toEqual([]));
  } finally {
    await Promise.all([locker.end(), observer.end()]);
  }
};

/** Returns the status of the first response that the server gives at the address of its last run. */
const firstStatus = async ({ baseUrl, token }: Ready, path: string): Promise<number> =>
  vi.waitFor(
    async () => (await fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } })).status,
  );

describe.concurrent("a deletion that a kill interrupts", () => {
  it("of a database is complete when the next run responds", async () => {
    const dataDir = join(platforms.directory, "database");
    const first = await platforms.start({ dataDir });
    const project = await makeProject(first.ready);
    const database = await call(first.ready, "POST", `/v1/projects/${project.id}/databases`, {});
    await finalStatus(first.ready, database.id);
    const path = `/v1/databases/${database.id}`;
    await killDuringDeletion(first, dataDir, path, database.id);

    const [status, second] = await Promise.all([
      firstStatus(first.ready, path),
      platforms.start({ dataDir }),
    ]);
    expect(status).toBe(404);
    await expect(query(database.connectionString, "select")).rejects.toThrow();
    await query(project.database.connectionString, "select");
    expect(await second.end("SIGTERM")).toBe(0);
  });

  it("of a project is complete when the next run responds", async () => {
    const dataDir = join(platforms.directory, "project");
    const first = await platforms.start({ dataDir });
    const { id, database } = await makeProject(first.ready);
    const path = `/v1/projects/${id}`;
    await killDuringDeletion(first, dataDir, path, database.id);

    const [status, second] = await Promise.all([
      firstStatus(first.ready, path),
      platforms.start({ dataDir }),
    ]);
    expect(status).toBe(404);
    expect(await second.end("SIGTERM")).toBe(0);
  });
});

import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { DatabaseNotFoundError, WaitFailedError, WaitTimeoutError } from "@mgmt/sdk";
import { thrown } from "../../test/server.js";
import { minuteLater, setupWorld, takeTime, waitErrorOf, withStatus } from "../../test/wait/server.js";

const world = setupWorld();
const { mock } = world;

describe("databases.waitUntilReady", () => {
  it("returns the database once it is ready after a create", async () => {
    const { id } = await world.user.databases.create({ projectId: world.projectId });
    const statuses: string[] = [];
    const database = await world.user.databases.waitUntilReady(id, {
      onProgress: async ({ status }) => {
        statuses.push(status);
        await mock.clock.advance(mock.settings.lifecycle.provisioning);
      },
    });
    expect(database).toMatchObject({ id, type: "database", status: "ready" });
    expect(statuses).toEqual(["provisioning", "ready"]);
  });

  it("returns it once it is ready after a restore", async () => {
    const { id: backupId } = await mock.seed.backup(world.databaseId);
    const source = { type: "backup", databaseId: world.databaseId, backupId } as const;
    const { status } = await world.user.databases.restore(world.databaseId, { source });
    const database = await world.user.databases.waitUntilReady(world.databaseId, {
      onProgress: () => mock.clock.advance(mock.settings.lifecycle.recovering),
    });
    expect([status, database.status]).toEqual(["recovering", "ready"]);
  });

  it("polls once for a database that is ready", async () => {
    await world.user.databases.waitUntilReady(world.databaseId);
    expect(world.requests()).toEqual(["databases.get 200"]);
  });

  it("throws when it has failed, and prints no password of it", async () => {
    await mock.states.setDatabaseStatus(world.databaseId, "failure");
    const error = await waitErrorOf(world.user.databases.waitUntilReady(world.databaseId));
    expect(error).toBeInstanceOf(WaitFailedError);
    expect(error).toMatchObject({
      code: "database:failed",
      lastStatus: "failure",
      message: `Database ${world.databaseId} has failed`,
    });
    const password = JSON.stringify(error.lastSeen()).match(/"pass":"(\w+)"/)?.[1] ?? "";
    expect(password).not.toBe("");
    const text = inspect(error, { depth: 9, showHidden: true, getters: true }) + JSON.stringify(error);
    expect(text).toContain(world.databaseId);
    expect(text).not.toContain(password);
  });

  it("throws a timeout with the database as it was last seen", async () => {
    await mock.states.setDatabaseStatus(world.databaseId, "recovering");
    takeTime();
    const options = { timeoutMs: 60_000, onProgress: minuteLater };
    const error = await waitErrorOf(world.user.databases.waitUntilReady(world.databaseId, options));
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({ lastStatus: "recovering" });
    expect(error.lastSeen()).toMatchObject({ type: "database", id: world.databaseId });
  });

  it("throws a 404 when it is deleted meanwhile", async () => {
    await mock.states.setDatabaseStatus(world.databaseId, "provisioning");
    const wait = world.user.databases.waitUntilReady(world.databaseId, {
      onProgress: () => world.user.databases.delete(world.databaseId),
    });
    expect(await thrown(wait)).toBeInstanceOf(DatabaseNotFoundError);
  });

  it("waits on at a status that it does not know", async () => {
    const fetch = withStatus(mock.fetch, "/databases/", ["hibernating"]);
    const client = world.connect(await mock.tokens.user(), { fetch });
    const statuses: string[] = [];
    await client.databases.waitUntilReady(world.databaseId, {
      onProgress: ({ status }) => void statuses.push(status),
    });
    expect(statuses).toEqual(["hibernating", "ready"]);
  });
});

import { describe, expect, it } from "vitest";
import { type Up, useRecordedPlace } from "../../../test/commands/preview/place.js";

const { place } = useRecordedPlace();

describe("mgmt preview reset", () => {
  it("replaces the database by a fresh copy, and says that the connection string changes", async () => {
    const before = (await place.mgmt`preview up --branch a --expires 7d -o json`).json as Up;
    const refused = await place.mgmt`preview reset --branch a`;
    expect(refused).toMatchObject({ status: 3, stderr: expect.stringContaining("confirmation:needed") });
    expect(refused.stderr).toMatch(/ a copy of \S+ in eu-central-1, with another connection string/);
    const { status, stderr, json } = await place.mgmt`preview reset --branch a --yes -o json`;
    expect(status, stderr).toBe(0);
    expect(json).toMatchObject({
      branch: "a",
      created: true,
      region: "eu-central-1",
      expiresAt: before.expiresAt,
      connectionsKept: false,
      deletedDatabaseId: before.databaseId,
    });
    const { databaseId, connectionString } = json as Up;
    expect(connectionString).not.toBe(before.connectionString);
    const all = await place.databases();
    expect(all.map(({ id }) => id)).toEqual([place.sourceId, databaseId]);
    expect(all.at(-1)?.source).toEqual({ type: "database", databaseId: place.sourceId });
    const again = await place.mgmt`preview reset --branch a --yes`;
    expect(again.stderr).toMatch(/was replaced by db_\w+, a copy of \S+ in eu-central-1\. Connection/);
  });

  it("forgets that a setup of the old database has not succeeded", async () => {
    const { databaseId } = (await place.mgmt`preview up --branch a -o json`).json as Up;
    await place.mgmt`databases update ${databaseId} --name ${"a (setup pending)"}`;
    await place.mgmt`preview reset --branch a --yes`;
    expect((await place.databases()).at(-1)?.name).toBe("a");
  });

  it("keeps the connection string with --from-backup", async () => {
    const before = (await place.mgmt`preview up --branch a -o json`).json as Up;
    expect(await place.mgmt`preview reset --branch a --yes --from-backup`).toMatchObject({
      status: 6,
      stderr: expect.stringContaining("preview:no_backup"),
    });
    const { seed, states } = place.session.server.engine;
    const { id: backupId } = await seed.backup(place.sourceId);
    const newer = await seed.backup(place.sourceId);
    await states.setBackupStatus(newer.id, "failed");
    const { json } = await place.mgmt`preview reset --branch a --yes --from-backup -o json`;
    expect(json).toMatchObject({
      databaseId: before.databaseId,
      created: false,
      connectionsKept: true,
      deletedDatabaseId: null,
      connectionString: before.connectionString,
    });
    expect((await place.databases()).at(-1)?.source).toEqual({
      type: "backup",
      databaseId: place.sourceId,
      backupId,
    });
    expect(await place.mgmt`preview reset --branch a --yes --from-backup bkp_000000000000`).toMatchObject({
      status: 6,
    });
  });

  it("changes nothing without a preview, without a source that is ready, or in a dry run", async () => {
    expect(await place.mgmt`preview reset --branch a --yes`).toMatchObject({
      status: 6,
      stderr: expect.stringContaining("preview:not_found"),
    });
    await place.mgmt`preview up --branch a`;
    const before = place.requestCount;
    expect((await place.mgmt`preview reset --branch main --yes`).status).toBe(2);
    expect((await place.mgmt`preview reset --branch a --dry-run`).json).toMatchObject([
      { method: "DELETE" },
      { method: "POST", body: { logicalId: expect.stringMatching(/^preview\.shop-\w+\.br_\w+$/) } },
      { method: "POST" },
    ]);
    await place.session.server.engine.states.setDatabaseStatus(place.sourceId, "provisioning");
    expect((await place.mgmt`preview reset --branch a --yes --timeout 200ms`).status).toBe(8);
    expect(place.writesSince(before)).toEqual([]);
  });
});

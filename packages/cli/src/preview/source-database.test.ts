import { describe, expect, it } from "vitest";
import { type Up, useRecordedPlace } from "../../test/commands/preview/place.js";

const { place } = useRecordedPlace();

describe("the source of a preview", () => {
  it.each([
    [403, "scope:missing", 0],
    [404, "database:not_found", 0],
    [422, "validation:failed", 7],
  ])("is the default database if its own responds with %d %s", async (status, code, expected) => {
    await place.mgmt`preview up --branch a`;
    const { faults } = place.session.server.engine;
    faults.add({ operation: "databases.get", status, code, times: 1 });
    const before = place.requestCount;
    const result = await place.mgmt`preview reset --branch a --yes`;
    expect(result.status, result.stderr).toBe(expected);
    if (expected !== 0) expect(place.writesSince(before)).toEqual([]);
  });

  it("is the one that it was copied from, also if another one is the default by now", async () => {
    await place.mgmt`preview up --branch a`;
    const { id } = await place.session.server.engine.seed.database(place.projectId, { name: "other" });
    await place.mgmt`databases update ${id} --is-default true`;
    const { status, stderr } = await place.mgmt`preview reset --branch a --yes`;
    expect(status, stderr).toBe(0);
    expect((await place.databases()).at(-1)?.source).toMatchObject({ databaseId: place.sourceId });
  });

  it("may be the only database on the default branch, whatever others have", async () => {
    const { seed } = place.session.server.engine;
    const { id: projectId } = await seed.project({ createDatabase: false });
    const { id } = await seed.database(projectId);
    await place.mgmt`databases create --project-id ${projectId} --branch-git-name b`;
    const { json } = await place.mgmt`preview up --branch a --project-id ${projectId} -o json`;
    const { databaseId } = json as Up;
    const { json: copy } = await place.mgmt`databases get ${databaseId} -o json`;
    expect(copy).toMatchObject({ source: { databaseId: id } });
  });
});

describe("a copy that another run has created meanwhile", () => {
  it("is used, and the second one is deleted", async () => {
    const { engine } = place.session.server;
    const first = (await place.mgmt`preview up --branch a -o json`).json as Up;
    const { logicalId } = (await place.databases()).at(-1) ?? {};
    // The list from before the other run shows no preview: this run creates a second one.
    await place.mgmt`databases update ${first.databaseId} --logical-id ${`${logicalId ?? ""}.expires-20300101T0000Z`}`;
    engine.faults.add({
      operation: "databases.list",
      status: 200,
      body: JSON.stringify({ data: [], pagination: { nextCursor: null, hasMore: false } }),
      contentType: "application/json",
      times: 1,
    });
    const { json } = await place.mgmt`preview up --branch a -o json`;
    expect(json).toMatchObject({ databaseId: first.databaseId, created: false });
    expect((await place.databases()).at(-1)?.logicalId).toContain(".expires-20300101T0000Z");
    expect((await place.databases()).map(({ id }) => id)).toEqual([place.sourceId, first.databaseId]);
  });
});

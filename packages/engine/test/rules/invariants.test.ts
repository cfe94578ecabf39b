import { describe, expect, it } from "vitest";
import { isInMemory } from "../server/engine-under-test.js";
import { Api } from "./api.js";
import { brokenInvariants, differences } from "./invariants.js";
import { nothingToCopy } from "./model-databases.js";
import { Dice, RandomRequests } from "./random-requests.js";

// Rows in a database take much longer.
const [seeds, rounds] = isInMemory() ? [20, 60] : [2, 20];
const works = ["create", "drop", "restore", "grant", "revoke", "dropBackup"] as const;

/** Runs one round: a few concurrent requests, while time passes and the database engine sometimes fails. */
const playRound = async (api: Api, requests: RandomRequests, dice: Dice): Promise<void> => {
  const work = dice.chance(25) ? dice.oneOf(works) : undefined;
  const stopFailing = work && api.databases.fail(work);
  const store = await api.store();
  const sent = Array.from({ length: 1 + dice.below(6) }, () => {
    const { operationId, asked } = requests.next(store);
    return api.send(operationId, asked);
  });
  const passing = dice.chance(40) ? [api.later(dice.below(3_000))] : [];
  const ready = (await api.store()).databases.list({}).filter(({ status }) => status === "ready");
  const backedUp = dice.oneOf(ready);
  const backup =
    backedUp && dice.chance(30) ? [api.engine.seed.backup(backedUp.id).catch(() => undefined)] : [];
  const replies = await Promise.all(sent);
  await Promise.all([...passing, ...backup]);
  stopFailing?.();

  const expected = ["The database engine cannot", nothingToCopy];
  const unexpected = api.defects.filter((defect) => !expected.some((text) => String(defect).includes(text)));
  expect(unexpected).toEqual([]);
  if (work === undefined) expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
  expect(brokenInvariants(await api.store())).toEqual([]);
};

describe("any requests in any order and at the same time", () => {
  it.each(Array.from({ length: seeds }, (_, index) => index + 1))(
    "names stay unique, defaults single, and nothing refers to the dead (seed %i)",
    async (seed) => {
      const api = await Api.open();
      const dice = new Dice(seed);
      const requests = new RandomRequests(dice);
      for (let round = 0; round < rounds; round += 1) await playRound(api, requests, dice);
      await api.later(600_000);
      expect(brokenInvariants(await api.store())).toEqual([]);
      expect(differences(await api.store(), api.databases)).toEqual([]);
      const backups = (await api.store()).backups
        .list({})
        .filter(({ status }) => status === "completed")
        .map(({ id }) => id);
      expect([...api.databases.backups.keys()].sort()).toEqual(backups.sort());
    },
  );
});

describe("many requests of one kind at the same time", () => {
  const atOnce = async <T>(count: number, send: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => send(index)));

  it("assign a logicalId to one project only", async () => {
    const api = await Api.open();
    const replies = await atOnce(20, () => api.send("projects.create", { body: { logicalId: "shop" } }));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ code }) => code === "project:logical_id_conflict")).toHaveLength(19);
  });

  it("create one branch of a git name, and one app of a name on it", async () => {
    const api = await Api.open();
    const { project } = await api.project();
    const body = { projectId: project.id, displayName: "web", branchGitName: "dev" };
    const replies = await atOnce(20, () => api.send("services.create", { body }));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await api.store()).branches.list({}).filter(({ gitName }) => gitName === "dev")).toHaveLength(1);
  });

  it("leave one default database", async () => {
    const api = await Api.open();
    const { project } = await api.project();
    await atOnce(20, () =>
      api.send("databases.create", { body: { projectId: project.id, isDefault: true } }),
    );
    const defaults = (await api.store()).databases.list({}).filter(({ isDefault }) => isDefault);
    expect(defaults.map(({ id }) => id)).toEqual([(await api.store()).databases.list({}).at(-1)?.id]);
  });

  it("delete all connections of a database, and leave no default one", async () => {
    const api = await Api.open();
    const { database } = await api.project();
    await atOnce(10, (index) =>
      api.ok("connections.create", { body: { databaseId: database.id, name: `app ${String(index)}` } }),
    );
    const ids = (await api.store()).connections.list({}).map(({ id }) => id);
    await atOnce(ids.length, (index) => api.ok("connections.delete", { path: { id: ids[index] ?? "" } }));
    expect(api.databases.passwords(database.id)).toEqual({});
    expect((await api.store()).databases.get(database.id)?.defaultConnectionId).toBeNull();
  });
});

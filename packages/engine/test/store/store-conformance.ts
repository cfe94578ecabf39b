import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CollectionName, type Rows, collectionNames } from "../../src/store/collections.js";
import type { Collection, Store } from "../../src/store/store.js";
import { type OpenStore, type StoreUnderTest, idsOf, sampleRows } from "./store-under-test.js";

const oddIds = [
  "",
  "__proto__",
  "constructor",
  "toString",
  "with\nline",
  "ünïcödé 🐘",
  "x".repeat(300),
  "O'Neil",
  "a%b_c\\",
];

const insertSample = <Name extends CollectionName>(store: Store, name: Name, id: string): void => {
  // The compiler does not follow that a collection has the rows of its name.
  const collection = store[name] as unknown as Pick<Collection<Rows[Name], never>, "insert">;
  collection.insert(sampleRows[name](id));
};

/** Tests what an implementation of `Store` does with single rows, and with its state. */
export const describeRows = (open: OpenStore): void => {
  describe("rows", () => {
    let store: StoreUnderTest;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const project = sampleRows.projects;
    const insert = (...rows: Rows["projects"][]) =>
      store.run(({ projects }) => {
        for (const row of rows) projects.insert(row);
      });

    it("returns an inserted row, then and later", async () => {
      const row = project("p1", { settings: { shown: { deep: ["x", 1, null, { y: true }] } } });
      expect(await store.run(({ projects }) => projects.insert(row))).toEqual(row);
      expect(await store.run(({ projects }) => projects.get("p1"))).toEqual(row);
    });

    it("shows a step its own changes", async () => {
      const seen = await store.run(({ projects }) => {
        projects.insert(project("p1"));
        projects.insert(project("p2"));
        projects.update("p1", { name: "renamed" });
        projects.delete("p2");
        projects.insert(project("p3", { workspaceId: "other" }));
        projects.update("p3", { workspaceId: "w" });
        return [projects.size, projects.count({ workspaceId: "w" }), ...projects.list({ workspaceId: "w" })];
      });
      expect(seen).toEqual([2, 2, project("p1", { name: "renamed" }), project("p3")]);
    });

    it("replaces only the fields that an update names", async () => {
      await insert(project("p1", { name: "old", logicalId: "main" }));
      const updated = await store.run(({ projects }) => projects.update("p1", { name: "new" }));
      expect(updated).toEqual(project("p1", { name: "new", logicalId: "main" }));
      expect(await store.run(({ projects }) => projects.get("p1"))).toEqual(updated);
    });

    it("replaces a nested object as a whole", async () => {
      await insert(project("p1", { settings: { a: { one: 1 }, b: {} } }));
      await store.run(({ projects }) => projects.update("p1", { settings: { c: {} } }));
      expect(await store.run(({ projects }) => projects.get("p1")?.settings)).toEqual({ c: {} });
    });

    it("leaves rows that were read before as they were", async () => {
      await insert(project("p1", { name: "old" }));
      const [got, listed] = await store.run(({ projects }) => [projects.get("p1"), projects.list({})]);
      await store.run(({ projects }) => {
        projects.update("p1", { name: "new" });
        projects.delete("p1");
      });
      expect([got, listed]).toEqual([project("p1", { name: "old" }), [project("p1", { name: "old" })]]);
    });

    it("returns lists that a caller may change", async () => {
      await insert(project("p1"), project("p2"));
      const lists = ({ projects }: Parameters<Parameters<StoreUnderTest["run"]>[0]>[0]) => [
        projects.list({}),
        projects.list({ workspaceId: "w" }),
        projects.list({ workspaceId: ["w", "v"] }),
        projects.listPage({ where: { workspaceId: "w" }, limit: 5 }),
      ];
      for (const list of await store.run(lists)) list.length = 0;
      expect((await store.run(lists)).map(idsOf)).toEqual(Array(4).fill(["p1", "p2"]));
    });

    it("removes a row from everything but the past", async () => {
      await insert(project("p1"), project("p2"));
      await store.run(({ projects }) => projects.delete("p1"));
      const seen = await store.run(({ projects }) => [
        projects.size,
        projects.get("p1"),
        idsOf(projects.list({})),
        idsOf(projects.list({ workspaceId: "w" })),
      ]);
      expect(seen).toEqual([1, undefined, ["p2"], ["p2"]]);
    });

    it("belong to one collection", async () => {
      await insert(project("same"));
      await store.run(({ users }) => users.insert(sampleRows.users("same")));
      await store.run(({ users }) => users.delete("same"));
      expect(await store.run(({ projects, users }) => [projects.size, users.size])).toEqual([1, 0]);
    });

    it.each(oddIds)("accept any text as an id: %j", async (id) => {
      expect(await store.run(({ projects }) => projects.get(id))).toBeUndefined();
      await insert(project(id, { name: "odd" }));
      await store.run(({ projects }) => projects.update(id, { logicalId: id }));
      expect(
        await store.run(({ projects }) => projects.find({ workspaceId: "w", logicalId: id })?.name),
      ).toBe("odd");
      await store.run(({ projects }) => projects.delete(id));
      expect(await store.run(({ projects }) => projects.size)).toBe(0);
    });

    it("refuses a second row with an id, and keeps the first", async () => {
      await insert(project("p1", { name: "first" }));
      await expect(insert(project("p1", { name: "second" }))).rejects.toThrow("A row with the id p1 exists");
      expect(await store.run(({ projects }) => [projects.size, projects.get("p1")?.name])).toEqual([
        1,
        "first",
      ]);
    });

    it("refuses to update a row that does not exist, and to tell its sequence number", async () => {
      const missing = "There is no row with the id none";
      await expect(store.run(({ projects }) => projects.update("none", { name: "new" }))).rejects.toThrow(
        missing,
      );
      await expect(store.run(({ projects }) => projects.getSequence("none"))).rejects.toThrow(missing);
      expect(await store.run(({ projects }) => projects.size)).toBe(0);
    });

    it("ignores the deletion of a row that does not exist", async () => {
      await insert(project("p1"));
      await store.run(({ projects }) => projects.delete("none"));
      expect(await store.run(({ projects }) => projects.size)).toBe(1);
    });
  });

  describe("sequence numbers", () => {
    const project = sampleRows.projects;

    it("grow with every insertion, survive updates, and are never reused", async () => {
      const store = await open();
      const sequence = (id: string) => store.run(({ projects }) => projects.getSequence(id));
      await store.run(({ projects }) => projects.insert(project("p1")));
      await store.run(({ projects }) => projects.insert(project("p2")));
      const [first, second] = [await sequence("p1"), await sequence("p2")];
      expect(second).toBeGreaterThan(first);
      await store.run(({ projects }) => projects.update("p1", { workspaceId: "other" }));
      expect(await sequence("p1")).toBe(first);
      await store.run(({ projects }) => projects.delete("p2"));
      await store.run(({ projects }) => projects.insert(project("p2")));
      expect(await sequence("p2")).toBeGreaterThan(second);
      await store.close();
    });

    it("are not reused after a restart, though the newest row is gone", async () => {
      const store = await open();
      await store.run(({ projects }) => projects.insert(project("p1")));
      const used = await store.run(({ projects }) => projects.getSequence("p1"));
      await store.run(({ projects }) => projects.delete("p1"));
      const restarted = await open(await store.state());
      await restarted.run(({ projects }) => projects.insert(project("p2")));
      expect(await restarted.run(({ projects }) => projects.getSequence("p2"))).toBeGreaterThan(used);
      await Promise.all([store.close(), restarted.close()]);
    });
  });

  describe("a state", () => {
    it("restores every collection: rows, order and sequence numbers", async () => {
      const store = await open();
      await store.run((step) => {
        for (const name of collectionNames) for (const id of ["b", "a"]) insertSample(step, name, id);
      });
      const state = await store.state();
      for (const { rows } of Object.values(state)) expect(rows.map(([, { id }]) => id)).toEqual(["b", "a"]);
      const restarted = await open(state);
      expect(await restarted.state()).toEqual(state);
      await Promise.all([store.close(), restarted.close()]);
    });

    it("does not change with the store, nor the store with another that has the same state", async () => {
      const store = await open();
      await store.run(({ projects }) => projects.insert(sampleRows.projects("p1", { name: "old" })));
      const state = await store.state();
      const other = await open(state);
      await store.run(({ projects }) => {
        projects.update("p1", { name: "new" });
        projects.insert(sampleRows.projects("p2"));
      });
      expect(state.projects.rows.map(([, { name }]) => name)).toEqual(["old"]);
      expect(await other.run(({ projects }) => projects.list({}).map(({ name }) => name))).toEqual(["old"]);
      await Promise.all([store.close(), other.close()]);
    });

    it("is found by keys, by pages and by expiration in a store that is opened with it", async () => {
      const store = await open();
      await store.run(({ projects, grants }) => {
        projects.insert(sampleRows.projects("p1", { logicalId: "one" }));
        projects.insert(sampleRows.projects("p2", { logicalId: "two" }));
        grants.insert(sampleRows.grants("g1", { expiresAt: 5 }));
      });
      const restarted = await open(await store.state());
      const seen = await restarted.run(({ projects, grants }) => [
        projects.find({ workspaceId: "w", logicalId: "two" })?.id,
        idsOf(
          projects.listPage({ where: { workspaceId: "w" }, after: projects.getSequence("p1"), limit: 1 }),
        ),
        idsOf(grants.listExpired(5)),
      ]);
      expect(seen).toEqual(["p2", ["p2"], ["g1"]]);
      await Promise.all([store.close(), restarted.close()]);
    });
  });
};

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenStore, type StoreUnderTest, idsOf, sampleRows } from "./store-under-test.js";

/** Tests how an implementation of `Store` finds rows by keys and by expiration. */
export const describeLookups = (open: OpenStore): void => {
  let store: StoreUnderTest;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  describe("lookups by key", () => {
    it("find the oldest row, list all from the oldest to the newest, and count them", async () => {
      await store.run(({ databases }) => {
        for (const id of ["d3", "d1", "d2"]) databases.insert(sampleRows.databases(id));
        databases.insert(sampleRows.databases("elsewhere", { projectId: "other" }));
      });
      const seen = await store.run(({ databases }) => {
        const where = { projectId: "p" };
        return [databases.find(where)?.id, idsOf(databases.list(where)), databases.count(where)];
      });
      expect(seen).toEqual(["d3", ["d3", "d1", "d2"], 3]);
    });

    it("find nothing where nothing matches", async () => {
      const seen = await store.run(({ databases }) => {
        const where = { projectId: "p" };
        return [databases.find(where), databases.list(where), databases.count(where)];
      });
      expect(seen).toEqual([undefined, [], 0]);
    });

    it("match every row where nothing is compared", async () => {
      await store.run(({ projects }) => {
        projects.insert(sampleRows.projects("p1"));
        projects.insert(sampleRows.projects("p2", { workspaceId: "other" }));
      });
      const seen = await store.run(({ projects }) => [
        projects.find({})?.id,
        idsOf(projects.list({})),
        projects.count({}),
        idsOf(projects.listPage({ where: {}, limit: 1, newestFirst: true })),
      ]);
      expect(seen).toEqual(["p1", ["p1", "p2"], 2, ["p2"]]);
    });

    it("compare all fields that are given, and none that are undefined", async () => {
      await store.run(({ databases }) => {
        databases.insert(sampleRows.databases("d1", { logicalId: "one" }));
        databases.insert(sampleRows.databases("d2", { logicalId: "two" }));
        databases.insert(sampleRows.databases("d3", { logicalId: "one", projectId: "other" }));
        databases.insert(sampleRows.databases("d4", { logicalId: "one", workspaceId: "other" }));
      });
      const list = (fields: { projectId?: string | undefined; logicalId?: string | undefined }) =>
        store.run(({ databases }) => idsOf(databases.list({ workspaceId: "w", ...fields })));
      expect(await list({})).toEqual(["d1", "d2", "d3"]);
      expect(await list({ projectId: undefined, logicalId: "one" })).toEqual(["d1", "d3"]);
      expect(await list({ logicalId: "one", projectId: "p" })).toEqual(["d1"]);
    });

    it("match null with null only", async () => {
      await store.run(({ apps }) => {
        for (const [id, branchId] of [
          ["a1", null],
          ["a2", "null"],
          ["a3", ""],
          ["a4", "b"],
        ] as const)
          apps.insert(sampleRows.apps(id, { branchId }));
      });
      const list = (branchId: string | null) =>
        store.run(({ apps }) => idsOf(apps.list({ workspaceId: "w", branchId })));
      expect([await list(null), await list("null"), await list("")]).toEqual([["a1"], ["a2"], ["a3"]]);
      expect(await store.run(({ apps }) => apps.count({ branchId: null }))).toBe(1);
    });

    it("distinguish true from false", async () => {
      await store.run(({ branches }) => {
        branches.insert(sampleRows.branches("b1", { isDefault: true }));
        branches.insert(sampleRows.branches("b2"));
      });
      const list = (isDefault: boolean) =>
        store.run(({ branches }) => idsOf(branches.list({ projectId: "p", isDefault })));
      expect([await list(true), await list(false)]).toEqual([["b1"], ["b2"]]);
    });

    it("distinguish combinations of similar texts", async () => {
      const pairs = [
        ["a", "bc"],
        ["ab", "c"],
        ["a", "1:b"],
        ["a1", ":b"],
        ["1:a", "b"],
        ["", "abc"],
        ["abc", ""],
        ["null", ";"],
        ["a;", "b"],
        ["a", ";b"],
      ] as const;
      await store.run(({ branches }) => {
        for (const [projectId, gitName] of pairs)
          branches.insert(sampleRows.branches(JSON.stringify([projectId, gitName]), { projectId, gitName }));
      });
      for (const [projectId, gitName] of pairs) {
        expect(await store.run(({ branches }) => idsOf(branches.list({ projectId, gitName })))).toEqual([
          JSON.stringify([projectId, gitName]),
        ]);
      }
    });

    it("compare texts exactly: case, spaces and the end", async () => {
      await store.run(({ branches }) => {
        for (const gitName of ["main", "Main", "main ", "main2"])
          branches.insert(sampleRows.branches(gitName, { gitName }));
      });
      expect(
        await store.run(({ branches }) => idsOf(branches.list({ projectId: "p", gitName: "main" }))),
      ).toEqual(["main"]);
    });
  });

  describe("lookups by several values", () => {
    beforeEach(() =>
      store.run(({ deployments }) => {
        const statuses = ["running", "created", "running", "failed", "created"] as const;
        statuses.forEach((status, index) =>
          deployments.insert(sampleRows.deployments(`d${String(index)}`, { status })),
        );
        deployments.insert(sampleRows.deployments("elsewhere", { appId: "other" }));
      }),
    );

    it("match any of them, each row once, from the oldest to the newest", async () => {
      const where = { appId: "a", status: ["created", "failed", "created", "stopped"] } as const;
      const seen = await store.run(({ deployments }) => [
        deployments.find(where)?.id,
        idsOf(deployments.list(where)),
        deployments.count(where),
        idsOf(deployments.listPage({ where, limit: 2 })),
        idsOf(deployments.listPage({ where, limit: 2, newestFirst: true })),
      ]);
      expect(seen).toEqual(["d1", ["d1", "d3", "d4"], 3, ["d1", "d3"], ["d4", "d3"]]);
    });

    it("combine the values of two fields", async () => {
      const where = { appId: ["other", "a"], status: ["running", "created"] } as const;
      expect(await store.run(({ deployments }) => idsOf(deployments.list(where)))).toEqual([
        ...["d0", "d1", "d2", "d4", "elsewhere"],
      ]);
    });

    it("match nothing where there are no values", async () => {
      const where = { appId: "a", status: [] } as const;
      const seen = await store.run(({ deployments }) => [
        deployments.find(where),
        deployments.list(where),
        deployments.count(where),
        deployments.listPage({ where, limit: 5 }),
      ]);
      expect(seen).toEqual([undefined, [], 0, []]);
    });
  });

  describe("lookups by the elements of an array", () => {
    it("find a row by each element, once", async () => {
      await store.run(({ workspaces }) => {
        workspaces.insert(sampleRows.workspaces("w1", { memberIds: ["ada", "grace", "ada"] }));
        workspaces.insert(sampleRows.workspaces("w2", { memberIds: ["grace"] }));
        workspaces.insert(sampleRows.workspaces("w3"));
      });
      const list = (memberIds: string | readonly string[]) =>
        store.run(({ workspaces }) => idsOf(workspaces.list({ memberIds })));
      expect([await list("ada"), await list("grace"), await list("none")]).toEqual([
        ["w1"],
        ["w1", "w2"],
        [],
      ]);
      expect(await list(["grace", "ada"])).toEqual(["w1", "w2"]);
      expect(await store.run(({ workspaces }) => workspaces.count({ memberIds: ["ada", "grace"] }))).toBe(2);
    });

    it("find a row by a field of the objects in an array", async () => {
      const domains = ["shop.example", "store.example"].map((name) => ({ name, deploymentId: null }));
      await store.run(({ apps }) => apps.insert(sampleRows.apps("a1", { domains })));
      const find = (name: string) => store.run(({ apps }) => apps.find({ "domains.name": name })?.id);
      expect([await find("store.example"), await find("other.example")]).toEqual(["a1", undefined]);
    });

    it("follow an update of the array", async () => {
      await store.run(({ workspaces }) =>
        workspaces.insert(sampleRows.workspaces("w1", { memberIds: ["ada"] })),
      );
      const count = (memberIds: string) => store.run(({ workspaces }) => workspaces.count({ memberIds }));
      expect([await count("ada"), await count("grace")]).toEqual([1, 0]);
      await store.run(({ workspaces }) => workspaces.update("w1", { memberIds: ["grace"] }));
      expect([await count("ada"), await count("grace")]).toEqual([0, 1]);
      await store.run(({ workspaces }) => workspaces.delete("w1"));
      expect(await count("grace")).toBe(0);
    });
  });

  describe("keys of changing rows", () => {
    it("move a row to its new value and preserve its position in the order of insertion", async () => {
      await store.run(({ projects }) => {
        projects.insert(sampleRows.projects("p1", { workspaceId: "other" }));
        projects.insert(sampleRows.projects("p2"));
        projects.insert(sampleRows.projects("p3"));
      });
      const list = (workspaceId: string) =>
        store.run(({ projects }) => idsOf(projects.list({ workspaceId })));
      expect([await list("w"), await list("other")]).toEqual([["p2", "p3"], ["p1"]]);
      await store.run(({ projects }) => projects.update("p1", { workspaceId: "w" }));
      expect([await list("w"), await list("other")]).toEqual([["p1", "p2", "p3"], []]);
      await store.run(({ projects }) => projects.update("p2", { workspaceId: "other" }));
      expect([await list("w"), await list("other")]).toEqual([["p1", "p3"], ["p2"]]);
    });

    it("follow every field of a combination, to and from null", async () => {
      await store.run(({ projects }) => projects.insert(sampleRows.projects("p1")));
      const found = (logicalId: string | null) =>
        store.run(({ projects }) => projects.find({ workspaceId: "w", logicalId })?.id);
      expect([await found(null), await found("one")]).toEqual(["p1", undefined]);
      await store.run(({ projects }) => projects.update("p1", { logicalId: "one" }));
      expect([await found(null), await found("one")]).toEqual([undefined, "p1"]);
      await store.run(({ projects }) => projects.update("p1", { logicalId: null }));
      expect([await found(null), await found("one")]).toEqual(["p1", undefined]);
    });

    it("return the new version of a row whose key did not change", async () => {
      await store.run(({ projects }) => projects.insert(sampleRows.projects("p1", { name: "old" })));
      const name = () => store.run(({ projects }) => projects.find({ workspaceId: "w" })?.name);
      expect(await name()).toBe("old");
      await store.run(({ projects }) => projects.update("p1", { name: "new" }));
      expect(await name()).toBe("new");
    });

    it("append a row that is inserted again", async () => {
      await store.run(({ projects }) => {
        for (const id of ["p1", "p2"]) projects.insert(sampleRows.projects(id));
      });
      expect(await store.run(({ projects }) => projects.count({ workspaceId: "w" }))).toBe(2);
      await store.run(({ projects }) => projects.delete("p1"));
      await store.run(({ projects }) => projects.insert(sampleRows.projects("p1")));
      expect(await store.run(({ projects }) => idsOf(projects.list({ workspaceId: "w" })))).toEqual([
        "p2",
        "p1",
      ]);
    });
  });

  describe("expired rows", () => {
    const expired = (time: number) =>
      store.run(({ authorizationCodes }) => idsOf(authorizationCodes.listExpired(time)));
    const insert = (id: string, expiresAt: number | null) =>
      store.run(({ authorizationCodes }) => {
        authorizationCodes.insert(sampleRows.authorizationCodes(id, { expiresAt }));
      });

    it("are listed from the earliest, and from the oldest at the same time; null never expires", async () => {
      for (const [id, expiresAt] of [
        ["c1", 30],
        ["c2", 10],
        ["c3", null],
        ["c4", 20],
        ["c5", 10],
      ] as const)
        await insert(id, expiresAt);
      expect([await expired(9), await expired(10), await expired(29)]).toEqual([
        [],
        ["c2", "c5"],
        ["c2", "c5", "c4"],
      ]);
      expect(await expired(Number.MAX_SAFE_INTEGER)).toEqual(["c2", "c5", "c4", "c1"]);
    });

    it("are limited to the earliest", async () => {
      for (const [id, expiresAt] of [
        ["c1", 30],
        ["c2", 10],
        ["c3", 20],
      ] as const)
        await insert(id, expiresAt);
      const first = (count: number) =>
        store.run(({ authorizationCodes }) => idsOf(authorizationCodes.listExpired(40, count)));
      expect([await first(0), await first(2), await first(9)]).toEqual([
        [],
        ["c2", "c3"],
        ["c2", "c3", "c1"],
      ]);
      const rest = await store.run(({ authorizationCodes }) => {
        authorizationCodes.delete("c2");
        authorizationCodes.update("c1", { expiresAt: 5 });
        return idsOf(authorizationCodes.listExpired(40, 1));
      });
      expect(rest).toEqual(["c1"]);
    });

    it("follow updates and deletions", async () => {
      await insert("c1", 10);
      await insert("c2", 20);
      expect(await expired(15)).toEqual(["c1"]);
      await store.run(({ authorizationCodes }) => {
        authorizationCodes.update("c1", { expiresAt: null });
        authorizationCodes.update("c2", { expiresAt: 15 });
      });
      expect(await expired(15)).toEqual(["c2"]);
      await store.run(({ authorizationCodes }) => {
        authorizationCodes.update("c1", { expiresAt: 5 });
        authorizationCodes.delete("c2");
      });
      expect(await expired(15)).toEqual(["c1"]);
    });

    it("can be deleted during iteration", async () => {
      for (let index = 0; index < 20; index += 1) await insert(`c${String(index)}`, index);
      await store.run(({ authorizationCodes }) => {
        for (const { id } of authorizationCodes.listExpired(9)) authorizationCodes.delete(id);
      });
      expect(await store.run(({ authorizationCodes }) => authorizationCodes.size)).toBe(10);
      expect(await expired(9)).toEqual([]);
    });
  });
};

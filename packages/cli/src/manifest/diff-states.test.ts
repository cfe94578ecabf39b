import { expect, it } from "vitest";
import { diffStates, isUnchanged } from "./diff-states.js";
import type { ExistingEntry } from "./entry.js";
import type { ServiceState, UnnamedResource } from "./read-state.js";

const entry = (resource: string, path: string[], fields: ExistingEntry["fields"] = {}): ExistingEntry => ({
  ...{ resource, path, fields, id: `id-${path.join("-")}` },
});
const unnamed = (resource: string): UnnamedResource => ({ resource, id: "x", name: null, fields: {} });
const stateOf = (entries: ExistingEntry[], others: UnnamedResource[] = []): ServiceState => ({
  entries,
  unnamed: others,
});
const project = entry("project", ["shop"], { name: "Shop" });
const branch = entry("branch", ["shop", "main"]);

it("says what was created, changed, and deleted, containers before what they contain", () => {
  const before = stateOf([
    project,
    entry("branch", ["shop", "old"]),
    entry("database", ["shop", "old", "a"]),
  ]);
  const after = stateOf([
    { ...project, id: "other", fields: { name: "Store", region: "eu" } },
    branch,
    entry("database", ["shop", "main", "b"], { name: "b", source: { databaseId: "db_1" }, size: undefined }),
  ]);
  const difference = diffStates(before, after);
  expect(difference).toEqual({
    steps: [
      { action: "create", resource: "branch", path: ["shop", "main"], fields: {} },
      { action: "create", resource: "database", path: ["shop", "main", "b"], fields: { name: "b" } },
      {
        ...{ action: "update", resource: "project", path: ["shop"], id: "other" },
        changes: [
          { field: "name", from: "Shop", to: "Store" },
          { field: "region", from: undefined, to: "eu" },
        ],
      },
      { action: "delete", resource: "database", path: ["shop", "old", "a"], id: "id-shop-old-a" },
      { action: "delete", resource: "branch", path: ["shop", "old"], id: "id-shop-old" },
    ],
    unnamed: {},
  });
  expect(isUnchanged(difference)).toBe(false);
});

it("counts the resources without a logical id by kind", () => {
  const before = stateOf([branch], [unnamed("project"), unnamed("branch"), unnamed("database")]);
  const after = stateOf([branch], [unnamed("branch"), unnamed("database"), unnamed("database")]);
  const difference = diffStates(before, after);
  expect(difference).toEqual({ steps: [], unnamed: { project: -1, database: 1 } });
  expect([isUnchanged(difference), isUnchanged(diffStates(before, before))]).toEqual([false, true]);
});

import { expect, it } from "vitest";
import { describeChanges } from "./changes.js";
import type { DatabaseStatus, StatusResult } from "./gather-status.js";

const database: DatabaseStatus = {
  ...{ id: "db_1", name: "shop", status: "ready", isDefault: true, region: null, branch: "main" },
  ...{ sizeBytes: 1_048_576, connections: 1 },
};
const before: StatusResult = {
  ...{ service: "http://127.0.0.1", profile: null, protectedBy: null, waitingApprovals: 0, copyMethod: null },
  project: { id: "proj_1", name: "Shop", region: null, from: "link" },
  databases: [database],
  preview: null,
};

it.each<[Partial<StatusResult>, string[]]>([
  [{}, []],
  [{ databases: [{ ...database, region: "eu-west-3" }] }, []],
  [{ databases: [] }, ["database shop (db_1): deleted"]],
  [
    { databases: [database, { ...database, id: "db_2", name: "copy", status: "provisioning" }] },
    ["database copy (db_2): created, provisioning"],
  ],
  [
    { databases: [{ ...database, name: "store", status: "failed", isDefault: false, branch: null }] },
    ["name shop → store", "status ready → failed", "default true → false", "branch main → unknown"].map(
      (change) => `database store (db_1): ${change}`,
    ),
  ],
  [
    { databases: [{ ...database, sizeBytes: null, connections: 2 }] },
    ["database shop (db_1): size 1.0 MB → unknown", "database shop (db_1): connections 1 → 2"],
  ],
  [{ project: null }, ["project: Shop → none"]],
  [{ preview: { branch: "feature", databaseId: "db_3", status: "ready" } }, ["preview: none → db_3"]],
  [{ waitingApprovals: 2 }, ["approvals waiting: 0 → 2"]],
  [{ waitingApprovals: null }, ["approvals waiting: 0 → null"]],
])("the changes to %j are %j", (changes, lines) => {
  expect(describeChanges(before, { ...before, ...changes })).toEqual(lines);
});

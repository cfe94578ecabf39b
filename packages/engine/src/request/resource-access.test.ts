import { describe, expect, it } from "vitest";
import type { OperationCall } from "../context/operation-handler.js";
import { MemoryStore } from "../store/memory-store.js";
import { sampleRows } from "../../test/store/store-under-test.js";
import {
  type WorkspaceResources,
  isInWorkspace,
  listPathPreloads,
  findResourceProjectId,
  readField,
  requireAccess,
  findResourceWorkspaceId,
} from "./resource-access.js";

const store = new MemoryStore();
store.workspaces.insert(sampleRows.workspaces("w"));
store.serviceTokens.insert(sampleRows.serviceTokens("st", { workspaceId: "w" }));
store.integrations.insert(sampleRows.integrations("i", { workspaceId: "w" }));
store.projects.insert(sampleRows.projects("p", { workspaceId: "w" }));
store.branches.insert(sampleRows.branches("b", { projectId: "p" }));
store.databases.insert(sampleRows.databases("d", { workspaceId: "w", projectId: "p" }));
store.connections.insert(sampleRows.connections("c", { workspaceId: "w", databaseId: "d" }));
store.backups.insert(sampleRows.backups("bk", { databaseId: "d", size: 5 }));
store.backups.insert(sampleRows.backups("orphan", { databaseId: "none" }));
store.apps.insert(sampleRows.apps("a", { workspaceId: "w", projectId: "p" }));
store.deployments.insert(sampleRows.deployments("dp", { appId: "a" }));

const callOf = (workspaceId: string, foreignStatus: 403 | 404): OperationCall =>
  // Access reads no more of a call.
  ({ context: { store }, principal: { workspaceId }, foreignStatus }) as unknown as OperationCall;

describe("a resource", () => {
  it.each<[keyof WorkspaceResources, string, string | undefined]>([
    ["workspace", "w", undefined],
    ["service_token", "st", undefined],
    ["integration", "i", undefined],
    ["project", "p", "p"],
    ["branch", "b", "p"],
    ["database", "d", "p"],
    ["connection", "c", "p"],
    ["backup", "bk", "p"],
    ["app", "a", "p"],
    ["deployment", "dp", "p"],
  ])("of the kind %s is reached from its workspace only", (kind, id, projectId) => {
    expect([findResourceProjectId(store, kind, id), findResourceWorkspaceId(store, kind, id)]).toEqual([
      projectId,
      "w",
    ]);
    expect(requireAccess(callOf("w", 403), kind, id)).toMatchObject({ id });
    expect([isInWorkspace(callOf("w", 404), kind, id), isInWorkspace(callOf("v", 404), kind, id)]).toEqual([
      true,
      false,
    ]);
    expect(() => requireAccess(callOf("v", 403), kind, id)).toThrow(
      expect.objectContaining({ status: 403, code: "auth:forbidden" }),
    );
    expect(() => requireAccess(callOf("v", 404), kind, id)).toThrow(expect.objectContaining({ status: 404 }));
    for (const missing of ["none", "__proto__"]) {
      expect(() => requireAccess(callOf("w", 403), kind, missing)).toThrow(
        expect.objectContaining({ status: 404 }),
      );
      expect([
        findResourceProjectId(store, kind, missing),
        findResourceWorkspaceId(store, kind, missing),
      ]).toEqual([undefined, undefined]);
    }
  });

  it("whose parent is gone is in no workspace", () => {
    expect(findResourceWorkspaceId(store, "backup", "orphan")).toBeUndefined();
    expect(() => requireAccess(callOf("w", 404), "backup", "orphan")).toThrow(
      expect.objectContaining({ status: 404 }),
    );
  });

  it("has fields, and none if it does not exist", () => {
    expect([readField(store, "backup", "bk", "size"), readField(store, "backup", "none", "size")]).toEqual([
      5,
      undefined,
    ]);
  });
});

it("the rows that a path names are loaded, without those that it does not name", () => {
  const operation = { pathResourceTypes: { projectId: "project", branchId: "branch" } } as const;
  expect(listPathPreloads(operation, { projectId: "p" })).toEqual([
    { read: "row", table: "projects", id: "p" },
  ]);
});

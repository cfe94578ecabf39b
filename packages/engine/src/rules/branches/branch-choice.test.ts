import { describe, expect, it } from "vitest";
import type { OperationCall } from "../../context/operation-handler.js";
import {
  type PlacementFields,
  assertNoLogicalIdWithGitName,
  assertNoLogicalIdWithMove,
  assertAtMostOneBranchField,
  chooseBranch,
  findChosenBranchId,
} from "./branch-choice.js";

const branch = { id: "br_a", projectId: "proj_a", gitName: "main" };
// The choice reads branches only.
const call = {
  context: {
    store: {
      branches: {
        get: (id: string) => (id === branch.id ? branch : undefined),
        find: ({ projectId, gitName }: typeof branch) =>
          projectId === branch.projectId && gitName === branch.gitName ? branch : undefined,
      },
    },
  },
} as unknown as OperationCall;

describe("the branch that a request names", () => {
  it.each<[PlacementFields, unknown, unknown]>([
    [{}, undefined, undefined],
    [{ branchId: null }, "unassigned", null],
    [{ branchGitName: null }, "unassigned", null],
    [{ branchId: "br_a" }, { branch }, "br_a"],
    [{ branchId: "br_a", branchGitName: null }, { branch }, "br_a"],
    [{ branchGitName: "main", branchId: null }, { branch }, "br_a"],
    [{ branchGitName: "other" }, { newGitName: "other" }, undefined],
    [{ branchGitName: "" }, { newGitName: "" }, undefined],
  ])("with %j is %j", (fields, choice, id) => {
    const chosen = chooseBranch(call, "proj_a", fields);
    expect(chosen).toEqual(choice);
    if (chosen) expect(findChosenBranchId(chosen)).toBe(id);
  });

  it("is one of its project", () => {
    for (const [projectId, branchId] of [
      ["proj_b", "br_a"],
      ["proj_a", "br_b"],
    ] as const)
      expect(() => chooseBranch(call, projectId, { branchId })).toThrow(
        expect.objectContaining({ status: 404, code: "branch:not_found" }),
      );
    expect(chooseBranch(call, "proj_b", { branchGitName: "main" })).toEqual({ newGitName: "main" });
  });
});

it.each<[(fields: PlacementFields) => void, PlacementFields, string | undefined]>([
  [assertAtMostOneBranchField, { branchId: "a", branchGitName: "b" }, "/branchGitName"],
  [assertAtMostOneBranchField, { branchId: "a", branchGitName: null }, undefined],
  [assertAtMostOneBranchField, { branchId: null, branchGitName: null }, undefined],
  [assertNoLogicalIdWithGitName, { logicalId: "a", branchGitName: "b" }, "/logicalId"],
  [assertNoLogicalIdWithGitName, { logicalId: "a", branchId: "b" }, undefined],
  [assertNoLogicalIdWithGitName, { logicalId: null, branchGitName: "b" }, undefined],
  [assertNoLogicalIdWithMove, { logicalId: "a", branchId: "b" }, "/logicalId"],
  [assertNoLogicalIdWithMove, { logicalId: null, branchGitName: "b" }, "/logicalId"],
  [assertNoLogicalIdWithMove, { logicalId: "a", branchId: null }, "/logicalId"],
  [assertNoLogicalIdWithMove, { logicalId: "a" }, undefined],
  [assertNoLogicalIdWithMove, { branchId: "a" }, undefined],
])("%o refuses %j at %s", (assert, fields, path) => {
  if (path === undefined) expect(() => assert(fields)).not.toThrow();
  else
    expect(() => assert(fields)).toThrow(
      expect.objectContaining({ status: 422, extra: { issues: [expect.objectContaining({ path })] } }),
    );
});

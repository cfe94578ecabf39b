import { describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../scripts/generate/contract/contract.js";
import { type Difference, compareContracts, shapeOf } from "./compare-types.js";

/**
 * Fields whose presence, optionality or nullability differs on purpose between this contract and the types of
 * `@prisma/management-api-sdk`. Everything else must be equal, so that a program that compiles against this contract
 * handles every value that Prisma's Management API may return.
 */
const deliberate: readonly (Difference & { readonly reason: string })[] = [
  ...["apps", "services", "databases"].map((collection) => ({
    place: `PATCH /v1/${collection}/{} body logicalId`,
    ours: "optional nullable",
    theirs: "optional",
    reason: "Null removes the `logicalId`; the API document says so.",
  })),
  ...["POST /v1/databases", "PATCH /v1/databases/{}"].flatMap((operation) =>
    ["branchGitName", "branchId"].map((field) => ({
      place: `${operation} body ${field}`,
      ours: "optional",
      theirs: "optional nullable",
      reason: "Every database is on a branch, so null is a validation error.",
    })),
  ),
  {
    place: "POST /v1/databases body fromDatabase",
    ours: "optional",
    theirs: "absent",
    reason: "Both routes that create a database take the same fields.",
  },
  ...["POST /v1/projects 201 data.database", "POST /v1/projects/{}/databases 201 data"].map((place) => ({
    place: `${place}.apiKeys[].database`,
    ours: "present",
    theirs: "absent",
    reason: "Items of `apiKeys` have the fields of a connection; the API document says so.",
  })),
];

describe("comparison with the types of the client of Prisma's Management API", () => {
  const { operations, missing, differences } = compareContracts();

  it("covers every operation that both contracts have", () => {
    expect(operations.length).toBeGreaterThanOrEqual(65);
  });

  it("finds no difference in presence, optionality or nullability that is not deliberate", () => {
    const expected = deliberate.map(({ place, ours, theirs }) => ({ place, ours, theirs }));
    const byPlace = (a: Difference, b: Difference): number => a.place.localeCompare(b.place);
    expect([...differences].sort(byPlace)).toEqual(expected.sort(byPlace));
  });

  it("finds every operation without a counterpart in the migration guide", () => {
    const guide = readFileSync(join(root, "docs/migration.md"), "utf8");
    const [, section = ""] = guide.split("## What has no counterpart\n");
    const listed = [...section.matchAll(/`(\/v1\/[^`]+)`/g)].map(([, path = ""]) => shapeOf(path));
    const isBelow = (operation: string, path: string): boolean => {
      const [, actual = ""] = operation.split(" ");
      return actual === path || actual.startsWith(`${path}/`);
    };
    expect(missing.filter((operation) => !listed.some((path) => isBelow(operation, path)))).toEqual([]);
    expect(listed.filter((path) => !missing.some((operation) => isBelow(operation, path)))).toEqual([]);
    expect(operations.filter((operation) => listed.some((path) => isBelow(operation, path)))).toEqual([]);
  });
});

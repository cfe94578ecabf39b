import { beforeAll, describe, expect, it } from "vitest";
import { type Contract, loadContract, readContract } from "../../scripts/generate/contract/contract.js";
import { lintResources } from "../../scripts/generate/contract/lint-resources.js";
import type { ResourceDeclaration } from "../../scripts/generate/contract/resource-declaration.js";
import { resourcesOf } from "../../scripts/generate/contract/resources.js";

let contract: Contract;
beforeAll(async () => {
  contract = await loadContract();
});

/** The problems of the contract with changes to the declaration of one resource. */
const problems = (name: string, change: object): string[] => {
  const document = structuredClone(contract.document);
  const declared = document["x-resources"]?.[name];
  // Bad declarations do not have the declared type.
  document["x-resources"] = {
    ...document["x-resources"],
    [name]: { ...declared, ...change } as ResourceDeclaration,
  };
  return lintResources(readContract(document));
};

const project = (): ResourceDeclaration => {
  const declared = resourcesOf(contract.document)["project"];
  if (!declared) throw new Error("The contract declares no project");
  return declared;
};

describe("the declared resources", () => {
  it("match the operations and schemas", () => {
    expect(lintResources(contract)).toEqual([]);
  });

  it("include every create operation, except a second one for the same resource", () => {
    const declared = Object.values(resourcesOf(contract.document)).map(({ operations }) => operations.create);
    const others = contract.operations
      .map(({ id }) => id)
      .filter((id) => id.endsWith(".create") && !declared.includes(id));
    expect(others).toEqual(["projects.databases.create", "databases.connections.create"]);
  });

  it.each([
    ["an unknown schema", { schema: "Projekt" }, ".schema: Projekt is not a component schema"],
    [
      "an unknown operation",
      { operations: { create: "projects.create", list: "projects.lists" } },
      ".operations.list: projects.lists is not an operation",
    ],
    [
      "an operation with the wrong method",
      { operations: { create: "projects.create", list: "projects.list", delete: "projects.get" } },
      ".operations.delete: projects.get is a GET operation, not DELETE",
    ],
    [
      "a list that is not paged",
      { operations: { create: "projects.create", list: "regions.list" } },
      ".operations.list: regions.list is not a paged list",
    ],
    ["an unknown operation for secrets", { secrets: "a.b" }, ".secrets: a.b is not an operation"],
    [
      "an unknown parent",
      { parents: { team: { input: "workspaceId" } } },
      ".parents.team: is not a declared resource",
    ],
    [
      "a parent input that create does not have",
      { parents: { workspace: { input: "teamId" } } },
      ".parents.workspace: projects.create has no input teamId",
    ],
    [
      "a property that the resource does not have",
      { parents: { workspace: { input: "workspaceId", property: "workspace.slug" } } },
      ".parents.workspace: Project has no property workspace.slug",
    ],
    [
      "a parent without an identity to find it by",
      { parents: { workspace: { input: "workspaceId", identityInput: "name" } } },
      ".parents.workspace: workspace must have exactly one identity",
    ],
    [
      "a default property that the parent does not have",
      { parents: { workspace: { input: "workspaceId", default: "isDefault" } } },
      ".parents.workspace: Workspace has no property isDefault",
    ],
    [
      "an identity that create does not have",
      {
        identities: [
          { input: "slug", property: "name", scope: "workspace", conflicts: ["project:logical_id_conflict"] },
        ],
      },
      ".identities.slug: projects.create has no input slug",
    ],
    [
      "an identity filter that list does not have",
      {
        identities: [
          {
            input: "name",
            filter: "name",
            property: "name",
            scope: "workspace",
            conflicts: ["project:logical_id_conflict"],
          },
        ],
      },
      ".identities.name: projects.list has no query parameter name",
    ],
    [
      "an identity in a scope that is not a parent",
      {
        identities: [
          {
            input: "logicalId",
            filter: "logicalId",
            property: "logicalId",
            scope: "team",
            conflicts: ["project:logical_id_conflict"],
          },
        ],
      },
      ".identities.logicalId: the scope team is not a parent",
    ],
    [
      "a conflict that create does not have",
      {
        identities: [
          {
            input: "logicalId",
            filter: "logicalId",
            property: "logicalId",
            scope: "workspace",
            conflicts: ["app:already_exists"],
          },
        ],
      },
      ".identities.logicalId: projects.create has no error app:already_exists",
    ],
    [
      "an identity that nothing can find",
      {
        identities: [
          {
            input: "logicalId",
            property: "logicalId",
            scope: "workspace",
            conflicts: ["project:logical_id_conflict"],
          },
        ],
      },
      ".identities.logicalId: an identity without a filter needs an error code with `conflict`",
    ],
  ])("are refused with %s", (_, change, problem) => {
    expect(problems("project", change)).toContain(`x-resources project${problem}`);
  });

  it("are refused with fields that differ from the bodies of create and update", () => {
    const { fields } = project();
    expect(problems("project", { fields: { ...fields, color: {} } })).toEqual([
      "x-resources project.fields.color: neither projects.create nor update has an input color",
    ]);
    expect(problems("project", { fields: { ...fields, region: { mutable: true } } })).toEqual([
      "x-resources project.fields.region: is mutable, but projects.update has no body field region",
    ]);
    expect(problems("project", { fields: { ...fields, name: { property: "name" } } })).toEqual([
      "x-resources project.fields.name: is a body field of projects.update, but not mutable",
    ]);
    const { settings: _, ...others } = fields;
    expect(problems("project", { fields: others })).toEqual([
      "x-resources project: the input settings is not declared",
    ]);
  });

  it.each([
    [{ identity: [] }, "x-resources project: must NOT have additional properties: identity"],
    [{ identities: [] }, "x-resources project.identities: must NOT have fewer than 1 items"],
    [{ operations: {} }, "x-resources project.operations: must have required property 'create'"],
    [{ schema: 1 }, "x-resources project.schema: must be string"],
  ])("are refused if they do not match their schema: %j", (change, problem) => {
    expect(problems("project", change)).toContain(problem);
  });
});

import type { NameCandidate } from "../../errors/name-errors.js";
import { getAtPath } from "../../json/json-path.js";
import { readItemName } from "../../contract/list-call.js";
import type { NamedKind } from "../../contract/id-form.js";
import { type Item, listItems, type ListScope } from "./list-items.js";

/**
 * Distinguishes resources with the same name by the resources that contain them: `shop/main/reports`. Adds other differences where those are
 * equal.
 */
export const labelCandidates = async (
  kind: NamedKind,
  items: readonly Item[],
  scope: ListScope,
): Promise<NameCandidate[]> => {
  const cachedScope: ListScope = { ...scope, lists: scope.lists ?? new Map() };
  const candidates = await Promise.all(
    items.map(async (item) => ({
      item,
      id: readText(item, "id") ?? "",
      label: await buildQualifiedName(kind, item, cachedScope),
    })),
  );
  return candidates.map(({ item, id, label }) => {
    const isUnique = candidates.filter((candidate) => candidate.label === label).length === 1;
    return { id, label: isUnique ? label : [label, ...describeDifferences(item)].join(", ") };
  });
};

/** Returns the full name of a resource. */
const buildQualifiedName = async (kind: NamedKind, item: Item, scope: ListScope): Promise<string> => {
  const name = readItemName(item) ?? "";
  switch (kind) {
    case "project":
    case "workspace":
      return name;
    case "branch":
      return joinParts([await findProjectName(item, scope), `@${name}`]);
    case "database":
    case "app":
      return joinParts([await findProjectName(item, scope), await findBranchName(item, scope), name]);
    case "connection": {
      const id = readText(item, "database", "id");
      const database = (await listItems("database", {}, scope))?.find((candidate) => candidate["id"] === id);
      const databaseName = database
        ? await buildQualifiedName("database", database, scope)
        : readText(item, "database", "name");
      return joinParts([databaseName, name]);
    }
  }
};

const findProjectName = async (item: Item, scope: ListScope): Promise<string | undefined> => {
  const name = readText(item, "project", "name");
  if (name !== undefined) return name;
  const id = readText(item, "projectId");
  const project = (await listItems("project", {}, scope))?.find((candidate) => candidate["id"] === id);
  return project ? readItemName(project) : id;
};

const findBranchName = async (item: Item, scope: ListScope): Promise<string | undefined> => {
  const id = readText(item, "branchId");
  const project = readText(item, "project", "id") ?? readText(item, "projectId");
  if (id === undefined || project === undefined) return undefined;
  const branch = (await listItems("branch", { project }, scope))?.find((candidate) => candidate["id"] === id);
  return branch && readItemName(branch);
};

/** Returns the properties that can differ between two resources with the same full name. */
const describeDifferences = (item: Item): string[] => {
  const [logicalId, region] = [
    readText(item, "logicalId"),
    readText(item, "region", "id") ?? readText(item, "defaultRegion"),
  ];
  const createdAt = readText(item, "createdAt");
  return [
    ...(logicalId === undefined ? [] : [`logical id ${logicalId}`]),
    ...(region === undefined ? [] : [region]),
    ...(createdAt === undefined ? [] : [`created ${createdAt}`]),
  ];
};

const readText = (item: Item, ...path: string[]): string | undefined => {
  const value = getAtPath(item, path);
  return typeof value === "string" ? value : undefined;
};

const joinParts = (parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== "").join("/");

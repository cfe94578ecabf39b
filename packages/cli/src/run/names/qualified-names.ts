import type { Candidate } from "../../errors/name-errors.js";
import { valueAt } from "../../json/json-path.js";
import { nameOfItem } from "../../contract/list.js";
import type { NamedKind } from "../../contract/id-form.js";
import { type Item, listed, type ListScope } from "./listed.js";

/**
 * Distinguishes resources with the same name by the resources that contain them: `shop/main/reports`. Adds other differences where those are
 * equal.
 */
export const candidatesOf = async (
  kind: NamedKind,
  items: readonly Item[],
  scope: ListScope,
): Promise<Candidate[]> => {
  const lists: ListScope = { ...scope, lists: scope.lists ?? new Map() };
  const candidates = await Promise.all(
    items.map(async (item) => ({
      item,
      id: textAt(item, "id") ?? "",
      label: await qualified(kind, item, lists),
    })),
  );
  return candidates.map(({ item, id, label }) => {
    const isUnique = candidates.filter((candidate) => candidate.label === label).length === 1;
    return { id, label: isUnique ? label : [label, ...differences(item)].join(", ") };
  });
};

/** Returns the full name of a resource. */
const qualified = async (kind: NamedKind, item: Item, scope: ListScope): Promise<string> => {
  const name = nameOfItem(item) ?? "";
  switch (kind) {
    case "project":
    case "workspace":
      return name;
    case "branch":
      return joined([await projectOf(item, scope), `@${name}`]);
    case "database":
    case "app":
      return joined([await projectOf(item, scope), await branchOf(item, scope), name]);
    case "connection": {
      const id = textAt(item, "database", "id");
      const database = (await listed("database", {}, scope))?.find((candidate) => candidate["id"] === id);
      const of = database ? await qualified("database", database, scope) : textAt(item, "database", "name");
      return joined([of, name]);
    }
  }
};

const projectOf = async (item: Item, scope: ListScope): Promise<string | undefined> => {
  const name = textAt(item, "project", "name");
  if (name !== undefined) return name;
  const id = textAt(item, "projectId");
  const project = (await listed("project", {}, scope))?.find((candidate) => candidate["id"] === id);
  return project ? nameOfItem(project) : id;
};

const branchOf = async (item: Item, scope: ListScope): Promise<string | undefined> => {
  const id = textAt(item, "branchId");
  const project = textAt(item, "project", "id") ?? textAt(item, "projectId");
  if (id === undefined || project === undefined) return undefined;
  const branch = (await listed("branch", { project }, scope))?.find((candidate) => candidate["id"] === id);
  return branch && nameOfItem(branch);
};

/** Returns the properties that can differ between two resources with the same full name. */
const differences = (item: Item): string[] => {
  const [logicalId, region] = [
    textAt(item, "logicalId"),
    textAt(item, "region", "id") ?? textAt(item, "defaultRegion"),
  ];
  const created = textAt(item, "createdAt");
  return [
    ...(logicalId === undefined ? [] : [`logical id ${logicalId}`]),
    ...(region === undefined ? [] : [region]),
    ...(created === undefined ? [] : [`created ${created}`]),
  ];
};

const textAt = (item: Item, ...path: string[]): string | undefined => {
  const value = valueAt(item, path);
  return typeof value === "string" ? value : undefined;
};

const joined = (parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== "").join("/");

import type { NameCandidate } from "../../errors/name-errors.js";
import { getAtPath } from "../../json/json-path.js";
import { readResourceName } from "../../contract/list-call.js";
import type { NameableType } from "../../contract/nameable-types.js";
import { type ListedResource, listResources, type ListScope } from "./list-resources.js";

/**
 * Distinguishes resources with the same name by the resources that contain them: `shop/main/reports`. Adds other differences where those are
 * equal.
 */
export const labelCandidates = async (
  resourceType: NameableType,
  resources: readonly ListedResource[],
  scope: ListScope,
): Promise<NameCandidate[]> => {
  const cachedScope: ListScope = { ...scope, lists: scope.lists ?? new Map() };
  const candidates = await Promise.all(
    resources.map(async (resource) => ({
      resource,
      id: readText(resource, "id") ?? "",
      label: await buildQualifiedName(resourceType, resource, cachedScope),
    })),
  );
  return candidates.map(({ resource, id, label }) => {
    const isUnique = candidates.filter((candidate) => candidate.label === label).length === 1;
    return { id, label: isUnique ? label : [label, ...describeDifferences(resource)].join(", ") };
  });
};

/** Returns the full name of a resource. */
const buildQualifiedName = async (
  resourceType: NameableType,
  resource: ListedResource,
  scope: ListScope,
): Promise<string> => {
  const name = readResourceName(resource) ?? "";
  switch (resourceType) {
    case "project":
    case "workspace":
      return name;
    case "branch":
      return joinParts([await findProjectName(resource, scope), `@${name}`]);
    case "database":
    case "app":
      return joinParts([await findProjectName(resource, scope), await findBranchName(resource, scope), name]);
    case "connection": {
      const id = readText(resource, "database", "id");
      const database = (await listResources("database", {}, scope))?.find(
        (candidate) => candidate["id"] === id,
      );
      const databaseName = database
        ? await buildQualifiedName("database", database, scope)
        : readText(resource, "database", "name");
      return joinParts([databaseName, name]);
    }
  }
};

const findProjectName = async (resource: ListedResource, scope: ListScope): Promise<string | undefined> => {
  const name = readText(resource, "project", "name");
  if (name !== undefined) return name;
  const id = readText(resource, "projectId");
  const project = (await listResources("project", {}, scope))?.find((candidate) => candidate["id"] === id);
  return project ? readResourceName(project) : id;
};

const findBranchName = async (resource: ListedResource, scope: ListScope): Promise<string | undefined> => {
  const id = readText(resource, "branchId");
  const project = readText(resource, "project", "id") ?? readText(resource, "projectId");
  if (id === undefined || project === undefined) return undefined;
  const branch = (await listResources("branch", { project }, scope))?.find(
    (candidate) => candidate["id"] === id,
  );
  return branch && readResourceName(branch);
};

/** Returns the properties that can differ between two resources with the same full name. */
const describeDifferences = (resource: ListedResource): string[] => {
  const [logicalId, region] = [
    readText(resource, "logicalId"),
    readText(resource, "region", "id") ?? readText(resource, "defaultRegion"),
  ];
  const createdAt = readText(resource, "createdAt");
  return [
    ...(logicalId === undefined ? [] : [`logical id ${logicalId}`]),
    ...(region === undefined ? [] : [region]),
    ...(createdAt === undefined ? [] : [`created ${createdAt}`]),
  ];
};

const readText = (resource: ListedResource, ...path: string[]): string | undefined => {
  const value = getAtPath(resource, path);
  return typeof value === "string" ? value : undefined;
};

const joinParts = (parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== "").join("/");

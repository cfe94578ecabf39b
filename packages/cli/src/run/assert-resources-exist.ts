import type { MgmtClient } from "@mgmt/sdk";
import { unknownNameError } from "../errors/name-errors.js";
import { isNotAccessibleError } from "../errors/not-accessible.js";
import { getAtPath } from "../json/json-path.js";
import { getNameableTypeByPrefix } from "../contract/nameable-types.js";
import { listResources } from "./names/list-resources.js";
import { findSimilar } from "../text/suggest.js";
import { resourceTypes } from "../contract/resource-types.js";
import type { GeneratedCommand } from "../contract/generated-command.js";

/** Fields of a query with the name of a branch. */
const branchNameFields = ["branchGitName", "gitName"];

/** In how many projects a branch is looked for. Each takes a request. */
const maxSearchedProjects = 20;

/**
 * Explains an empty list: the service lists nothing for a project, branch, database or workspace that does not exist.
 *
 * @param values path and query parameters.
 * @throws `name:not_found` for the first one that does not exist or that the credential cannot access, with the names of
 * branches that are similar.
 */
export const assertResourcesExist = async (
  { arguments: parameters, query }: GeneratedCommand,
  values: Readonly<Record<string, unknown>>,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<void> => {
  const idParameters = [
    ...parameters,
    ...query.map(({ path, prefix }) => ({ name: path.join("."), prefix })),
  ];
  for (const { name, prefix } of idParameters) {
    const resourceType = getNameableTypeByPrefix(prefix);
    const id = getAtPath(values, [name]);
    if (resourceType === undefined || typeof id !== "string" || id === "unassigned") continue;
    const path = resourceTypes[resourceType].get;
    if (path === undefined) continue;
    try {
      await client.request({ method: "GET", path, pathParams: { id } }, { signal });
    } catch (error) {
      if (isNotAccessibleError(error)) throw unknownNameError(resourceType, id, []);
      throw error;
    }
  }
  const name = branchNameFields
    .map((field) => getAtPath(values, [field]))
    .find((value) => value !== undefined);
  if (typeof name === "string")
    await assertBranchExists(name, getAtPath(values, ["projectId"]), client, signal);
};

/** Asserts that a project has a branch, or else that one of the projects has. */
const assertBranchExists = async (
  name: string,
  projectId: unknown,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<void> => {
  const scope = { client, signal };
  const projects =
    typeof projectId === "string" ? [{ id: projectId }] : await listResources("project", {}, scope);
  if (!projects || projects.length > maxSearchedProjects) return;
  const branches = await Promise.all(
    projects.map(({ id }) => listResources("branch", { project: String(id) }, scope)),
  );
  const names = branches.flat().flatMap((branch) => {
    const gitName = branch?.["gitName"];
    return typeof gitName === "string" ? [gitName] : [];
  });
  const areAllListed = branches.every((branch) => branch !== undefined);
  if (areAllListed && !names.includes(name)) throw unknownNameError("branch", name, findSimilar(name, names));
};

import { type NameableType, nameableTypes } from "../contract/nameable-types.js";
import { type ResourceType, resourceTypes } from "../contract/resource-types.js";
import { CliError } from "./cli-error.js";

/** A resource that a name may mean. */
export interface NameCandidate {
  readonly id: string;
  /** Its full name, and other properties that distinguish it. Empty if there are none. */
  readonly label: string;
}

export const ambiguousNameError = (
  resourceType: ResourceType,
  name: string,
  candidates: readonly NameCandidate[],
): CliError =>
  new CliError(
    "refused",
    "name:ambiguous",
    `${candidates.length} ${resourceTypes[resourceType].plural} are named ${JSON.stringify(name)}`,
    `Pass an id or a full name: ${candidates.map(({ id, label }) => (label === "" ? id : `${id} (${label})`)).join(", ")}.`,
    { next: candidates.map(({ id }) => ["mgmt", resourceTypes[resourceType].plural, "get", id]) },
  );

/**
 * @param similarNames names that are similar.
 * @param field the field of a body that has the name. Its text is not repeated: it may be a secret in the wrong field.
 */
export const unknownNameError = (
  resourceType: NameableType,
  name: string,
  similarNames: readonly string[],
  field?: string,
): CliError => {
  const { noun } = resourceTypes[resourceType];
  const { command } = listCommands[resourceType];
  const nameForms =
    "Names are exact: PROJECT/BRANCH/DATABASE, PROJECT/DATABASE, DATABASE/CONNECTION, PROJECT/SERVICE, PROJECT/@BRANCH, or @BRANCH in the default project.";
  return new CliError(
    "notFound",
    "name:not_found",
    `No ${noun} has the id or name ${field === undefined ? JSON.stringify(name) : `in ${field}`}`,
    [
      ...(similarNames.length > 0 ? [`Did you mean ${similarNames.join(" or ")}?`] : []),
      formatListHint(resourceType),
      ...(/[/@]/.test(name) && similarNames.length === 0 ? [nameForms] : []),
    ].join(" "),
    {
      next: [
        ["mgmt", ...(command.includes("PROJECT") ? ["projects", "list"] : command)],
        ["mgmt", "help", "names"],
      ],
    },
  );
};

/** Returns whether an error means that no resource has the name that the user typed. */
export const isUnknownNameError = (error: unknown): error is CliError =>
  error instanceof CliError && error.code === "name:not_found";

/** The command that lists the resources of a type, and how messages describe its output. */
const listCommands: Readonly<
  Record<NameableType, { readonly command: readonly string[]; readonly content: string }>
> = {
  workspace: { command: ["workspaces", "list"], content: "your workspaces" },
  project: { command: ["projects", "list"], content: "your projects" },
  branch: { command: ["projects", "branches", "list", "PROJECT"], content: "the branches of a project" },
  database: { command: ["databases", "list"], content: "your databases" },
  connection: { command: ["connections", "list"], content: "your connections" },
  app: { command: ["services", "list"], content: "your services" },
};

/** Returns the sentence about the command that lists the resources of a type, if they can be named. */
export const findListHint = (resourceType: ResourceType): string | undefined => {
  const nameableType = nameableTypes.find((name) => name === resourceType);
  return nameableType && formatListHint(nameableType);
};

const formatListHint = (resourceType: NameableType): string =>
  `Run mgmt ${listCommands[resourceType].command.join(" ")} to see ${listCommands[resourceType].content}.`;

/**
 * A branch is named without its project, and there is no default project.
 *
 * @param field the field of a body that has the name, which is then not repeated.
 */
export const branchWithoutProjectError = (branch: string, reason: string, field?: string): CliError => {
  const name = field === undefined ? branch.replace(/^@/, "") : "BRANCH";
  return new CliError(
    "inputNeeded",
    "usage:missing",
    `The project of the branch ${field === undefined ? JSON.stringify(branch) : `in ${field}`} is missing`,
    `The command did not ask, because ${reason}. Pass PROJECT/@${name}, or set a default project: mgmt link --project-id PROJECT`,
    { next: [["mgmt", "projects", "list"]] },
  );
};

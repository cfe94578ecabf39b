import { CliError } from "./cli-error.js";

/** A resource that a name may mean. */
export interface Candidate {
  readonly id: string;
  /** Where it is: `shop/reports`. */
  readonly label: string;
}

export const ambiguousName = (kind: string, name: string, candidates: readonly Candidate[]): CliError =>
  new CliError(
    "refused",
    "name:ambiguous",
    `${candidates.length} ${plural(kind)} are named ${JSON.stringify(name)}`,
    `Pass one of the ids: ${candidates.map(({ id, label }) => (label === "" ? id : `${id} (${label})`)).join(", ")}.`,
    { next: candidates.map(({ id }) => ["mgmt", plural(kind), "get", id]) },
  );

export const unknownName = (kind: string, name: string): CliError =>
  new CliError(
    "notFound",
    "name:not_found",
    `No ${kind} is named ${JSON.stringify(name)}`,
    "Names are exact: PROJECT/BRANCH/DATABASE, PROJECT/DATABASE, or @BRANCH in the default project.",
  );

const plural = (kind: string): string => (kind === "branch" ? "branches" : `${kind}s`);

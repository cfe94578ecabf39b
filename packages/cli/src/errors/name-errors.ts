import { type KindName, kinds } from "../resources/kinds.js";
import { CliError } from "./cli-error.js";

/** A resource that a name may mean. */
export interface Candidate {
  readonly id: string;
  /** Where it is: `shop/reports`. */
  readonly label: string;
}

export const ambiguousName = (kind: KindName, name: string, candidates: readonly Candidate[]): CliError =>
  new CliError(
    "refused",
    "name:ambiguous",
    `${candidates.length} ${kinds[kind].plural} are named ${JSON.stringify(name)}`,
    `Pass one of the ids: ${candidates.map(({ id, label }) => (label === "" ? id : `${id} (${label})`)).join(", ")}.`,
    { next: candidates.map(({ id }) => ["mgmt", kinds[kind].plural, "get", id]) },
  );

export const unknownName = (kind: KindName, name: string): CliError =>
  new CliError(
    "notFound",
    "name:not_found",
    `No ${kinds[kind].noun} is named ${JSON.stringify(name)}`,
    "Names are exact: PROJECT/BRANCH/DATABASE, PROJECT/DATABASE, or @BRANCH in the default project.",
  );

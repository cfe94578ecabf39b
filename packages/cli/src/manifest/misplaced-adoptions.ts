import type { MgmtClient } from "@mgmt/sdk";
import { invalidManifestError } from "../errors/manifest-errors.js";
import { isUnknownNameError } from "../errors/name-errors.js";
import { isNotAccessibleError } from "../errors/not-accessible.js";
import { idPrefixes } from "../contract/generated/id-prefixes.js";
import { getAtPath } from "../json/json-path.js";
import { nameableTypes } from "../contract/nameable-types.js";
import { resolveName } from "../run/names/resolve-name.js";
import { getResourceTypeByPrefix, resourceTypes, type ResourceType } from "../contract/resource-types.js";
import { readResourceName } from "../contract/list-call.js";
import { type Adoption, formatAdoptionProblem } from "./adopt.js";
import { addArticle } from "@mgmt/internal/text/article";
import { formatAddress } from "./entry.js";
import type { LocateEntry } from "./read-manifest.js";
import type { ServiceState } from "./read-state.js";

/** A description of the resource to adopt, such as `it is the app proj/api`, or undefined if no such resource is known. */
type MisplacementReason = string | undefined;

/**
 * Rejects entries that adopt a resource of another type or of another project. Creating a new resource instead would not be what
 * their author meant.
 *
 * @param missingAdoptions entries for which nothing to adopt was found where they are.
 * @throws `manifest:invalid` with what each resource is; errors of the service.
 */
export const assertAdoptionsNotMisplaced = async (
  missingAdoptions: readonly Adoption[],
  state: ServiceState,
  locateEntry: LocateEntry,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<void> => {
  const reasons = await Promise.all(
    missingAdoptions.map(
      async (adoption) =>
        describeSiblingResource(adoption, state) ??
        (await describeResourceElsewhere(adoption.adopt, adoption, client, signal)),
    ),
  );
  const problems = missingAdoptions.flatMap((adoption, index) => {
    const reason = reasons[index];
    return reason === undefined ? [] : [formatAdoptionProblem(adoption, reason, locateEntry)];
  });
  if (problems.length > 0) throw invalidManifestError(problems);
};

/** Looks for a resource of another type with the name, where the entry is. */
const describeSiblingResource = (
  { resource, path, adopt }: Adoption,
  { entries, unnamed }: ServiceState,
): MisplacementReason => {
  const container = JSON.stringify(path.slice(0, -1));
  const containerIds = entries
    .filter((entry) => JSON.stringify(entry.path) === container)
    .map(({ id }) => id);
  const namedEntry = entries.find(
    (entry) =>
      entry.resource !== resource &&
      JSON.stringify(entry.path.slice(0, -1)) === container &&
      [entry.path.at(-1), entry.fields["name"], entry.fields["displayName"]].includes(adopt),
  );
  if (namedEntry) return `it is the ${formatAddress(namedEntry)}`;
  const otherResource = unnamed.find(
    (candidate) =>
      candidate.resource !== resource &&
      candidate.name === adopt &&
      containerIds.includes(candidate.containerId ?? ""),
  );
  return otherResource && `it is the ${otherResource.resource} ${otherResource.id}`;
};

/** Reads the resource with an id or a full name. */
const describeResourceElsewhere = async (
  idOrName: string,
  adoption: Adoption,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<MisplacementReason> => {
  const resourceType = getResourceTypeByPrefix(
    Object.values(idPrefixes).find((prefix) => idOrName.startsWith(prefix)),
  );
  if (resourceType !== undefined)
    return describeMisplacedResource(resourceType, idOrName, adoption, client, signal);
  const adoptedType = nameableTypes.find((name) => resourceTypes[name].noun === adoption.resource);
  if (adoptedType === undefined || !idOrName.includes("/")) return undefined;
  const scope = { client, signal, findDefaultProject: () => undefined };
  const id = await resolveName(adoptedType, idOrName, scope).catch((error: unknown) => {
    if (isUnknownNameError(error)) return undefined;
    throw error;
  });
  return id === undefined ? undefined : describeMisplacedResource(adoptedType, id, adoption, client, signal);
};

/** A string of at least this length with the prefix of an id is certainly an id, not a name. */
const minIdLength = 24;

const describeMisplacedResource = async (
  resourceType: ResourceType,
  id: string,
  { resource }: Adoption,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<MisplacementReason> => {
  const { get, noun } = resourceTypes[resourceType];
  const typeMismatch = noun === resource ? "" : `, not of ${addArticle(resource)}`;
  try {
    if (get === undefined) return undefined;
    const misplacedResource = getAtPath(
      await client.request({ method: "GET", path: get, pathParams: { id } }, { signal }),
      ["data"],
    );
    const projectLabel =
      getAtPath(misplacedResource, ["project", "name"]) ?? getAtPath(misplacedResource, ["projectId"]);
    const projectSuffix = typeof projectLabel === "string" ? ` of the project ${projectLabel}` : "";
    return `it is the ${noun} ${readResourceName(misplacedResource) ?? id}${projectSuffix}`;
  } catch (error) {
    if (!isNotAccessibleError(error)) throw error;
    return typeMismatch !== "" && id.length >= minIdLength
      ? `it is the id of ${addArticle(noun)}${typeMismatch}`
      : undefined;
  }
};

import { invalidManifestError } from "../errors/manifest-errors.js";
import { idPrefixes } from "../contract/generated/id-prefixes.js";
import {
  type EntryAddress,
  type ManifestEntry,
  type ExistingEntry,
  toAddressKey,
  formatAddress,
} from "./entry.js";
import type { LocateEntry } from "./read-manifest.js";
import type { IdentifyResources, UnnamedResource } from "./read-state.js";

/** An entry for a resource that exists without a logical id. */
export interface Adoption extends EntryAddress {
  /** Id or name of the resource. */
  readonly adopt: string;
  /** The name that the entry gives it. */
  readonly name?: string;
}

/** Returns the entries that adopt a resource. */
export const collectAdoptions = (entries: readonly ManifestEntry[]): Adoption[] =>
  entries.flatMap(({ resource, path, adopt, fields }): Adoption[] => {
    const name = fields["name"] ?? fields["displayName"];
    if (adopt === undefined) return [];
    return [{ resource, path, adopt, ...(typeof name === "string" && { name }) }];
  });

/**
 * Finds the resources that entries adopt. A resource that has the logical id of its entry is not adopted again.
 *
 * @param locateEntry for a manifest. A saved plan has no locations.
 * @returns undefined if there is nothing to adopt.
 * @throws `manifest:invalid` if an entry cannot mean this resource.
 */
export const createAdoptionMatcher = (
  adoptions: readonly Adoption[],
  locateEntry?: LocateEntry,
): IdentifyResources | undefined =>
  adoptions.length === 0
    ? undefined
    : ({ name: resourceType }, unnamedResources, entries) => {
        const adoptionById = new Map<string, Adoption>();
        for (const adoption of adoptions.filter(({ resource }) => resource === resourceType)) {
          const reject: RejectAdoption = (reason) => {
            throw invalidManifestError([formatAdoptionProblem(adoption, reason, locateEntry)]);
          };
          const adoptedResource = findAdoptedResource(adoption, unnamedResources, entries, reject);
          if (!adoptedResource) continue;
          const otherAdoption = adoptionById.get(adoptedResource.id);
          if (otherAdoption) reject(`${formatAddress(otherAdoption)} adopts ${adoptedResource.id} too`);
          adoptionById.set(adoptedResource.id, adoption);
        }
        return new Map([...adoptionById].map(([id, { path }]) => [id, path.at(-1) ?? ""]));
      };

/** Throws for an adoption. */
type RejectAdoption = (reason: string) => never;

const findAdoptedResource = (
  adoption: Adoption,
  unnamedResources: readonly UnnamedResource[],
  entries: readonly ExistingEntry[],
  reject: RejectAdoption,
): UnnamedResource | undefined => {
  const { resource, path, adopt } = adoption;
  const namedEntry = entries.find((entry) => entry.resource === resource && entry.id === adopt);
  if (namedEntry && toAddressKey(namedEntry) !== toAddressKey(adoption)) {
    reject(`${adopt} is ${formatAddress(namedEntry)}, because it has a logical id`);
  }
  const existingEntry = entries.find((entry) => toAddressKey(entry) === toAddressKey(adoption));
  const containerEntry = entries.find(
    (entry) =>
      toAddressKey({ ...entry, resource: "" }) === toAddressKey({ resource: "", path: path.slice(0, -1) }),
  );
  const resourceWithId = unnamedResources.find(({ id }) => id === adopt);
  if (resourceWithId && resourceWithId.containerId !== containerEntry?.id) {
    reject(`${adopt} is not in ${path.slice(0, -1).join("/")}`);
  }
  const resourcesInContainer = unnamedResources.filter(
    ({ containerId }) => containerId === containerEntry?.id,
  );
  const [adoptedResource, ...otherResources] = resourceWithId
    ? [resourceWithId]
    : findResourcesByName(adoption, resourcesInContainer);
  if (!adoptedResource || (existingEntry && !resourceWithId)) return undefined;
  if (existingEntry) reject(`${existingEntry.id} has the logical id ${path.at(-1) ?? ""} already`);
  if (otherResources.length > 0) {
    const ids = [adoptedResource, ...otherResources].map(({ id }) => id).join(", ");
    reject(`several have the name ${JSON.stringify(adoptedResource.name)}: ${ids}. Pass the id of one`);
  }
  return adoptedResource;
};

/**
 * Returns the resources that an adoption names: by the name in `adopt`, or by the new name of the entry. An earlier run may have renamed a
 * project, which keeps no trace of its adoption.
 */
const findResourcesByName = (
  { adopt, name }: Adoption,
  resourcesInContainer: readonly UnnamedResource[],
): readonly UnnamedResource[] => {
  const matches = resourcesInContainer.filter((resource) => resource.name === adopt);
  const isId = Object.values(idPrefixes).some((prefix) => adopt.startsWith(prefix));
  return matches.length > 0 || isId
    ? matches
    : resourcesInContainer.filter((resource) => resource.name !== null && resource.name === name);
};

/** Returns the problem of an entry that cannot adopt the resource that it names. */
export const formatAdoptionProblem = (
  adoption: Adoption,
  reason: string,
  locateEntry?: LocateEntry,
): string => {
  const locationPrefix = locateEntry ? `${locateEntry(adoption, ["adopt"])}: ` : "";
  return `${locationPrefix}${formatAddress(adoption)} cannot adopt ${JSON.stringify(adoption.adopt)}: ${reason}`;
};

/** Returns the entries for which there is nothing to adopt, and whose resources do not exist either. */
export const findMissingAdoptions = (
  adoptions: readonly Adoption[],
  entries: readonly ExistingEntry[],
): Adoption[] => {
  const existingKeys = new Set(entries.map(toAddressKey));
  return adoptions.filter((adoption) => !existingKeys.has(toAddressKey(adoption)));
};

/** Returns sentences about resources that do not exist, and are created instead of adopted: the outermost of each project. */
export const renderAdoptionNotices = (
  missingAdoptions: readonly Adoption[],
  entries: readonly ExistingEntry[],
): string[] => {
  const existingPaths = new Set(entries.map(({ path }) => path.join("\n")));
  return missingAdoptions
    .filter(({ path }) => path.length === 1 || existingPaths.has(path.slice(0, -1).join("\n")))
    .map(
      (adoption) =>
        `${formatAddress(adoption)} is new: there is no ${adoption.resource} ${JSON.stringify(adoption.adopt)} to adopt`,
    );
};

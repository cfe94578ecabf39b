import { invalidManifest } from "../errors/manifest-errors.js";
import { idPrefixes } from "../contract/generated/id-prefixes.js";
import { type Address, type Entry, type ExistingEntry, keyOf, nameOf } from "./entry.js";
import type { PlaceOf } from "./read-manifest.js";
import type { Identify, UnnamedResource } from "./read-state.js";

/** An entry for a resource that exists without a logical id. */
export interface Adoption extends Address {
  /** Id or name of the resource. */
  readonly adopt: string;
  /** The name that the entry gives it. */
  readonly name?: string;
}

/** Returns the entries that adopt a resource. */
export const adoptionsIn = (entries: readonly Entry[]): Adoption[] =>
  entries.flatMap(({ resource, path, adopt, fields }): Adoption[] => {
    const name = fields["name"] ?? fields["displayName"];
    if (adopt === undefined) return [];
    return [{ resource, path, adopt, ...(typeof name === "string" && { name }) }];
  });

/**
 * Finds the resources that entries adopt. A resource that has the logical id of its entry is not adopted again.
 *
 * @param placeOf for a manifest. A saved plan has no places.
 * @returns Undefined if there is nothing to adopt.
 * @throws `manifest:invalid` if a resource cannot be the one that an entry means.
 */
export const identifyAdopted = (adoptions: readonly Adoption[], placeOf?: PlaceOf): Identify | undefined =>
  adoptions.length === 0
    ? undefined
    : ({ name: kind }, unnamed, entries) => {
        const adopted = new Map<string, Adoption>();
        for (const adoption of adoptions.filter(({ resource }) => resource === kind)) {
          const refuse: Refuse = (reason) => {
            throw invalidManifest([cannotAdopt(adoption, reason, placeOf)]);
          };
          const adoptee = findAdopted(adoption, unnamed, entries, refuse);
          if (!adoptee) continue;
          const other = adopted.get(adoptee.id);
          if (other) refuse(`${nameOf(other)} adopts ${adoptee.id} too`);
          adopted.set(adoptee.id, adoption);
        }
        return new Map([...adopted].map(([id, { path }]) => [id, path.at(-1) ?? ""]));
      };

/** Throws for an adoption. */
type Refuse = (reason: string) => never;

const findAdopted = (
  adoption: Adoption,
  unnamed: readonly UnnamedResource[],
  entries: readonly ExistingEntry[],
  refuse: Refuse,
): UnnamedResource | undefined => {
  const { resource, path, adopt } = adoption;
  const named = entries.find((entry) => entry.resource === resource && entry.id === adopt);
  if (named && keyOf(named) !== keyOf(adoption)) {
    refuse(`${adopt} is ${nameOf(named)}, because it has a logical id`);
  }
  const existing = entries.find((entry) => keyOf(entry) === keyOf(adoption));
  const holder = entries.find(
    (entry) => keyOf({ ...entry, resource: "" }) === keyOf({ resource: "", path: path.slice(0, -1) }),
  );
  const byId = unnamed.find(({ id }) => id === adopt);
  if (byId && byId.containerId !== holder?.id) {
    refuse(`${adopt} is not in ${path.slice(0, -1).join("/")}`);
  }
  const inside = unnamed.filter(({ containerId }) => containerId === holder?.id);
  const [adoptee, ...others] = byId ? [byId] : byName(adoption, inside);
  if (!adoptee || (existing && !byId)) return undefined;
  if (existing) refuse(`${existing.id} has the logical id ${path.at(-1) ?? ""} already`);
  if (others.length > 0) {
    const ids = [adoptee, ...others].map(({ id }) => id).join(", ");
    refuse(`several have the name ${JSON.stringify(adoptee.name)}: ${ids}. Pass the id of one`);
  }
  return adoptee;
};

/** A project keeps no trace of its adoption, so that one that the entry has renamed is found by its new name. */
const byName = (
  { adopt, name }: Adoption,
  inside: readonly UnnamedResource[],
): readonly UnnamedResource[] => {
  const matches = inside.filter((resource) => resource.name === adopt);
  const isId = Object.values(idPrefixes).some((prefix) => adopt.startsWith(prefix));
  return matches.length > 0 || isId
    ? matches
    : inside.filter((resource) => resource.name !== null && resource.name === name);
};

/** Returns the problem of an entry that cannot adopt the resource that it names. */
export const cannotAdopt = (adoption: Adoption, reason: string, placeOf?: PlaceOf): string => {
  const place = placeOf ? `${placeOf(adoption, ["adopt"])}: ` : "";
  return `${place}${nameOf(adoption)} cannot adopt ${JSON.stringify(adoption.adopt)}: ${reason}`;
};

/** Returns the entries for which there is nothing to adopt, and whose resources do not exist either. */
export const missingAdoptions = (
  adoptions: readonly Adoption[],
  entries: readonly ExistingEntry[],
): Adoption[] => {
  const existing = new Set(entries.map(keyOf));
  return adoptions.filter((adoption) => !existing.has(keyOf(adoption)));
};

/** Returns sentences about resources that do not exist, and are created instead of adopted: the outermost of each project. */
export const adoptionNotices = (
  missing: readonly Adoption[],
  entries: readonly ExistingEntry[],
): string[] => {
  const existing = new Set(entries.map(({ path }) => path.join("\n")));
  return missing
    .filter(({ path }) => path.length === 1 || existing.has(path.slice(0, -1).join("\n")))
    .map(
      (adoption) =>
        `${nameOf(adoption)} is new: there is no ${adoption.resource} ${JSON.stringify(adoption.adopt)} to adopt`,
    );
};

import type { MgmtClient } from "@mgmt/sdk";
import { invalidManifest } from "../errors/manifest-errors.js";
import { isUnknownName } from "../errors/name-errors.js";
import { idPrefixes } from "../contract/generated/id-prefixes.js";
import { valueAt } from "../json/json-path.js";
import { namedKinds } from "../contract/id-form.js";
import { resolveName } from "../run/names/resolve-name.js";
import { kindOfPrefix, kinds, type KindName } from "../contract/kinds.js";
import { nameOfItem } from "../contract/list.js";
import { ApiError } from "../sdk/sdk.js";
import { type Adoption, cannotAdopt } from "./adopt.js";
import { nameOf } from "./entry.js";
import type { PlaceOf } from "./read-manifest.js";
import type { State } from "./read-state.js";

/** A resource to adopt that is not where its entry is. */
type Found = string | undefined;

/**
 * Refuses entries that adopt a resource of another kind or of another project. To create another resource instead is not what
 * they mean.
 *
 * @param missing entries for which nothing to adopt was found where they are.
 * @throws `manifest:invalid` with what each resource is; errors of the service.
 */
export const assertNotElsewhere = async (
  missing: readonly Adoption[],
  state: State,
  placeOf: PlaceOf,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<void> => {
  const reasons = await Promise.all(
    missing.map(
      async (adoption) =>
        beside(adoption, state) ?? (await elsewhere(adoption.adopt, adoption, client, signal)),
    ),
  );
  const problems = missing.flatMap((adoption, index) => {
    const what = reasons[index];
    return what === undefined ? [] : [cannotAdopt(adoption, what, placeOf)];
  });
  if (problems.length > 0) throw invalidManifest(problems);
};

/** Looks for a resource of another kind with the name, where the entry is. */
const beside = ({ resource, path, adopt }: Adoption, { entries, unnamed }: State): Found => {
  const container = JSON.stringify(path.slice(0, -1));
  const holders = entries.filter((entry) => JSON.stringify(entry.path) === container).map(({ id }) => id);
  const named = entries.find(
    (entry) =>
      entry.resource !== resource &&
      JSON.stringify(entry.path.slice(0, -1)) === container &&
      [entry.path.at(-1), entry.fields["name"], entry.fields["displayName"]].includes(adopt),
  );
  if (named) return `it is the ${nameOf(named)}`;
  const other = unnamed.find(
    (candidate) =>
      candidate.resource !== resource &&
      candidate.name === adopt &&
      holders.includes(candidate.containerId ?? ""),
  );
  return other && `it is the ${other.resource} ${other.id}`;
};

/** Reads the resource with an id or a full name. */
const elsewhere = async (
  text: string,
  adoption: Adoption,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<Found> => {
  const kind = kindOfPrefix(Object.values(idPrefixes).find((prefix) => text.startsWith(prefix)));
  if (kind !== undefined) return described(kind, text, adoption, client, signal);
  const own = namedKinds.find((name) => kinds[name].noun === adoption.resource);
  if (own === undefined || !text.includes("/")) return undefined;
  const scope = { client, signal, defaultProject: () => undefined };
  const id = await resolveName(own, text, scope).catch((error: unknown) => {
    if (isUnknownName(error)) return undefined;
    throw error;
  });
  return id === undefined ? undefined : described(own, id, adoption, client, signal);
};

/** A string of at least this length with the prefix of an id is certainly an id, not a name. */
const idLength = 24;

const described = async (
  kind: KindName,
  id: string,
  { resource }: Adoption,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<Found> => {
  const { get, noun } = kinds[kind];
  const own = noun === resource ? "" : `, not of a ${resource}`;
  try {
    if (get === undefined) return undefined;
    const item = valueAt(await client.request({ method: "GET", path: get, pathParams: { id } }, { signal }), [
      "data",
    ]);
    const project = valueAt(item, ["project", "name"]) ?? valueAt(item, ["projectId"]);
    const where = typeof project === "string" ? ` of the project ${project}` : "";
    return `it is the ${noun} ${nameOfItem(item) ?? id}${where}`;
  } catch (error) {
    if (!(error instanceof ApiError && [403, 404, 422].includes(error.status))) throw error;
    return own !== "" && id.length >= idLength ? `it is the id of a ${noun}${own}` : undefined;
  }
};

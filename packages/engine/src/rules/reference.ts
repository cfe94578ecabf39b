import type { World } from "../request/world.js";
import type { Reference } from "../generated/schemas.js";
import type { Row } from "../store/rows.js";

/** What a resource shows of another one that it belongs to. */
export const presentReference = (
  world: World,
  collection: string,
  row: (Row & { name: string }) | undefined,
): Reference => {
  if (row === undefined) throw new Error(`A reference into ${collection} points at nothing`);
  return { id: row.id, url: world.url(collection, row.id), name: row.name };
};

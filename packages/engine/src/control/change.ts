import { readOnly, withoutLocks } from "../store/backing.js";
import type { ServerWorld } from "../world/server-world.js";
import type { World } from "../world/world.js";

/** Runs a step in a transaction. Resolves when its changes are stored durably. */
export const change = async <T>(server: ServerWorld, step: (world: World) => T): Promise<T> => {
  const result = await server.transact(withoutLocks, step);
  await server.saved();
  return result;
};

/** Runs a step that changes nothing. */
export const read = async <T>(server: ServerWorld, step: (world: World) => T): Promise<T> =>
  server.transact(readOnly, step);

import type { ServerWorld } from "../request/server-world.js";
import type { World } from "../request/world.js";
import type { JobWorld } from "../time/job-handler.js";
import { readOnly, withoutLocks } from "../store/backing.js";

/** The world of a running server, as the control surface uses it. */
export interface ControlledWorld extends ServerWorld, JobWorld {
  /** Runs the subject's jobs now, in the order in which they were scheduled, and those that they schedule to start soon. */
  finishJobs(subject: string): Promise<void>;
}

/** Runs a step in a transaction. Resolves when its changes are stored durably. */
export const change = async <T>(server: ControlledWorld, step: (world: World) => T): Promise<T> => {
  const result = await server.transact(withoutLocks, step);
  await server.saved();
  return result;
};

/** Runs a step that changes nothing. */
export const read = async <T>(server: ControlledWorld, step: (world: World) => T): Promise<T> =>
  server.transact(readOnly, step);

import type { ServerRow } from "../request/server-rows.js";
import type { World } from "../request/world.js";
import type { Access } from "../store/backing.js";
import type { PartialTables } from "../store/partial-tables.js";
import type { Clock } from "../time/clock.js";

/** What a step on the shared state sees. */
export interface SharedStep {
  readonly world: Pick<World, "clock" | "ids">;
  readonly tables: PartialTables;
  readonly row: ServerRow;
}

/** The state that the servers of one store share, as the control surface changes it. */
export interface SharedState {
  /** As the latest transaction of this process has seen it. */
  readonly state: { readonly row: ServerRow };
  /** Loads the state. */
  refresh(): Promise<{ readonly clock: Clock }>;
  /** Runs a step in a transaction. */
  run<T>(access: Access, step: (parts: SharedStep) => T): Promise<T>;
}

import { toCanonicalId } from "../values/ids.js";
import { type CallMode, type ModeResult, mapAwaitable } from "../values/awaitable.js";
import { readOnlyTransaction } from "../store/storage-adapter.js";
import type { RequestContext } from "../context/request-context.js";
import type { ConnectionFault, ConnectionFaults, InstalledConnectionFault } from "./connection-faults.js";
import * as controlErrors from "./control-errors.js";

/** Controls the connections to real databases. */
export interface DataPlane {
  readonly faults: ConnectionFaults;
  /** Maximum number of connections per database; null for no limit. */
  connectionLimit: number | null;
  /** Removes all faults and restores the initial limit. */
  reset(): void;
}

/**
 * Controls the connections to the databases of a server that this process accepts. Every method throws a `ControlError` when the databases are
 * not real.
 */
export class DataPlaneControl<Mode extends CallMode> {
  constructor(
    private readonly getRequestContext: () => RequestContext<Mode>,
    private readonly dataPlane: DataPlane | undefined,
  ) {}

  listFaults(): InstalledConnectionFault[] {
    return this.#requireDataPlane().faults.list();
  }

  /**
   * Installs a fault.
   *
   * @throws ControlError when the database does not exist; TypeError when the fault is invalid.
   */
  addFault(fault: ConnectionFault): ModeResult<Mode, InstalledConnectionFault> {
    const { faults } = this.#requireDataPlane();
    const { database } = fault;
    const checkCompletion = this.getRequestContext().transact(readOnlyTransaction, ({ store }) => {
      if (typeof database === "string" && !store.databases.get(toCanonicalId("database", database)))
        throw controlErrors.notFound("database", database);
    });
    // Returns a promise if rows are loaded, and the result itself if they are in memory.
    return mapAwaitable<void, InstalledConnectionFault>(checkCompletion, () =>
      faults.add(fault),
    ) as ModeResult<Mode, InstalledConnectionFault>;
  }

  removeFault(id: string): void {
    if (!this.#requireDataPlane().faults.remove(id)) {
      throw controlErrors.notFound("connection fault", id);
    }
  }

  removeAllFaults(): void {
    this.#requireDataPlane().faults.clear();
  }

  /**
   * Limits the connections per database. Open connections stay open.
   *
   * @param connections null for no limit.
   */
  setConnectionLimit(connections: number | null): void {
    if (connections !== null && !(Number.isInteger(connections) && connections >= 0)) {
      throw controlErrors.invalidField(
        "connections",
        "must be a whole number of at least 0, or null for no limit",
      );
    }
    this.#requireDataPlane().connectionLimit = connections;
  }

  /** Removes all faults and restores the initial limit. */
  reset(): void {
    this.dataPlane?.reset();
  }

  #requireDataPlane(): DataPlane {
    if (this.dataPlane !== undefined) return this.dataPlane;
    throw controlErrors.noRealDatabases();
  }
}

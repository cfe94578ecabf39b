import { canonicalId } from "../request/ids.js";
import { whenThere } from "../request/transactions.js";
import type { ConnectionFault, ConnectionFaults, InstalledConnectionFault } from "./connection-faults.js";
import type { Awaitable } from "./controlled-engine.js";
import { controlErrors } from "./control-error.js";

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
export class DataPlaneControl {
  readonly #hasDatabase: (id: string) => Awaitable<boolean>;
  readonly #dataPlane: DataPlane | undefined;

  constructor(hasDatabase: (id: string) => Awaitable<boolean>, dataPlane: DataPlane | undefined) {
    this.#hasDatabase = hasDatabase;
    this.#dataPlane = dataPlane;
  }

  listFaults(): InstalledConnectionFault[] {
    return this.#required().faults.list();
  }

  /**
   * Installs a fault.
   *
   * @throws ControlError when the database does not exist; TypeError when the fault is invalid.
   */
  addFault(fault: ConnectionFault): Awaitable<InstalledConnectionFault> {
    const { faults } = this.#required();
    const { database } = fault;
    if (typeof database !== "string") return faults.add(fault);
    return whenThere(this.#hasDatabase(canonicalId("database", database)), (isKnown) => {
      if (!isKnown) throw controlErrors.notFound("database", database);
      return faults.add(fault);
    });
  }

  removeFault(id: string): void {
    if (!this.#required().faults.remove(id)) {
      throw controlErrors.notFound("connection fault", id);
    }
  }

  removeAllFaults(): void {
    this.#required().faults.clear();
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
    this.#required().connectionLimit = connections;
  }

  /** Removes all faults and restores the initial limit. */
  reset(): void {
    this.#dataPlane?.reset();
  }

  #required(): DataPlane {
    if (this.#dataPlane !== undefined) return this.#dataPlane;
    throw controlErrors.noRealDatabases();
  }
}

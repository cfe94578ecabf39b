import { toCanonicalId } from "../values/ids.js";
import { type OptionSchemas, assertOptions } from "../values/option-schema.js";
import { InvalidArgumentError } from "../values/invalid-argument-error.js";

const connectionFaultEffects = ["refuse", "drop", "delay"] as const;

/** A simulated failure of connections to the databases. */
export interface ConnectionFault {
  /** Id of the database whose connections are affected. Default: all databases. */
  database?: string | undefined;
  /**
   * The effect on a connection. `refuse` responds to a new connection with an error. `drop` closes a connection without an error. `delay`
   * delays everything that the client sends. `drop` and `delay` also affect connections that are open when the fault is installed.
   */
  effect: (typeof connectionFaultEffects)[number];
  /** Number of connections to affect. Default: no limit. The fault stays in the list until it is removed. */
  times?: number | undefined;
  /** Probability that a connection is affected, 0 to 1. Default: 1. */
  probability?: number | undefined;
  /** Delay in milliseconds. Required for `delay`. */
  latency?: number | undefined;
  /** SQLSTATE of the error that `refuse` sends. Default: `57P03`, `cannot_connect_now`. */
  code?: string | undefined;
  /** Message of the error that `refuse` sends. */
  message?: string | undefined;
}

/** A fault of connections to databases that is installed, and how many it has affected. */
export interface InstalledConnectionFault extends ConnectionFault {
  readonly id: string;
  /** Number of connections that the fault has affected. */
  readonly struck: number;
}

type FaultListener = (fault: InstalledConnectionFault) => void;

/** Stores the faults for connections to the databases. */
export class ConnectionFaults {
  readonly #faultsById = new Map<string, InstalledConnectionFault & { struck: number }>();
  readonly #random: () => number;
  readonly #findDatabaseName: (databaseId: string) => string;
  #onFaultAdded: FaultListener | undefined;
  #nextNumber = 1;

  /**
   * @param random returns a number in [0, 1).
   * @param findDatabaseName returns the name that connections use for a database.
   */
  constructor({
    random,
    findDatabaseName,
  }: {
    random: () => number;
    findDatabaseName: (databaseId: string) => string;
  }) {
    this.#random = random;
    this.#findDatabaseName = findDatabaseName;
  }

  /**
   * Installs a fault.
   *
   * @throws TypeError when the fault is invalid.
   */
  add(fault: ConnectionFault): InstalledConnectionFault {
    assertConnectionFault(fault);
    const { database } = fault;
    const installedFault = {
      ...fault,
      ...(database !== undefined && { database: toCanonicalId("database", database) }),
      id: `connection-fault-${String(this.#nextNumber)}`,
      struck: 0,
    };
    this.#nextNumber += 1;
    this.#faultsById.set(installedFault.id, installedFault);
    this.#onFaultAdded?.(installedFault);
    return { ...installedFault };
  }

  /** Calls the listener for each fault that is added later. */
  set onAdd(listener: FaultListener) {
    this.#onFaultAdded = listener;
  }

  list(): InstalledConnectionFault[] {
    return [...this.#faultsById.values()].map((fault) => ({ ...fault }));
  }

  /** Removes a fault. Returns false when it is not installed. */
  remove(id: string): boolean {
    return this.#faultsById.delete(id);
  }

  clear(): void {
    this.#faultsById.clear();
  }

  has(id: string): boolean {
    return this.#faultsById.has(id);
  }

  /** Returns the first fault that affects a new connection to a database, and counts it. */
  strikeFirst(databaseName: string): InstalledConnectionFault | undefined {
    for (const id of this.#faultsById.keys()) {
      const fault = this.strike(id, databaseName);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Returns the fault if it affects a connection to a database, and counts it. */
  strike(id: string, databaseName: string): InstalledConnectionFault | undefined {
    const fault = this.#faultsById.get(id);
    if (fault === undefined) return undefined;
    if (fault.database !== undefined && this.#findDatabaseName(fault.database) !== databaseName)
      return undefined;
    if (fault.times !== undefined && fault.struck >= fault.times) return undefined;
    if (fault.probability !== undefined && this.#random() >= fault.probability) return undefined;
    fault.struck += 1;
    return fault;
  }
}

/** One hour, in milliseconds. */
const maxLatencyMs = 3_600_000;

/** The schemas of the fields of a connection fault. A name that ends in `?` is optional. */
export const connectionFaultFieldSchemas = {
  effect: { enum: connectionFaultEffects },
  "database?": { type: "string" },
  "times?": { type: "integer", minimum: 1 },
  "probability?": { type: "number", minimum: 0, maximum: 1 },
  "latency?": { type: "number", exclusiveMinimum: 0, maximum: maxLatencyMs },
  "code?": {
    type: "string",
    pattern: "^[0-9A-Z]{5}$",
    title: "an SQLSTATE of five digits and upper-case letters",
  },
  "message?": { type: "string" },
} as const satisfies OptionSchemas<ConnectionFault>;

/** @throws TypeError */
const assertConnectionFault = (fault: ConnectionFault): void => {
  assertOptions(fault, connectionFaultFieldSchemas);
  const { effect, latency, code, message } = fault;
  if ((effect === "delay") !== (latency !== undefined)) {
    throw new InvalidArgumentError("latency is required for the effect delay, and not allowed for others");
  }
  if (effect !== "refuse" && (code !== undefined || message !== undefined)) {
    throw new InvalidArgumentError("code and message are allowed only for the effect refuse");
  }
};

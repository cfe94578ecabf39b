import { canonicalId } from "../values/ids.js";
import { type OptionSchemas, assertOptions } from "../values/option-schema.js";

const effects = ["refuse", "drop", "delay"] as const;

/** A simulated failure of connections to the databases. */
export interface ConnectionFault {
  /** Id of the database whose connections are affected. Default: all databases. */
  database?: string | undefined;
  /**
   * The effect on a connection. `refuse` responds to a new connection with an error. `drop` closes a connection without an error. `delay`
   * delays everything that the client sends. `drop` and `delay` also affect connections that are open when the fault is installed.
   */
  effect: (typeof effects)[number];
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

export interface InstalledConnectionFault extends ConnectionFault {
  readonly id: string;
  /** Number of connections that the fault has affected. */
  readonly struck: number;
}

type Added = (fault: InstalledConnectionFault) => void;

/** Stores the faults for connections to the databases. */
export class ConnectionFaults {
  readonly #installed = new Map<string, InstalledConnectionFault & { struck: number }>();
  readonly #draw: () => number;
  readonly #nameOf: (databaseId: string) => string;
  #added: Added | undefined;
  #next = 1;

  /**
   * @param draw returns a number in [0, 1).
   * @param nameOf returns the name that connections use for a database.
   */
  constructor({ draw, nameOf }: { draw: () => number; nameOf: (databaseId: string) => string }) {
    this.#draw = draw;
    this.#nameOf = nameOf;
  }

  /**
   * Installs a fault.
   *
   * @throws TypeError when the fault is invalid.
   */
  add(fault: ConnectionFault): InstalledConnectionFault {
    assertConnectionFault(fault);
    const { database } = fault;
    const installed = {
      ...fault,
      ...(database !== undefined && { database: canonicalId("database", database) }),
      id: `connection-fault-${String(this.#next)}`,
      struck: 0,
    };
    this.#next += 1;
    this.#installed.set(installed.id, installed);
    this.#added?.(installed);
    return { ...installed };
  }

  /** Calls the listener for each fault that is added later. */
  set onAdd(listener: Added) {
    this.#added = listener;
  }

  list(): InstalledConnectionFault[] {
    return [...this.#installed.values()].map((fault) => ({ ...fault }));
  }

  /** Removes a fault. Returns false when it is not installed. */
  remove(id: string): boolean {
    return this.#installed.delete(id);
  }

  clear(): void {
    this.#installed.clear();
  }

  has(id: string): boolean {
    return this.#installed.has(id);
  }

  /** Returns the first fault that affects a new connection to a database, and counts it. */
  strikeAny(database: string): InstalledConnectionFault | undefined {
    return [...this.#installed.keys()]
      .map((id) => this.strike(id, database))
      .find((fault) => fault !== undefined);
  }

  /** Returns the fault if it affects a connection to a database, and counts it. */
  strike(id: string, database: string): InstalledConnectionFault | undefined {
    const fault = this.#installed.get(id);
    if (fault === undefined) return undefined;
    if (fault.database !== undefined && this.#nameOf(fault.database) !== database) return undefined;
    if (fault.times !== undefined && fault.struck >= fault.times) return undefined;
    if (fault.probability !== undefined && this.#draw() >= fault.probability) return undefined;
    fault.struck += 1;
    return fault;
  }
}

/** One hour, in milliseconds. */
const maxLatency = 3_600_000;

export const connectionFaultSchemas = {
  effect: { enum: effects },
  "database?": { type: "string" },
  "times?": { type: "integer", minimum: 1 },
  "probability?": { type: "number", minimum: 0, maximum: 1 },
  "latency?": { type: "number", exclusiveMinimum: 0, maximum: maxLatency },
  "code?": {
    type: "string",
    pattern: "^[0-9A-Z]{5}$",
    title: "an SQLSTATE of five digits and upper-case letters",
  },
  "message?": { type: "string" },
} as const satisfies OptionSchemas<ConnectionFault>;

/** @throws TypeError */
const assertConnectionFault = (fault: ConnectionFault): void => {
  assertOptions(fault, connectionFaultSchemas);
  const { effect, latency, code, message } = fault;
  if ((effect === "delay") !== (latency !== undefined)) {
    throw new TypeError("latency is required for the effect delay, and not allowed for others");
  }
  if (effect !== "refuse" && (code !== undefined || message !== undefined)) {
    throw new TypeError("code and message are allowed only for the effect refuse");
  }
};

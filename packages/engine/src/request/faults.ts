import { type OperationId, operations } from "../generated/operations.js";
import { type OAuthEndpoint, oauthEndpoints } from "./endpoint.js";

/** Target of a fault: an operation, or an endpoint of the authorization server. */
export type FaultTarget = OperationId | `oauth.${OAuthEndpoint}`;

const drops = ["before", "after", "midway"] as const;

/** Statuses of responses without a body. */
const bodiless = [204, 205, 304];

/** A failure that the server simulates. */
export interface Fault {
  /** The operations that it applies to. Default: all operations, but no `oauth.…` endpoint. */
  operation?: FaultTarget | readonly FaultTarget[];
  /** Number of requests to process normally first. Default: 0. */
  skip?: number;
  /** Number of requests that it applies to. Default: all, until it is removed. */
  times?: number;
  /** Probability that it applies to a request, 0 to 1. Default: 1. The draws of a seeded server are reproducible. */
  probability?: number;
  /** Delay of the response, in milliseconds of real time. */
  latency?: number;
  /** Status to respond with, without running the operation: 400 to 599, or from 200 with a `body`. */
  status?: number;
  /** Error code of that response. Default: the API's code for 429, 500 and 503, otherwise `fault:<status>`. */
  code?: string;
  /** Body of that response, sent as is: for example, the HTML page of a proxy. */
  body?: string;
  /** Media type of `body`. Default: `text/html`. */
  contentType?: string;
  /**
   * When to cut the connection: before the operation runs, after it has run and before the response is sent, or midway through
   * the response body. A response without a body is cut before it is sent.
   */
  drop?: "before" | "after" | "midway";
}

export interface InstalledFault extends Fault {
  readonly id: string;
  /** Number of requests that it has applied to. */
  readonly struck: number;
}

const isNumber = (value: unknown, from: number, to = Infinity): boolean =>
  typeof value === "number" && value >= from && value <= to;

const oauthTargets: ReadonlySet<string> = new Set(oauthEndpoints.map((name) => `oauth.${name}`));

/** Checks types too, because faults can come from JSON. */
export const assertFault = (fault: Fault): void => {
  const { operation, skip, times, probability, latency, status, body, drop } = fault;
  for (const id of operation === undefined ? [] : [operation].flat()) {
    if (!Object.hasOwn(operations, id) && !oauthTargets.has(id))
      throw new TypeError(`The operation ${id} does not exist`);
  }
  if (times !== undefined && !(Number.isInteger(times) && isNumber(times, 1))) {
    throw new TypeError("times must be a whole number, at least 1");
  }
  if (skip !== undefined && !(Number.isInteger(skip) && isNumber(skip, 0))) {
    throw new TypeError("skip must be a whole number, 0 or more");
  }
  if (probability !== undefined && !isNumber(probability, 0, 1)) {
    throw new TypeError("probability must be from 0 to 1");
  }
  if (latency !== undefined && !isNumber(latency, 0, 2_147_483_647)) {
    throw new TypeError("latency must be a number of milliseconds, 0 or more");
  }
  const least = body === undefined ? 400 : 200;
  if (status !== undefined && !(Number.isInteger(status) && isNumber(status, least, 599))) {
    throw new TypeError("status must be from 400 to 599, or from 200 to 599 with a body");
  }
  if (status !== undefined && bodiless.includes(status)) {
    throw new TypeError("status must not be 204, 205 or 304: such a response has no body");
  }
  if (drop !== undefined && !drops.includes(drop)) {
    throw new TypeError('drop must be "before", "after" or "midway"');
  }
  for (const name of ["code", "body", "contentType"] as const) {
    if (fault[name] !== undefined && typeof fault[name] !== "string") {
      throw new TypeError(`${name} must be a string`);
    }
  }
  if (status === undefined && drop === undefined && latency === undefined) {
    throw new TypeError("A fault must have a status, a drop or a latency");
  }
};

const publicFields = ({
  skipped: _,
  ...fault
}: InstalledFault & { readonly skipped: number }): InstalledFault => fault;

/** The installed faults, as the pipeline uses them. */
export interface FaultSource {
  /** Whether any fault may be installed. */
  readonly any: boolean;
  /** Returns the fault that applies to a request for this target, if any, and counts the request. */
  strike(target: FaultTarget): Fault | undefined | Promise<Fault | undefined>;
}

/** How often a fault has applied to requests, and how often it has let one pass before. */
export interface FaultCounts {
  struck: number;
  skipped: number;
}

/**
 * Returns whether the fault applies to a request for this target, and counts the request.
 *
 * @param draw returns a number in [0, 1).
 */
export const strikes = (
  fault: Fault,
  counts: FaultCounts,
  target: FaultTarget,
  draw: () => number,
): boolean => {
  const { operation, probability, skip = 0 } = fault;
  if (operation === undefined ? oauthTargets.has(target) : ![operation].flat().includes(target)) return false;
  if (probability !== undefined && draw() >= probability) return false;
  if (counts.skipped < skip) {
    counts.skipped += 1;
    return false;
  }
  counts.struck += 1;
  return true;
};

/** Whether a fault has applied to all requests that it was installed for. */
export const isExhausted = ({ times }: Fault, { struck }: FaultCounts): boolean =>
  times !== undefined && struck >= times;

/** Stores the faults in memory. */
export class Faults implements FaultSource {
  readonly #installed = new Map<string, InstalledFault & { struck: number; skipped: number }>();
  #next = 1;

  /** @param draw returns a number in [0, 1). */
  constructor(private readonly draw: () => number) {}

  get any(): boolean {
    return this.#installed.size > 0;
  }

  /**
   * Installs a fault.
   *
   * @throws TypeError when a field is not valid.
   */
  add(fault: Fault): InstalledFault {
    assertFault(fault);
    const installed = { ...fault, id: `fault-${String(this.#next)}`, struck: 0, skipped: 0 };
    this.#next += 1;
    this.#installed.set(installed.id, installed);
    return publicFields(installed);
  }

  /** Returns the installed faults, oldest first. */
  list(): InstalledFault[] {
    return [...this.#installed.values()].map(publicFields);
  }

  /** Removes a fault. Returns false when it is not installed. */
  remove(id: string): boolean {
    return this.#installed.delete(id);
  }

  /** Removes all faults. */
  clear(): void {
    this.#installed.clear();
  }

  /** Returns the fault that applies to a request for this target, if any, and counts the request. */
  strike(target: FaultTarget): Fault | undefined {
    for (const fault of this.#installed.values()) {
      if (!strikes(fault, fault, target, this.draw)) continue;
      if (isExhausted(fault, fault)) this.#installed.delete(fault.id);
      return fault;
    }
    return undefined;
  }
}

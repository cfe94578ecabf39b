import { type OperationId, operations } from "../generated/operations.js";
import { type OAuthEndpoint, oauthPaths } from "../oauth/paths.js";
import { RequestError } from "./request-error.js";
import { errors } from "./errors.js";

/** What a fault can strike: an operation, or an endpoint of the authorization server. */
export type FaultTarget = OperationId | `oauth.${OAuthEndpoint}`;

const drops = ["before", "after", "midway"] as const;

/** Statuses whose answers have no body. */
const bodiless = [204, 205, 304];

/** A failure to be played, in place of or beside the real answer. */
export interface Fault {
  /** The operation, or operations, that it strikes. Default: all operations, but no `oauth.…` endpoint. */
  operation?: FaultTarget | readonly FaultTarget[];
  /** How many requests it strikes. Default: all, until it is removed. */
  times?: number;
  /** How likely it strikes each of them, 0 to 1. Default: 1. Seeded servers always draw the same. */
  probability?: number;
  /** Milliseconds of real time that the answer waits. */
  latency?: number;
  /** Answers this status and does nothing else: a failure, or any from 200 with a `body`. */
  status?: number;
  /** Error code of that answer. Default: the API's own code for 429, 500 and 503, else `fault:<status>`. */
  code?: string;
  /** Body of that answer, sent as it is: to play a proxy's HTML page, say. */
  body?: string;
  /** Default: `text/html`. */
  contentType?: string;
  /**
   * Cuts the connection before the work is done, after it is done and before the answer, or midway through the body of the
   * answer; an answer without a body is then cut as after the work.
   */
  drop?: (typeof drops)[number];
}

export interface InstalledFault extends Fault {
  readonly id: string;
  /** How many requests it has struck. */
  readonly struck: number;
}

/** Answer of a fault with a body of its own. */
export class RawAnswer extends Error {
  constructor(
    readonly status: number,
    readonly body: string,
    readonly contentType: string,
  ) {
    super(`fault ${String(status)}`);
  }
}

const isNumber = (value: unknown, from: number, to = Infinity): boolean =>
  typeof value === "number" && value >= from && value <= to;

const isOAuthTarget = (target: string): boolean =>
  target.startsWith("oauth.") && Object.hasOwn(oauthPaths, target.slice("oauth.".length));

/** Faults also come as JSON, so that nothing about them is taken for granted. */
const assertFault = (fault: Fault): void => {
  const { operation, times, probability, latency, status, body, drop } = fault;
  for (const id of operation === undefined ? [] : [operation].flat()) {
    if (!Object.hasOwn(operations, id) && !isOAuthTarget(id))
      throw new TypeError(`There is no operation ${id}`);
  }
  if (times !== undefined && !(Number.isInteger(times) && isNumber(times, 1))) {
    throw new TypeError("A fault strikes a whole number of times, at least once");
  }
  if (probability !== undefined && !isNumber(probability, 0, 1)) {
    throw new TypeError("The probability of a fault is 0 to 1");
  }
  if (latency !== undefined && !isNumber(latency, 0, 2_147_483_647)) {
    throw new TypeError("The latency of a fault is in milliseconds, 0 or more");
  }
  const least = body === undefined ? 400 : 200;
  if (status !== undefined && !(Number.isInteger(status) && isNumber(status, least, 599))) {
    throw new TypeError("The status of a fault is 400 to 599, and with a body 200 to 599");
  }
  if (status !== undefined && bodiless.includes(status)) {
    throw new TypeError("An answer of the status of this fault has no body");
  }
  if (drop !== undefined && !drops.includes(drop)) {
    throw new TypeError(
      'A fault drops the connection "before" the work, "after" it or "midway" in the answer',
    );
  }
  for (const name of ["code", "body", "contentType"] as const) {
    if (fault[name] !== undefined && typeof fault[name] !== "string") {
      throw new TypeError(`The ${name} of a fault is a string`);
    }
  }
  if (status === undefined && drop === undefined && latency === undefined) {
    throw new TypeError("A fault has a status, a drop or a latency");
  }
};

export class Faults {
  readonly #installed = new Map<string, InstalledFault & { struck: number }>();
  #next = 1;

  /** `draw` gives a number of [0, 1). */
  constructor(private readonly draw: () => number) {}

  get any(): boolean {
    return this.#installed.size > 0;
  }

  /** Throws a `TypeError` for a fault that makes no sense. */
  add(fault: Fault): InstalledFault {
    assertFault(fault);
    const installed = { ...fault, id: `fault-${String(this.#next)}`, struck: 0 };
    this.#next += 1;
    this.#installed.set(installed.id, installed);
    return installed;
  }

  list(): InstalledFault[] {
    return [...this.#installed.values()].map((fault) => ({ ...fault }));
  }

  /** Whether there was such a fault. */
  remove(id: string): boolean {
    return this.#installed.delete(id);
  }

  clear(): void {
    this.#installed.clear();
  }

  /** The fault that strikes a request for this target, if any. */
  strike(target: FaultTarget): Fault | undefined {
    for (const fault of this.#installed.values()) {
      if (fault.operation === undefined ? isOAuthTarget(target) : ![fault.operation].flat().includes(target))
        continue;
      if (fault.probability !== undefined && this.draw() >= fault.probability) continue;
      fault.struck += 1;
      if (fault.times !== undefined && fault.struck >= fault.times) this.#installed.delete(fault.id);
      return fault;
    }
    return undefined;
  }
}

/** What a fault with a status answers. */
export const faultAnswer = (fault: Fault & { status: number }): RequestError | RawAnswer => {
  const { status, code, body, contentType = "text/html" } = fault;
  if (body !== undefined) return new RawAnswer(status, body, contentType);
  if (code !== undefined) return new RequestError(status, code, "A fault was asked for");
  if (status === 429) return errors.rateLimited(1, {});
  if (status === 500) return errors.internal();
  if (status === 503) return errors.unavailable();
  return new RequestError(status, `fault:${String(status)}`, "A fault was asked for");
};

/** The same from the authorization server, in the form of its errors (RFC 6749 §5.2). */
export const oauthFaultAnswer = (fault: Fault & { status: number }): RawAnswer => {
  const { status, code = "server_error", body, contentType = "text/html" } = fault;
  if (body !== undefined) return new RawAnswer(status, body, contentType);
  const error = { error: code, error_description: "A fault was asked for" };
  return new RawAnswer(status, JSON.stringify(error), "application/json");
};

import type { Awaitable } from "../values/awaitable.js";
import { type OperationId, operations } from "../generated/operations.js";
import { type OAuthEndpoint, oauthEndpoints } from "./endpoint.js";
import { type OptionSchemas, assertOptions } from "../values/option-schema.js";
import { InvalidArgumentError } from "../values/invalid-argument-error.js";

/** Target of a fault: an operation, or an endpoint of the authorization server. */
export type FaultTarget = OperationId | `oauth.${OAuthEndpoint}`;

const dropMoments = ["before", "after", "midway"] as const;

/** Statuses of responses without a body. */
const bodilessStatuses = [204, 205, 304];

/** A failure that the server simulates. */
export interface Fault {
  /** The operations that it applies to. Default: all operations, but no `oauth.…` endpoint. */
  operation?: FaultTarget | readonly FaultTarget[] | undefined;
  /** Number of requests to process normally first. Default: 0. */
  skip?: number | undefined;
  /** Number of requests that it applies to. Default: all, until it is removed. */
  times?: number | undefined;
  /** Probability that it applies to a request, 0 to 1. Default: 1. With `deterministic`, the draws are reproducible. */
  probability?: number | undefined;
  /** Delay of the response, in milliseconds of real time. Clients of `mock.client` wait by the clock of the mock instead. */
  latency?: number | undefined;
  /** Status to respond with, without running the operation: 400 to 599, or from 200 with a `body`. */
  status?: number | undefined;
  /** Error code of that response. Default: the API's code for 429, 500 and 503, otherwise `fault:<status>`. */
  code?: string | undefined;
  /** Body of that response, sent as is: for example, the HTML page of a proxy. */
  body?: string | undefined;
  /** Media type of `body`. Default: `text/html`. */
  contentType?: string | undefined;
  /**
   * When to cut the connection: before the operation runs, after it has run and before the response is sent, or midway through
   * the response body. A response without a body is cut before it is sent.
   */
  drop?: "before" | "after" | "midway" | undefined;
}

/** A fault that is installed, and how many requests it has affected. */
export interface InstalledFault extends Fault {
  readonly id: string;
  /** Number of requests that it has applied to. */
  readonly struck: number;
}

const oauthFaultTargets: ReadonlySet<string> = new Set(oauthEndpoints.map((name) => `oauth.${name}`));

/** Longest delay of a Node.js timer, in milliseconds. */
const maxLatencyMs = 2_147_483_647;

/** The schemas of the fields of a fault. A name that ends in `?` is optional. */
export const faultFieldSchemas = {
  "operation?": {
    anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
    description: "Default: all operations.",
  },
  "skip?": { type: "integer", minimum: 0 },
  "times?": { type: "integer", minimum: 1 },
  "probability?": { type: "number", minimum: 0, maximum: 1 },
  "latency?": { type: "number", minimum: 0, maximum: maxLatencyMs },
  "status?": { type: "integer", minimum: 200, maximum: 599 },
  "code?": { type: "string" },
  "body?": { type: "string" },
  "contentType?": { type: "string" },
  "drop?": { enum: dropMoments },
} as const satisfies OptionSchemas<Fault>;

/** @throws TypeError */
export const assertFault = (fault: Fault): void => {
  assertOptions(fault, faultFieldSchemas);
  const { operation, latency, status, body, drop } = fault;
  for (const id of operation === undefined ? [] : [operation].flat()) {
    if (!Object.hasOwn(operations, id) && !oauthFaultTargets.has(id))
      throw new InvalidArgumentError(`The operation ${id} does not exist`);
  }
  if (status !== undefined && status < 400 && body === undefined) {
    throw new InvalidArgumentError("status must be from 400 to 599, or from 200 to 599 with a body");
  }
  if (status !== undefined && bodilessStatuses.includes(status)) {
    throw new InvalidArgumentError("status must not be 204, 205 or 304: such a response has no body");
  }
  if (status === undefined && drop === undefined && latency === undefined) {
    throw new InvalidArgumentError("A fault must have a status, a drop or a latency");
  }
};

/** The installed faults, as the pipeline uses them. */
export interface InstalledFaults {
  /** Whether any fault may be installed. */
  readonly hasFaults: boolean;
  /** Returns the fault that applies to a request for this target, if any, and counts the request. */
  strike(target: FaultTarget): Awaitable<Fault | undefined>;
}

/** How often a fault has applied to requests, and how often it has let one pass before. */
export interface FaultCounts {
  struck: number;
  skipped: number;
}

/**
 * Returns whether the fault applies to a request for this target.
 *
 * @param counts changed: either number grows by 1 if the request counts for it.
 * @param random returns a number in [0, 1).
 */
export const strikeFault = (
  fault: Fault,
  counts: FaultCounts,
  target: FaultTarget,
  random: () => number,
): boolean => {
  const { operation, probability, skip = 0 } = fault;
  if (operation === undefined ? oauthFaultTargets.has(target) : ![operation].flat().includes(target))
    return false;
  if (probability !== undefined && random() >= probability) return false;
  if (counts.skipped < skip) {
    counts.skipped += 1;
    return false;
  }
  counts.struck += 1;
  return true;
};

/** Returns whether a fault has applied to all requests that it was installed for. */
export const isExhausted = ({ times }: Fault, { struck }: FaultCounts): boolean =>
  times !== undefined && struck >= times;

/** Installed faults have applied to no request, so a test did not test its subject. */
export class FaultNotStruckError extends Error {
  override readonly name = "FaultNotStruckError";
  readonly code = "fault:not_struck";

  constructor(readonly faults: readonly InstalledFault[]) {
    const lines = faults.map(({ struck: _, ...fault }) => `  ${JSON.stringify(fault)}`);
    super(
      `No request was struck by:\n${lines.join("\n")}\n` +
        "Check the operation and skip of the fault, and that the test sends the request; or remove the fault",
    );
  }
}

import type { DataPlane } from "../control/data-plane-control.js";
import { type Time, parseTimestamp } from "../control/clock-control.js";
import type { ClockState } from "../values/clock.js";
import { type OptionSchemas, assertOptions } from "../values/option-schema.js";
import type { PartialSettings } from "../values/merge-settings.js";
import type { DatabaseEngine } from "../context/database-engine.js";
import type { Snapshot } from "./snapshot.js";

/** The options of a reference server in memory. */
export interface EngineOptions {
  settings?: PartialSettings | undefined;
  /**
   * Text from which ids, names, passwords and keys are derived. With it, the server starts with its clock frozen at `startAt`, and its
   * secrets can be guessed, so use it only in tests. Default: none, and they are random.
   */
  deterministic?: string | undefined;
  /** Initial time of the clock. Default: the system's time, or 2026-01-01T00:00:00Z with `deterministic`. */
  startAt?: Time | undefined;
  /** Whether the clock is frozen until it is moved. Default: true with `deterministic`, otherwise false. */
  frozen?: boolean | undefined;
  /** Initial state. Default: `initial`, or else two workspaces with one owner each. */
  snapshot?: Snapshot | undefined;
  /** State that `reset` restores. Default: two workspaces with one owner each. */
  initial?: Snapshot | undefined;
  /**
   * Creates the databases. Default: an engine that generates addresses, and whose work succeeds immediately.
   *
   * @internal
   */
  databaseEngine?: DatabaseEngine | undefined;
  /**
   * Controls the connections to the databases. Default: none, because the databases are not real.
   *
   * @internal
   */
  dataPlane?: DataPlane | undefined;
  /**
   * Text that a browser must send once before it can sign in or see an approval: at least 32 random bytes. Default: none, which lets every
   * user who can reach the server on loopback sign in.
   */
  signInKey?: string | undefined;
  /** Called after every change of the state, and awaited before the response that shows the change is sent. */
  afterMutation?: (() => void | Promise<void>) | undefined;
  /**
   * Whether to check each response against the contract. One that violates it is replaced by a 500 and reported to
   * `onDefect`. Default: false.
   */
  validateResponses?: boolean | undefined;
  /** Called with errors inside the server. Default: `console.error`. */
  onDefect?: ((error: unknown) => void) | undefined;
  /** Maximum number of requests in the log. Default: 1000. */
  logCapacity?: number | undefined;
}

/** The contents of settings and snapshots, and times, are checked where they are read. */
const engineOptionSchemas = {
  "settings?": { type: "object" },
  "deterministic?": { type: "string" },
  "startAt?": {},
  "frozen?": { type: "boolean" },
  "snapshot?": { type: "object" },
  "initial?": { type: "object" },
  "databaseEngine?": { type: "object" },
  "dataPlane?": { type: "object" },
  "signInKey?": { type: "string" },
  "afterMutation?": { type: "function" },
  "validateResponses?": { type: "boolean" },
  "onDefect?": { type: "function" },
  "logCapacity?": { type: "number", minimum: 1 },
} as const satisfies OptionSchemas<EngineOptions>;

/**
 * Throws for options that are not an object, and for an option that does not exist or has a wrong value.
 *
 * @param otherNames names of further options that are valid, for classes that have more than the engine.
 * @throws TypeError
 */
export const assertEngineOptions = (options: object, otherNames: readonly string[] = []): void =>
  assertOptions(options, {
    ...Object.fromEntries(otherNames.map((name) => [`${name}?`, {}])),
    ...engineOptionSchemas,
  });

const deterministicStartTime = Date.UTC(2026, 0, 1);

/** Returns the state of the clock of a new server. */
export const createInitialClockState = ({
  deterministic,
  startAt,
  frozen = deterministic !== undefined,
}: EngineOptions): ClockState => {
  const defaultStart = deterministic === undefined ? undefined : deterministicStartTime;
  const start = startAt === undefined ? defaultStart : parseTimestamp(startAt);
  if (frozen) return { frozenAt: start ?? Date.now() };
  return { offset: start === undefined ? 0 : start - Date.now() };
};

import type { Fault } from "./faults.js";
import type { RandomState } from "./random-ids.js";
import type { RateLimitSettings } from "./settings.js";
import type { SigningKeyState } from "./signing-key-state.js";
import type { ClockState } from "../time/clock.js";
import type { Job } from "../time/scheduler.js";
import type { Row } from "../store/rows.js";

// Rows of the tables that the server itself uses. All servers of one store share them.

/** Id of the row of the table `server` that every transaction reads. */
export const serverId = "state";

/** What all servers of a store have in common. */
export interface ServerRow extends Row {
  /** Changes when the whole state is replaced. */
  epoch: string;
  clock: ClockState;
  signingKeys: SigningKeyState[];
  /** 32 bytes, base64url. */
  cursorKey: string;
  /** The key of the tokens in forms: 32 bytes, base64url. */
  formKey: string;
  /** The rate limit that the control surface has set; absent for that of the settings. */
  rateLimit?: RateLimitSettings | null | undefined;
  /** Changes when all counts of the rate limit start from 0. */
  rateEpoch: string;
  /** Whether the table `faults` may have rows. */
  hasFaults: boolean;
  /** The number of the next fault. */
  nextFault: number;
}

/** Id of the row of the table `server` that has the state of the generators. */
export const generatorId = "generator";

/** The generators of a seeded server; null for one whose ids cannot be predicted. */
export interface GeneratorRow extends Row {
  ids: RandomState | null;
  /** For faults with a probability. */
  draws: RandomState | null;
}

/** Id of the row of the table `server` that has the state that a reset restores. */
export const initialId = "initial";

export interface InitialRow extends Row {
  snapshot: unknown;
}

/** A job that waits or runs. */
export interface JobRow extends Row, Job {
  /** The session of the process that runs it; null for one that any process may run when it is due. */
  owner: string | null;
}

/** A job that a transaction of this process has scheduled. */
export interface ScheduledJob extends JobRow {
  /** The workspace that the job works for, if the transaction has read it. Not stored. */
  readonly workspaceId?: string | undefined;
}

export interface FaultRow extends Row {
  fault: Fault;
  struck: number;
  skipped: number;
}

/** The names of these tables. */
export const serverTables = ["server", "jobs", "faults"] as const;

import type { Fault } from "./fault.js";
import type { RandomState } from "../values/random-ids.js";
import type { RateLimitSettings } from "../values/settings.js";
import { randomBase64Url } from "../values/random-bytes.js";
import type { SigningKeyJwk } from "../values/signing-key-jwk.js";
import type { ClockState } from "../values/clock.js";
import type { Job } from "./scheduler.js";
import type { Row } from "../store/rows.js";
import type { Table } from "../store/collections.js";
import type { FieldPath } from "../store/keys.js";
import type { CountPreload, RateWindow } from "../store/rate-window.js";
import type { Collection, AllRowsLookup, ExpiringCollection, Lookup } from "../store/store.js";
import type { CallMode, ModeResult } from "../values/awaitable.js";

// Rows of the tables that the server itself uses. All servers of one store share them.

/** Id of the row of the table `server` that every transaction reads. */
export const serverRowId = "state";

/** The faults and limits that the control surface has installed. They stay when another state is loaded. */
export interface ControlSettings {
  /** The rate limit that the control surface has set; absent for the limit of the settings. */
  rateLimit?: RateLimitSettings | null | undefined;
  /** Changes when all counts of the rate limit start from 0. */
  rateEpoch: string;
  /** Whether the table `faults` has rows. */
  hasFaults: boolean;
  /** The number of the next fault. */
  nextFault: number;
}

/** Returns the faults and limits of a new server. */
export const createControlSettings = (): ControlSettings => ({
  rateEpoch: randomBase64Url(16),
  hasFaults: false,
  nextFault: 1,
});

/** The state that all servers of a store share. */
export interface ServerRow extends Row, ControlSettings {
  /** Changes when the whole state is replaced. */
  epoch: string;
  clock: ClockState;
  signingKeys: SigningKeyJwk[];
  /** 32 bytes, base64url. */
  cursorKey: string;
  /** The key of the tokens in forms: 32 bytes, base64url. */
  formKey: string;
}

/** Id of the row of the table `server` that has the state of the generators. */
export const generatorRowId = "generator";

/** The generators of a seeded server; null for one whose ids cannot be predicted. */
export interface GeneratorRow extends Row {
  ids: RandomState | null;
  /** For faults with a probability. */
  draws: RandomState | null;
}

/** Id of the row of the table `server` that has the state that a reset restores. */
export const initialRowId = "initial";

/** The snapshot that a reset restores. */
export interface InitialStateRow extends Row {
  snapshot: unknown;
}

/** A job that waits or runs. */
export interface JobRow extends Row, Job {
  /** The session of the process that runs it; null for one that any process may run when it is due. */
  owner: string | null;
  /** How often the job has failed, or its process has exited while it had the job. Default: 0. */
  attempts?: number;
  /** The names and codes of the last error. Absent for a job that has not failed. */
  lastError?: string;
  /** When the last attempt of a dead job failed, in milliseconds since 1970. Absent for other jobs. A dead job is not due. */
  diedAt?: number | undefined;
}

/** A job that a transaction of this process has scheduled. */
export interface ScheduledJob extends JobRow {
  /** The workspace that the job works for, if the transaction has read it. Not stored. */
  readonly workspaceId?: string | undefined;
}

/** An installed fault, and how many requests it has affected and let through. */
export interface FaultRow extends Row {
  fault: Fault;
  struck: number;
  skipped: number;
}

/** These tables. */
export const serverTables = {
  server: {
    keys: [],
    indexes: [],
    // Whoever knows the state of a generator can compute the passwords that it has generated.
    secrets: ["signingKeys.d", "cursorKey", "formKey", "ids", "snapshot"] satisfies readonly FieldPath<
      ServerRow | GeneratorRow | InitialStateRow
    >[],
  },
  jobs: { keys: [{ by: ["subject"] }], indexes: [["subject"]], expires: "dueAt" },
  faults: { keys: [], indexes: [] },
} as const satisfies Readonly<Record<string, Table>>;

/** Finds the tables of the server itself. */
export interface ServerTables {
  getTable<T extends Row, Where extends Lookup>(
    name: keyof typeof serverTables,
  ): ExpiringCollection<T, Where>;
  /** Counts a request in a window of the rate limit, and returns the window. */
  countInRateWindow(preload: CountPreload): RateWindow;
}

/** A transaction on the rows of the server itself. */
export interface ServerRowTransaction {
  readonly controlSettings: ControlSettings;
  readonly faults: Pick<Collection<FaultRow, AllRowsLookup>, "get" | "list" | "insert" | "update" | "delete">;
  /** Milliseconds since 1970. */
  readonly now: number;
  changeControlSettings(changes: Partial<ControlSettings>): void;
  /** Returns a number in [0, 1), reproducibly for a seeded server. */
  random(): number;
}

/** Runs transactions on the rows of the server itself. */
export interface ServerRowStore<Mode extends CallMode> {
  /** Returns whether any fault is installed, as the latest transaction of this process has seen it. */
  hasFaults(): boolean;
  read<T>(callback: (transaction: ServerRowTransaction) => T): ModeResult<Mode, T>;
  /** @param lock excludes other changes with the same lock. */
  change<T>(lock: string, callback: (transaction: ServerRowTransaction) => T): ModeResult<Mode, T>;
}

import type { SigningKeyState } from "../oauth/signing-keys.js";
import type { StoreState } from "../store/memory-store.js";
import type { ClockState } from "../time/clock.js";
import type { RandomState } from "./ids.js";
import type { Job } from "../time/scheduler.js";

/** The whole state of a server as plain JSON: rows, keys, clock, pending jobs, and where a seeded generator stands. */
export interface Snapshot {
  version: 1;
  store: StoreState;
  signingKeys: SigningKeyState[];
  /** 32 bytes, base64url. */
  cursorKey: string;
  clock: ClockState;
  jobs: Job[];
  random: RandomState | null;
}

/** Throws an `Error` that says what is missing when the value is no snapshot of this version. */
export const assertSnapshot: (value: unknown) => asserts value is Snapshot = (value) => {
  if (typeof value !== "object" || value === null) throw new Error("A snapshot is a JSON object");
  const snapshot = value as Partial<Record<keyof Snapshot, unknown>>;
  if (snapshot.version !== 1) throw new Error("The snapshot is not of version 1");
  for (const part of ["store", "clock"] as const) {
    if (typeof snapshot[part] !== "object" || snapshot[part] === null)
      throw new Error(`The snapshot has no ${part}`);
  }
  for (const part of ["signingKeys", "jobs"] as const) {
    if (!Array.isArray(snapshot[part])) throw new Error(`The snapshot has no ${part}`);
  }
  if (typeof snapshot.cursorKey !== "string") throw new Error("The snapshot has no cursorKey");
};

import type { SigningKeyJwk } from "../values/signing-key-jwk.js";
import { collectionNames } from "../store/collections.js";
import type { StoreState } from "../store/memory-store.js";
import { type ClockState, VirtualClock, isSupportedTime } from "../values/clock.js";
import type { RandomState } from "../values/random-ids.js";
import type { Job } from "../context/scheduler.js";
import { InvalidArgumentError } from "../values/invalid-argument-error.js";

/** The whole state of a server as plain JSON, with keys and passwords. A server of another version may reject it. */
export interface Snapshot {
  version: 1;
  /** @internal */
  store: StoreState;
  /** @internal */
  signingKeys: SigningKeyJwk[];
  /**
   * 32 bytes, base64url.
   *
   * @internal
   */
  cursorKey: string;
  /** @internal */
  clock: ClockState;
  /** @internal */
  jobs: Job[];
  /** @internal */
  random: RandomState | null;
}

/**
 * Returns the value as a snapshot.
 *
 * @throws TypeError with the missing part when the value is not a snapshot.
 */
export const parseSnapshot = (value: unknown): Snapshot => {
  if (typeof value !== "object" || value === null)
    throw new InvalidArgumentError("The snapshot is not a JSON object");
  const snapshot = value as Partial<Record<keyof Snapshot, unknown>>;
  if (snapshot.version !== 1) {
    throw new InvalidArgumentError(
      "The version of the snapshot is not 1; a newer server may have created it",
    );
  }
  for (const part of ["store", "clock"] as const) {
    if (typeof snapshot[part] !== "object" || snapshot[part] === null)
      throw new InvalidArgumentError(`The snapshot has no ${part}`);
  }
  for (const part of ["signingKeys", "jobs"] as const) {
    if (!Array.isArray(snapshot[part])) throw new InvalidArgumentError(`The snapshot has no ${part}`);
  }
  if (typeof snapshot.cursorKey !== "string") throw new InvalidArgumentError("The snapshot has no cursorKey");
  const collections = snapshot.store as Partial<Record<string, { rows?: unknown }>>;
  for (const name of collectionNames) {
    if (!Array.isArray(collections[name]?.rows))
      throw new InvalidArgumentError(`The snapshot's store has no ${name}`);
  }
  // The contents of the other parts are not checked, because a server has written them.
  const checkedSnapshot = value as Snapshot;
  if (!isSupportedTime(new VirtualClock(checkedSnapshot.clock).now()))
    throw new InvalidArgumentError("The clock of the snapshot is not between 1970-01-01 and 9000-01-01");
  return checkedSnapshot;
};

import { randomUUID } from "node:crypto";
import {
  createProcessView,
  parseIdentity,
  type ProcessIdentity,
} from "@mgmt/internal/processes/process-liveness";

/** A process that has or waits for a lock, as it is written in the lock file. */
export interface LockOwner extends ProcessIdentity {
  /** A UUID that identifies this attempt to acquire the lock. */
  nonce: string;
  /** Whether the owner has finished its work, but could not remove the lock file because its folder has become read-only. */
  isDone?: boolean;
}

/** Returns an owner for this process, with a new nonce for each attempt. */
export const createLockOwner = (): LockOwner => ({ nonce: randomUUID(), ...createProcessView().self });

/** Returns the owner in the text of a lock file; undefined for a text that is not an owner, such as one that is still being written. */
export const parseLockOwner = (ownerJson: string): LockOwner | undefined => {
  try {
    const value: unknown = JSON.parse(ownerJson);
    const identity = parseIdentity(value);
    if (!identity) return undefined;
    // `parseIdentity` accepts only objects. The types of these fields are checked below.
    const { nonce, isDone } = value as Partial<LockOwner>;
    if (typeof nonce !== "string" || !/^[\da-f-]{36}$/.test(nonce)) return undefined;
    return { nonce, ...identity, isDone: isDone === true };
  } catch {
    return undefined;
  }
};

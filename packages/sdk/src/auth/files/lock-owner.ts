import { randomUUID } from "node:crypto";
import {
  createProcessView,
  parseIdentity,
  type ProcessIdentity,
} from "@mgmt/internal/processes/process-liveness";

/** A process that holds or waits for a lock, as written in its lock file. */
export interface LockOwner extends ProcessIdentity {
  /** Identifies this attempt to acquire the lock. */
  nonce: string;
  /** The holder has finished but could not remove the lock, because its folder has become read-only. */
  isDone?: boolean;
}

/** Returns an owner for this process, with a new nonce for each attempt. */
export const createLockOwner = (): LockOwner => ({ nonce: randomUUID(), ...createProcessView().self });

export const parseLockOwner = (ownerJson: string): LockOwner | undefined => {
  try {
    const value: unknown = JSON.parse(ownerJson);
    const identity = parseIdentity(value);
    // Other JSON values have none of these fields.
    const { nonce, isDone } = value as Partial<LockOwner>;
    if (!identity || typeof nonce !== "string" || !/^[\da-f-]{36}$/.test(nonce)) return undefined;
    return { nonce, ...identity, isDone: isDone === true };
  } catch {
    return undefined;
  }
};

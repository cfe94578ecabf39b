import type { Keyring } from "../../../src/credentials/keyring/keyring.js";

/** A keyring in memory, whose entries are in a map. */
export const memoryKeyring = (entries: Map<string, string>, changed: Partial<Keyring> = {}): Keyring => ({
  read: async (name) => entries.get(name),
  write: async (name, secret) => void entries.set(name, secret),
  remove: async (name) => void entries.delete(name),
  ...changed,
});

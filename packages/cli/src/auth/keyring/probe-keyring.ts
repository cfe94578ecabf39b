import { randomUUID } from "node:crypto";
import { CliError, keyringUnavailable } from "../../errors.js";
import type { Keyring } from "./keyring.js";

/** Writes an entry, reads it back and deletes it. Throws `keyring:unavailable` when the keyring would lose a credential. */
export const probeKeyring = async (keyring: Keyring): Promise<void> => {
  const account = `probe ${randomUUID()}`;
  const value = randomUUID();
  try {
    await keyring.write(account, value);
    if ((await keyring.read(account)) !== value)
      throw keyringUnavailable("it does not give back what it was given");
    await keyring.remove(account);
    if ((await keyring.read(account)) !== undefined) throw keyringUnavailable("it does not delete");
  } catch (error) {
    await keyring.remove(account).catch(() => undefined);
    throw error instanceof CliError ? error : keyringUnavailable(error);
  }
};

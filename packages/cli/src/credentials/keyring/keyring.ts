import { randomUUID } from "node:crypto";
import { CliError } from "../../errors/cli-error.js";
import { keyringUnavailableError } from "../../errors/storage-errors.js";

/** Stores secrets, each under an account name. Errors contain no secret. */
export interface Keyring {
  /** Returns undefined when there is no entry. */
  read(account: string): Promise<string | undefined>;
  /** Replaces the entry. */
  write(account: string, secret: string): Promise<void>;
  /** Does nothing when there is no entry. */
  remove(account: string): Promise<void>;
}

/** Opens the keyring when it is first needed, because that loads a native library. */
export type OpenKeyring = () => Promise<Keyring>;

/** Writes, reads and deletes an entry. Throws `keyring:unavailable` if the keyring would lose a credential. */
export const probeKeyring = async (keyring: Keyring): Promise<void> => {
  const account = `probe ${randomUUID()}`;
  const probeValue = randomUUID();
  try {
    await keyring.write(account, probeValue);
    if ((await keyring.read(account)) !== probeValue)
      throw keyringUnavailableError("it does not return what was stored");
    await keyring.remove(account);
    if ((await keyring.read(account)) !== undefined)
      throw keyringUnavailableError("it does not delete entries");
  } catch (error) {
    await keyring.remove(account).catch(() => undefined);
    throw error instanceof CliError ? error : keyringUnavailableError(error);
  }
};

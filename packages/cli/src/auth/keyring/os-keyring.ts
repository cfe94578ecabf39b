import { keyringMissing, keyringUnavailable } from "../../errors.js";
import type { Keyring } from "./keyring.js";

/** Under which the entries are found in the system's own program for them. */
const service = "mgmt";

/** Somebody may have to type a password to unlock it; a prompt that nobody sees must not hold the command for ever. */
const patienceMs = 60_000;

/**
 * The keyring of the operating system: Keychain, Credential Manager, Secret Service. On Linux nothing else is taken in its
 * place: the kernel's keyring, the library's own choice where there is no Secret Service, forgets all when the user logs out.
 * Throws `keyring:not_installed`; its methods throw `keyring:unavailable`.
 */
export const openOsKeyring = async (): Promise<Keyring> => {
  const { AsyncEntry } = await load();
  const use = async <T>(
    account: string,
    work: (entry: InstanceType<typeof AsyncEntry>) => Promise<T>,
  ): Promise<T> => {
    try {
      return await inTime(work(new AsyncEntry(service, account, { linux: { store: "secret-service" } })));
    } catch (error) {
      throw keyringUnavailable(error);
    }
  };
  return {
    async read(account) {
      const bytes = await use(account, (entry) => entry.getSecret());
      return bytes === null ? undefined : Buffer.from(bytes).toString("utf8");
    },
    // As bytes: Windows takes 2,560 of them, and would store text with two for each character.
    write: (account, secret) => use(account, (entry) => entry.setSecret(Buffer.from(secret, "utf8"))),
    remove: async (account) => {
      await use(account, (entry) => entry.deleteCredential());
    },
  };
};

/** An optional dependency: where it has no binary for the system, it is not there. */
const load = async (): Promise<typeof import("@napi-rs/keyring")> => {
  try {
    return await import("@napi-rs/keyring");
  } catch (error) {
    throw keyringMissing(error);
  }
};

const inTime = async <T>(work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs / 1_000} s`)), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

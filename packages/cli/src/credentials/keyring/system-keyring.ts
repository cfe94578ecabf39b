import { keyringMissingError, keyringUnavailableError } from "../../errors/storage-errors.js";
import { isStandalone } from "../../system/standalone.js";
import type { Keyring } from "./keyring.js";

/** The service name under which the system's own keyring program lists the entries. */
const serviceName = "mgmt";

/** Long enough to type the keyring's password, short enough that a prompt no one sees does not block the command forever. */
const keyringTimeoutMs = 60_000;

/**
 * Opens the keyring of the operating system: Keychain, Credential Manager or Secret Service. On Linux the library would
 * fall back to the kernel's keyring, which is cleared at logout; that is disabled. Throws `keyring:not_installed`; the
 * methods of the keyring throw `keyring:unavailable`.
 */
export const openSystemKeyring = async (): Promise<Keyring> => {
  const { AsyncEntry } = await loadLibrary();
  const withEntry = async <T>(
    account: string,
    useEntry: (entry: InstanceType<typeof AsyncEntry>) => Promise<T>,
  ): Promise<T> => {
    try {
      return await withTimeout(
        useEntry(new AsyncEntry(serviceName, account, { linux: { store: "secret-service" } })),
      );
    } catch (error) {
      throw keyringUnavailableError(error);
    }
  };
  return {
    async read(account) {
      const bytes = await withEntry(account, (entry) => entry.getSecret());
      return bytes === null ? undefined : Buffer.from(bytes).toString("utf8");
    },
    // Written as bytes, because Windows stores at most 2,560 bytes and would use two for each character of a string.
    write: (account, secret) => withEntry(account, (entry) => entry.setSecret(Buffer.from(secret, "utf8"))),
    remove: async (account) => {
      await withEntry(account, (entry) => entry.deleteCredential());
    },
  };
};

/**
 * Loads the package that opens the keyring. It is an optional dependency, which is missing where it has no binary for the system.
 *
 * @throws `keyring:not_installed`
 */
const loadLibrary = async (): Promise<Pick<typeof import("@napi-rs/keyring"), "AsyncEntry">> => {
  if (isStandalone()) return (await import("./embedded-library.js")).loadEmbeddedLibrary();
  try {
    return await import("@napi-rs/keyring");
  } catch (error) {
    throw keyringMissingError(error);
  }
};

const withTimeout = async <T>(promise: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no response within ${keyringTimeoutMs / 1_000} s`)),
      keyringTimeoutMs,
    );
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

import { profileNamed } from "../profiles/profile.js";
import { readProfiles } from "../profiles/read-profiles.js";
import type { Context } from "../run/context.js";
import { nodeTransport } from "../sdk.js";
import { readKeptLogin, removeFromKeyring, storeOf, writeToken } from "./credential-store.js";
import type { LoginTarget } from "./login-target.js";
import { type Credential, logout, memoryStore, type TokenStore } from "./sdk-auth.js";

/** Keeps a new credential, and puts away the one that was there. */
export interface Replacement {
  readonly store: TokenStore;
  writeToken(token: string): Promise<void>;
  /** Ends the former login at its server, once the new credential is kept. Never throws: the new one stands. */
  putAway(context: Pick<Context, "output" | "signal">): Promise<void>;
}

/** The new credential stands already: a server that is slow must not hold it up. */
const timeoutMs = 5_000;

export const replaceCredential = (target: LoginTarget): Replacement => {
  const { file, name, profile } = target;
  const store = storeOf(target);
  let former: Credential | undefined;
  let leavesKeyring = false;
  // Only now: another process may have refreshed it while the user was in the browser.
  const note = async (): Promise<void> => {
    const kept = profileNamed(readProfiles(file), name);
    leavesKeyring = kept?.inKeyring !== undefined && profile.store !== "keyring";
    former = await readKeptLogin(file, name).catch(() => undefined);
  };
  return {
    store: {
      ...store,
      async write(login) {
        await note();
        await store.write(login);
      },
    },
    async writeToken(token) {
      await note();
      await writeToken(target, token);
    },
    async putAway({ output, signal }) {
      try {
        if (leavesKeyring) await removeFromKeyring(file, name);
      } catch (error) {
        const why = error instanceof Error ? `: ${error.message}` : "";
        const message = `The credential before could not be deleted from the keyring${why}`;
        await output.warn({ code: "keyring:not_deleted", message });
      }
      if (former) await endLogin(former, { output, signal });
    },
  };
};

const endLogin = async (
  former: Credential,
  { output, signal }: Pick<Context, "output" | "signal">,
): Promise<void> => {
  const { issuer, clientId } = former;
  const oauth = { authUrl: issuer, clientId, transport: nodeTransport(), timeoutMs };
  try {
    await logout({ ...oauth, store: memoryStore(former), signal });
  } catch {
    const message = `The login before could not be ended at ${issuer}; it may hold until it runs out`;
    await output.warn({ code: "login:former_not_ended", message });
  }
};

import { busyProfiles } from "../errors.js";
import { profileNamed } from "../profiles/profile.js";
import { readProfiles } from "../profiles/read-profiles.js";
import type { Context } from "../run/context.js";
import { nodeTransport } from "../sdk.js";
import { type Caller, readCaller } from "./caller.js";
import { readKeptLogin, removeFromKeyring, storeOf, writeToken } from "./credential-store.js";
import type { LoginTarget } from "./login-target.js";
import { lockOf } from "./profile-store.js";
import { type Credential, logout, memoryStore, type TokenStore } from "./sdk-auth.js";
import { settleProfile } from "./settle-profile.js";

/** Keeps a new credential once the service has said whose it is, and puts away the one that was there. */
export interface Replacement {
  /** Where the SDK keeps a login. One that the service does not take is ended, and what was there stays. */
  readonly store: TokenStore;
  /** The same for a service token, which goes on to work. */
  keepToken(token: string): Promise<void>;
  /** Whose the credential is; undefined until one is kept. */
  caller(): Caller | undefined;
  /** Ends the former login at its server, once the new credential is kept. Never throws: the new one stands. */
  putAway(): Promise<void>;
}

/** What stands already, or does not, must not be held up by a server that is slow. */
const timeoutMs = 5_000;
/** A refresh that hangs holds the lock for up to half a minute. */
const patienceMs = 32_000;

export const replaceCredential = (
  target: LoginTarget,
  context: Pick<Context, "output" | "signal" | "version">,
): Replacement => {
  const { file, name, profile } = target;
  // Whoever keeps a credential takes the lock itself: not while the service is asked.
  const { lock: _, ...store } = storeOf(target);
  let known: Caller | undefined;
  let former: Credential | undefined;
  let leavesKeyring = false;
  // Only now: another process may have refreshed it while the user was in the browser.
  const note = async (): Promise<void> => {
    const kept = profileNamed(readProfiles(file), name);
    leavesKeyring = kept?.inKeyring !== undefined && profile.store !== "keyring";
    former = await readKeptLogin(file, name).catch(() => undefined);
  };
  // Two logins to one profile: what is kept last is kept whole, with its own workspace.
  const keep = async (caller: Caller, write: () => Promise<void>): Promise<void> => {
    const signal = AbortSignal.timeout(patienceMs);
    const work = async (): Promise<void> => {
      await note();
      await write();
      await settleProfile(target, caller);
    };
    try {
      await lockOf(file, name)(work, { signal });
    } catch (error) {
      throw error === signal.reason ? busyProfiles(file) : error;
    }
    known = caller;
  };
  return {
    store: {
      ...store,
      async write(login) {
        let isKept = false;
        try {
          const caller = await readCaller(profile.baseUrl, login.accessToken, context);
          await keep(caller, async () => {
            await store.write(login);
            isKept = true;
          });
        } catch (error) {
          if (!isKept) await endLogin(login).catch(() => undefined);
          throw error;
        }
      },
    },
    async keepToken(token) {
      const caller = await readCaller(profile.baseUrl, token, context);
      await keep(caller, () => writeToken(target, token));
    },
    caller: () => known,
    async putAway() {
      const { output, signal } = context;
      try {
        if (leavesKeyring) await removeFromKeyring(file, name);
      } catch (error) {
        const why = error instanceof Error ? `: ${error.message}` : "";
        const message = `The credential before could not be deleted from the keyring${why}`;
        await output.warn({ code: "keyring:not_deleted", message });
      }
      if (!former) return;
      try {
        await endLogin(former, signal);
      } catch {
        const message = `The login before could not be ended at ${former.issuer}; it may hold until it runs out`;
        await output.warn({ code: "login:former_not_ended", message });
      }
    },
  };
};

const endLogin = (login: Credential, signal?: AbortSignal): Promise<void> => {
  const oauth = { authUrl: login.issuer, clientId: login.clientId, transport: nodeTransport(), timeoutMs };
  return logout({ ...oauth, store: memoryStore(login), signal });
};

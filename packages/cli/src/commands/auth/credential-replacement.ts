import type { Context } from "../../input/context.js";
import {
  readStoredLogin,
  removeFromKeyring,
  storeOf,
  writeToken,
} from "../../credentials/credential-store.js";
import { type Login, type LoginStore, logout, memoryStore } from "../../sdk/oauth.js";
import { lockOf } from "../../credentials/profile-store.js";
import { busyProfiles } from "../../errors/storage-errors.js";
import { isSameAddress, type Profile, profileNamed } from "../../profiles/profile.js";
import { readProfiles } from "../../profiles/read-profiles.js";
import { updateProfiles } from "../../profiles/update-profiles.js";
import { debugRequests } from "../../transport/debug-requests.js";
import { nodeTransport } from "../../sdk/sdk.js";
import { type Caller, readCaller } from "./caller.js";
import type { LoginTarget } from "./login-target.js";

/** Replaces the credential of a profile. The new one is verified with the service before the old one is replaced. */
export interface CredentialReplacement {
  /**
   * Where the SDK stores a login. A login that the service does not accept is revoked, and the old credential stays. A login of
   * another account than the profile's is stored by `confirm`.
   */
  readonly store: LoginStore;
  /**
   * Stores the login of another account if the user agrees, and otherwise revokes it: somebody else may have finished the login.
   *
   * @param agree Asks the user to agree to the given text. Throws if the user does not.
   */
  confirm(agree: (what: string) => Promise<void>): Promise<void>;
  /** Does the same with a service token, which is not revoked if the service does not accept it. */
  storeToken(token: string): Promise<void>;
  /** Who the new credential belongs to; undefined until it is stored. */
  caller(): Caller | undefined;
  /** Revokes the previous login after the new credential is stored. Warns on failure rather than throwing. */
  endPrevious(): Promise<void>;
}

/** Revoking must not delay the end of the command for long. */
const revokeTimeoutMs = 5_000;
/** A refresh in another process that hangs holds the lock for up to half a minute. */
const lockTimeoutMs = 32_000;

export const credentialReplacement = (
  target: LoginTarget,
  context: Pick<Context, "output" | "signal" | "version" | "insecureAddresses" | "changes">,
): CredentialReplacement => {
  const { file, name, profile } = target;
  // The SDK must not hold the lock while the service is asked for the caller; `save` takes it.
  const { lock: _, ...store } = storeOf(target);
  const account = accountOf(target);
  let savedCaller: Caller | undefined;
  let previous: Login | undefined;
  let leavesKeyring = false;
  // Read under the lock: another process may have refreshed it while the user was in the browser.
  const readPrevious = async (): Promise<void> => {
    const stored = profileNamed(readProfiles(file), name);
    leavesKeyring = stored?.inKeyring !== undefined && profile.store !== "keyring";
    previous = await readStoredLogin(file, name).catch(() => undefined);
  };
  // Of two concurrent logins to one profile, the last one is stored with its own workspace.
  const save = async (caller: Caller, write: () => Promise<void>): Promise<void> => {
    const signal = AbortSignal.timeout(lockTimeoutMs);
    const work = async (): Promise<void> => {
      await readPrevious();
      await write();
      await saveDefaults(target, caller);
    };
    try {
      await lockOf(file, name)(work, { signal });
    } catch (error) {
      throw error === signal.reason ? busyProfiles(file) : error;
    }
    savedCaller = caller;
  };
  let unexpected: { login: Login; caller: Caller } | undefined;
  const stored = new Set<Login>();
  const keep = (login: Login, caller: Caller): Promise<void> =>
    save(caller, async () => {
      await store.write(login);
      stored.add(login);
    });
  const orRevoked = async (login: Login, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!stored.has(login)) await revoke(login, context).catch(() => undefined);
      throw error;
    }
  };
  return {
    store: {
      ...store,
      write: (login) =>
        orRevoked(login, async () => {
          const caller = await readCaller(target.baseUrl, login.accessToken, context);
          if (account === undefined || caller.user === account) await keep(login, caller);
          else unexpected = { login, caller };
        }),
    },
    async confirm(agree) {
      if (account === undefined || !unexpected) return;
      const { login, caller } = unexpected;
      const { user, workspace } = caller;
      const who = `${user ?? "an unknown user"}${workspace === null ? "" : ` in workspace ${workspace}`}`;
      await orRevoked(login, async () => {
        await agree(`replace the login of ${account} in profile ${name} by that of ${who}`);
        await keep(login, caller);
      });
    },
    async storeToken(token) {
      const caller = await readCaller(target.baseUrl, token, context);
      await save(caller, () => writeToken(target, token));
    },
    caller: () => savedCaller,
    async endPrevious() {
      const { output } = context;
      try {
        if (leavesKeyring) await removeFromKeyring(file, name);
      } catch (error) {
        const why = error instanceof Error ? `: ${error.message}` : "";
        const message = `The previous credential could not be deleted from the keyring${why}`;
        await output.warn({ code: "keyring:not_deleted", message });
      }
      if (!previous) return;
      try {
        await revoke(previous, context, context.signal);
      } catch {
        const message = `The previous login could not be revoked at ${previous.issuer}; it may stay valid until it expires`;
        await output.warn({ code: "login:former_not_ended", message });
      }
    },
  };
};

/** Returns the account whose login the profile has, if it is for the same service. */
const accountOf = ({ file, name, profile }: LoginTarget): string | undefined => {
  const stored = profileNamed(readProfiles(file), name);
  const isLogin = stored?.login !== undefined || stored?.inKeyring === "login";
  return isLogin && isSameAddress(stored.baseUrl, profile.baseUrl) ? stored.account : undefined;
};

const revoke = (
  login: Login,
  { output, insecureAddresses }: Pick<Context, "output" | "insecureAddresses">,
  signal?: AbortSignal,
): Promise<void> => {
  const { issuer: authUrl, clientId } = login;
  const oauth = {
    authUrl,
    allowInsecureHttp: insecureAddresses.isAllowed,
    clientId,
    transport: debugRequests(nodeTransport(), output),
    timeoutMs: revokeTimeoutMs,
  };
  return logout({ ...oauth, store: memoryStore(login), signal });
};

const noDefaults: Partial<Profile> = {};

/** Makes the workspace of the stored credential the profile's default, and the first profile the active one. */
const saveDefaults = async (
  { file, name, profile }: LoginTarget,
  { user, workspaceId }: Caller,
): Promise<void> => {
  await updateProfiles(file, (all) => {
    const stored = profileNamed(all, name);
    const active = profileNamed(all, all.active) ? all.active : name;
    const { login, token, inKeyring } = stored ?? {};
    const { projectId: _, workspaceId: __, ...rest } = profile;
    // `mgmt auth switch` may have changed the defaults meanwhile. Those of another service mean nothing here.
    const isSameService = stored !== undefined && isSameAddress(stored.baseUrl, profile.baseUrl);
    const { projectId, workspaceId: previousWorkspace } = isSameService ? stored : noDefaults;
    const next = {
      ...rest,
      ...(login && { login }),
      ...(token !== undefined && { token }),
      ...(inKeyring !== undefined && { inKeyring }),
      ...(user !== null && { account: user }),
      ...(workspaceId !== null && { workspaceId }),
      // A project of another workspace would not be found.
      ...(projectId !== undefined && previousWorkspace === workspaceId && { projectId }),
    };
    return { ...all, ...(active !== undefined && { active }), profiles: { ...all.profiles, [name]: next } };
  });
};

import type { Context } from "../../input/context.js";
import {
  readStoredLogin,
  deleteKeyringEntry,
  createLoginStore,
  storeToken,
} from "../../credentials/credential-store.js";
import { type Login, type LoginStore, logout, memoryStore } from "../../sdk/oauth.js";
import { createCredentialLock } from "../../credentials/profile-store.js";
import { busyProfilesError } from "../../errors/storage-errors.js";
import { isSameUrl, type Profile, findProfile } from "../../profiles/profile.js";
import { readProfiles } from "../../profiles/read-profiles.js";
import { updateProfiles } from "../../profiles/update-profiles.js";
import { observeRequests } from "../../transport/observe-requests.js";
import { nodeTransport } from "../../sdk/sdk.js";
import { type TokenOwner, readTokenOwner } from "./token-owner.js";
import type { LoginTarget } from "./login-target.js";

/** Replaces the credential of a profile. The new one is verified with the service before the old one is replaced. */
export interface CredentialReplacement {
  /**
   * Where the SDK stores a login. A login that the service does not accept is revoked, and the old credential stays. A login of
   * another account than the profile's waits for `storeOtherAccount`.
   */
  readonly loginStore: LoginStore;
  /**
   * Does nothing unless the login is one of another account than the profile's. Stores such a login if the user agrees, and otherwise
   * revokes it: another user may have finished the login. Call it after the login.
   *
   * @param confirmAction asks the user to agree to an action, such as `replace the login`. Throws if the user does not.
   */
  storeOtherAccount(confirmAction: (action: string) => Promise<void>): Promise<void>;
  /** Stores a service token instead, which is not revoked if the service does not accept it. */
  replaceByToken(token: string): Promise<void>;
  /** Who the new credential belongs to; undefined until it is stored. */
  getTokenOwner(): TokenOwner | undefined;
  /**
   * Deletes the previous credential from the keyring if the new one is not stored there, and revokes a previous login. Call it after the
   * new credential is stored. Warns on failure rather than throwing.
   */
  discardPreviousCredential(): Promise<void>;
}

/** Revoking must not delay the end of the command for long. */
const revokeTimeoutMs = 5_000;
/** A refresh in another process that hangs holds the lock for up to half a minute. */
const lockTimeoutMs = 32_000;

export const createCredentialReplacement = (
  target: LoginTarget,
  context: Pick<Context, "output" | "signal" | "version" | "insecureUrls" | "changeTracker">,
): CredentialReplacement => {
  const { file, name, profile } = target;
  // The SDK must not hold the lock while the service is asked for the caller; `replaceUnderLock` takes it.
  const { lock: _, ...store } = createLoginStore(target);
  const storedAccount = readStoredAccount(target);
  let newOwner: TokenOwner | undefined;
  let previousLogin: Login | undefined;
  let movesOutOfKeyring = false;
  // Read under the lock: another process may have refreshed it while the user was in the browser.
  const recordPreviousCredential = async (): Promise<void> => {
    const storedProfile = findProfile(readProfiles(file), name);
    movesOutOfKeyring = storedProfile?.inKeyring !== undefined && profile.store !== "keyring";
    previousLogin = await readStoredLogin(file, name).catch(() => undefined);
  };
  // The lock covers all writes, so that the last of two concurrent logins to a profile is stored with its own workspace.
  const replaceUnderLock = async (
    tokenOwner: TokenOwner,
    writeCredential: () => Promise<void>,
  ): Promise<void> => {
    const signal = AbortSignal.timeout(lockTimeoutMs);
    const replaceCredential = async (): Promise<void> => {
      await recordPreviousCredential();
      await writeCredential();
      await updateStoredProfile(target, tokenOwner);
    };
    try {
      await createCredentialLock(file, name)(replaceCredential, { signal });
    } catch (error) {
      throw error === signal.reason ? busyProfilesError(file) : error;
    }
    newOwner = tokenOwner;
  };
  let otherAccountLogin: { login: Login; caller: TokenOwner } | undefined;
  const storedLogins = new Set<Login>();
  const storeLogin = (login: Login, tokenOwner: TokenOwner): Promise<void> =>
    replaceUnderLock(tokenOwner, async () => {
      await store.write(login);
      storedLogins.add(login);
    });
  const revokeOnFailure = async (login: Login, action: () => Promise<void>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      if (!storedLogins.has(login)) await revoke(login, context).catch(() => undefined);
      throw error;
    }
  };
  return {
    loginStore: {
      ...store,
      write: (login) =>
        revokeOnFailure(login, async () => {
          const tokenOwner = await readTokenOwner(target.baseUrl, login.accessToken, context);
          if (storedAccount === undefined || tokenOwner.user === storedAccount)
            await storeLogin(login, tokenOwner);
          else otherAccountLogin = { login, caller: tokenOwner };
        }),
    },
    async storeOtherAccount(confirmAction) {
      if (storedAccount === undefined || !otherAccountLogin) return;
      const { login, caller: tokenOwner } = otherAccountLogin;
      const { user, workspace } = tokenOwner;
      const newAccountText = `${user ?? "an unknown user"}${workspace === null ? "" : ` in workspace ${workspace}`}`;
      await revokeOnFailure(login, async () => {
        await confirmAction(
          `replace the login of ${storedAccount} in profile ${name} by that of ${newAccountText}`,
        );
        await storeLogin(login, tokenOwner);
      });
    },
    async replaceByToken(token) {
      const tokenOwner = await readTokenOwner(target.baseUrl, token, context);
      await replaceUnderLock(tokenOwner, () => storeToken(target, token));
    },
    getTokenOwner: () => newOwner,
    async discardPreviousCredential() {
      const { output } = context;
      try {
        if (movesOutOfKeyring) await deleteKeyringEntry(file, name);
      } catch (error) {
        const reasonText = error instanceof Error ? `: ${error.message}` : "";
        const message = `The previous credential could not be deleted from the keyring${reasonText}`;
        await output.warn({ code: "keyring:not_deleted", message });
      }
      if (!previousLogin) return;
      try {
        await revoke(previousLogin, context, context.signal);
      } catch {
        const message = `The previous login could not be revoked at ${previousLogin.issuer}; it may stay valid until it expires`;
        await output.warn({ code: "login:former_not_ended", message });
      }
    },
  };
};

/** Returns the account whose login the profile has, if it is for the same service. */
const readStoredAccount = ({ file, name, profile }: LoginTarget): string | undefined => {
  const storedProfile = findProfile(readProfiles(file), name);
  const isLogin = storedProfile?.login !== undefined || storedProfile?.inKeyring === "login";
  return isLogin && isSameUrl(storedProfile.baseUrl, profile.baseUrl) ? storedProfile.account : undefined;
};

const revoke = (
  login: Login,
  { output, trace, insecureUrls }: Pick<Context, "output" | "trace" | "insecureUrls">,
  signal?: AbortSignal,
): Promise<void> => {
  const { issuer: authUrl, clientId } = login;
  const oauth = {
    authUrl,
    allowInsecureHttp: insecureUrls.isAllowed,
    clientId,
    transport: observeRequests(nodeTransport(), { output, trace }),
    timeoutMs: revokeTimeoutMs,
  };
  return logout({ ...oauth, store: memoryStore(login), signal });
};

const emptyProfile: Partial<Profile> = {};

/**
 * Stores the settings and the account of the profile. Its default workspace is the workspace of the credential. The first profile
 * becomes the active profile.
 */
const updateStoredProfile = async (
  { file, name, profile }: LoginTarget,
  { user, workspaceId }: TokenOwner,
): Promise<void> => {
  await updateProfiles(file, (storedProfiles) => {
    const storedProfile = findProfile(storedProfiles, name);
    const activeName = findProfile(storedProfiles, storedProfiles.active) ? storedProfiles.active : name;
    const { login, token, inKeyring } = storedProfile ?? {};
    const { projectId: _, workspaceId: __, ...profileWithoutIds } = profile;
    // `mgmt auth switch` may have changed the defaults meanwhile. Defaults of another service mean nothing here.
    const isSameService = storedProfile !== undefined && isSameUrl(storedProfile.baseUrl, profile.baseUrl);
    const { projectId, workspaceId: previousWorkspaceId } = isSameService ? storedProfile : emptyProfile;
    const updatedProfile = {
      ...profileWithoutIds,
      ...(login && { login }),
      ...(token !== undefined && { token }),
      ...(inKeyring !== undefined && { inKeyring }),
      ...(user !== null && { account: user }),
      ...(workspaceId !== null && { workspaceId }),
      // A project of another workspace would not be found.
      ...(projectId !== undefined && previousWorkspaceId === workspaceId && { projectId }),
    };
    return {
      ...storedProfiles,
      ...(activeName !== undefined && { active: activeName }),
      profiles: { ...storedProfiles.profiles, [name]: updatedProfile },
    };
  });
};

import type { Context, GlobalFlags } from "../../input/context.js";
import { readStoredLogin, createLoginStore } from "../../credentials/credential-store.js";
import { logout } from "../../sdk/oauth.js";
import { selectExistingProfile } from "../../profiles/active-profile.js";
import { announceLinkedProfile } from "../../profiles/announce-link.js";
import { devLoginHint } from "../../errors/access-errors.js";
import { hasCredential, isDevProfile } from "../../profiles/profile.js";
import { assertDevServiceIsGenuine } from "../../credentials/dev-service-proof.js";
import { nodeTransport } from "../../sdk/sdk.js";
import { observeRequests } from "../../transport/observe-requests.js";

/** Removes the credential from a profile, and revokes a login at its authorization server. The profile stays. */
export const runLogout = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const { signal, output, insecureUrls } = context;
  const selectedProfile = selectExistingProfile(flags, context);
  const { file, name, profile } = selectedProfile;
  if (!name || !profile || !hasCredential(profile)) {
    return output.info(name ? `Profile ${name.value} is not logged in.` : "You are not logged in.");
  }
  announceLinkedProfile(selectedProfile, context);
  await output.implicitSettings.announceForChange();
  const store = createLoginStore({ file, name: name.value, profile });
  const login = await readStoredLogin(file, name.value);
  if (login) {
    // The login is revoked where it was issued, even if the profile names another server now.
    const { issuer: authUrl, clientId } = login;
    await assertDevServiceIsGenuine(name.value, profile, context).catch(async (error: unknown) => {
      // The login is removed even if no `mgmt dev` runs that could revoke it.
      await store.clear();
      throw error;
    });
    await insecureUrls.assertAllowed({ value: authUrl, from: `profile ${name.value}` });
    await logout({
      authUrl,
      allowInsecureHttp: insecureUrls.isAllowed,
      clientId,
      transport: observeRequests(nodeTransport(), context),
      store,
      signal,
    });
    return output.info(`Logged out of profile ${name.value}.`);
  }
  await store.clear();
  // No login could be revoked, because another program had deleted the keyring entry.
  if (profile.inKeyring === "login") return output.info(`Logged out of profile ${name.value}.`);
  const restartHint = isDevProfile(profile) ? ` ${devLoginHint}` : "";
  output.info(
    `Removed the token of profile ${name.value}. The token stays valid until it is deleted.${restartHint}`,
  );
};

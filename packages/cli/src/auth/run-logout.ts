import { activeProfile } from "../profiles/active-profile.js";
import type { Context, GlobalFlags } from "../run/context.js";
import { holdsCredential } from "../profiles/profile.js";
import { nodeTransport } from "../sdk.js";
import { readKeptLogin, storeOf } from "./credential-store.js";
import { logout } from "./sdk-auth.js";

/** Forgets the credential of a profile, and has the authorization server end a login. The profile stays. */
export const runLogout = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const { env, signal, output } = context;
  const { file, name, profile } = activeProfile(flags, env);
  if (!name || !profile || !holdsCredential(profile)) {
    return output.say(name ? `Nobody is logged in to profile ${name.value}.` : "Nobody is logged in.");
  }
  const store = storeOf({ file, name: name.value, profile });
  const login = await readKeptLogin(file, name.value);
  if (login) {
    // Its own server is asked, whatever the profile says by now.
    await logout({
      authUrl: login.issuer,
      clientId: login.clientId,
      transport: nodeTransport(),
      store,
      signal,
    });
    return output.say(`Logged out of profile ${name.value}.`);
  }
  await store.clear();
  // Somebody has deleted the entry of the keyring.
  if (profile.inKeyring === "login") return output.say(`Logged out of profile ${name.value}.`);
  output.say(`The token of profile ${name.value} is forgotten here; it goes on to work until it is deleted.`);
};

import type { Context } from "../../input/context.js";
import { isSameUrl } from "../../profiles/profile.js";
import { readProfiles } from "../../profiles/read-profiles.js";
import { readPrivateFile } from "../../files/private-file.js";
import { getDevUrl, isServiceGenuine } from "../../credentials/dev-service-proof.js";

/**
 * Returns the sign-in key of the `mgmt dev` that this user runs at the URL, which its profile locates. Returns
 * undefined if there is none, or if its file could have been written or read by anyone else.
 *
 * @param path the profiles file.
 */
export const findSignInKey = async (
  path: string,
  authUrl: string,
  context: Pick<Context, "output" | "signal">,
): Promise<string | undefined> => {
  for (const profile of Object.values(readProfiles(path).profiles)) {
    const { signInKeyFile } = profile;
    if (signInKeyFile === undefined || !isSameUrl(getDevUrl(profile) ?? "", authUrl)) continue;
    if (await isServiceGenuine(profile, context)) return readPrivateFile(signInKeyFile);
  }
  return undefined;
};

/** Returns a URL that also sends the key. A fragment is not part of requests or referrers. */
export const addSignInKeyToUrl = (url: string, key: string | undefined): string =>
  key === undefined ? url : `${url}#signInKey=${key}`;

import type { Platform } from "@mgmt/platform";
import { profilesFile } from "../profiles/read-profiles.js";
import { updateProfile } from "../profiles/update-profiles.js";
import type { Context } from "../run/context.js";

/** The profile of the service that `mgmt dev` ran last. */
export const localProfile = "local";

/**
 * Makes the service known as profile `local`, for `mgmt login --profile local`. A login of another address is forgotten with
 * it. The service runs on when the file cannot be written.
 */
export const registerLocal = async (
  { ready }: Pick<Platform, "ready">,
  { env, output }: Pick<Context, "env" | "output">,
): Promise<void> => {
  const { baseUrl, authUrl, controlUrl, controlSecretFile } = ready;
  const place = { baseUrl, authUrl, controlUrl, controlSecretFile };
  try {
    await updateProfile(profilesFile(env), localProfile, (before) => {
      if (before?.baseUrl === baseUrl && before.authUrl === authUrl) return { ...before, ...place };
      return { ...place, ...(before?.store && { store: before.store }) };
    });
  } catch (error) {
    const problem = error instanceof Error ? error.message : "unknown reason";
    await output.warn({
      code: "profile:not_registered",
      message: `Profile ${localProfile} was not registered: ${problem}`,
    });
  }
};

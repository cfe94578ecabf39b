import type { Platform } from "@mgmt/platform";
import type { Context } from "../../context.js";
import { profilesFile } from "../../profiles/read-profiles.js";
import { updateProfile } from "../../profiles/update-profiles.js";

/** The profile of the service that `mgmt dev` ran last. */
export const localProfile = "local";

/**
 * Registers the service as profile `local`, for `mgmt login --profile local`. A login for another address is removed. If
 * the profiles file cannot be written, warns and continues.
 */
export const registerLocal = async (
  { ready }: Pick<Platform, "ready">,
  { env, output }: Pick<Context, "env" | "output">,
): Promise<void> => {
  const { baseUrl, authUrl, controlUrl, controlSecretFile } = ready;
  const addresses = { baseUrl, authUrl, controlUrl, controlSecretFile };
  try {
    await updateProfile(profilesFile(env), localProfile, (before) => {
      if (before?.baseUrl === baseUrl && before.authUrl === authUrl) return { ...before, ...addresses };
      return { ...addresses, ...(before?.store && { store: before.store }) };
    });
  } catch (error) {
    const problem = error instanceof Error ? error.message : "unknown reason";
    await output.warn({
      code: "profile:not_registered",
      message: `Profile ${localProfile} was not registered: ${problem}`,
    });
  }
};

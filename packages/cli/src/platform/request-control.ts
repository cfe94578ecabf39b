import type { Context, GlobalFlags } from "../input/context.js";
import { devNotRunningError } from "../errors/access-errors.js";
import { missingControlError } from "../errors/run-errors.js";
import { invalidAddressError } from "../errors/usage-errors.js";
import { announceLinkedProfile } from "../profiles/announce-link.js";
import { chooseProfile } from "../profiles/active-profile.js";
import { localProfileName, type Profile, findProfile, findRunningProfile } from "../profiles/profile.js";
import { canProveOwnService } from "../credentials/own-service.js";
import { callControl } from "./control.js";

export interface ControlFlags extends GlobalFlags {
  readonly controlUrl?: string;
  readonly controlSecretFile?: string;
}

/**
 * Sends a request to the control surface that the flags, the environment, or a profile names.
 *
 * @throws XX
 */
export const requestControl = async (
  method: "GET" | "POST",
  path: string,
  fields: object | undefined,
  flags: ControlFlags,
  context: Context,
): Promise<unknown> => {
  const { url, secretFile, profile } = findControl(flags, context);
  if (profile && !(await canProveOwnService(profile.value, context)))
    throw devNotRunningError(profile.name, url);
  const secret = await context.sources.readSecret(secretFile, "--control-secret-file");
  return callControl({ url, secret }, method, path, fields, context);
};

/**
 * Returns the control surface from flags, else the environment, else the profile that commands use, else the profile of a
 * running `mgmt dev`, else profile `local`.
 */
const findControl = (
  { controlUrl, controlSecretFile, ...flags }: ControlFlags,
  context: Pick<Context, "env" | "cwd" | "output">,
): { url: string; secretFile: string; profile?: { name: string; value: Profile } } => {
  const { env } = context;
  const url = controlUrl ?? env["MGMT_CONTROL_URL"]?.trim();
  const secretFile = controlSecretFile ?? env["MGMT_CONTROL_SECRET_FILE"]?.trim();
  if (url && secretFile) return { url: normalizeControlUrl(url), secretFile };
  const profileChoice = chooseProfile(flags, context);
  const { profiles, profile, name } = profileChoice;
  const chosenName = profile?.controlUrl === undefined ? undefined : name?.value;
  if (chosenName !== undefined) announceLinkedProfile(profileChoice, context);
  const profileName = chosenName ?? findRunningProfile(profiles) ?? localProfileName;
  const controlProfile = findProfile(profiles, profileName);
  // A lone URL or file is not completed from the profile: the secret of one service must not be sent to another.
  if (url || secretFile || !controlProfile?.controlUrl || !controlProfile.controlSecretFile)
    throw missingControlError();
  const { controlUrl: profileUrl, controlSecretFile: profileSecretFile } = controlProfile;
  return {
    url: normalizeControlUrl(profileUrl),
    secretFile: profileSecretFile,
    profile: { name: profileName, value: controlProfile },
  };
};

const normalizeControlUrl = (url: string): string => {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw invalidAddressError("--control-url", "must be an absolute URL", "http://127.0.0.1:4300/_control");
  }
  return url.replace(/\/+$/, "");
};

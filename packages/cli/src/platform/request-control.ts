import type { Context, GlobalFlags } from "../input/context.js";
import { devNotRunning } from "../errors/access-errors.js";
import { noControl } from "../errors/run-errors.js";
import { badAddress } from "../errors/usage-errors.js";
import { announceLinkedProfile } from "../profiles/announce-link.js";
import { chooseProfile } from "../profiles/active-profile.js";
import { localProfile, type Profile, profileNamed, runningProfile } from "../profiles/profile.js";
import { isOwnService } from "../credentials/own-service.js";
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
  if (profile && !(await isOwnService(profile.value, context))) throw devNotRunning(profile.name, url);
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
  if (url && secretFile) return { url: normalized(url), secretFile };
  const choice = chooseProfile(flags, context);
  const { profiles, profile, name } = choice;
  const chosen = profile?.controlUrl === undefined ? undefined : name?.value;
  if (chosen !== undefined) announceLinkedProfile(choice, context);
  const knownName = chosen ?? runningProfile(profiles) ?? localProfile;
  const known = profileNamed(profiles, knownName);
  // A lone URL or file is not completed from the profile: the secret of one service must not be sent to another.
  if (url || secretFile || !known?.controlUrl || !known.controlSecretFile) throw noControl();
  const { controlUrl: knownUrl, controlSecretFile: knownFile } = known;
  return { url: normalized(knownUrl), secretFile: knownFile, profile: { name: knownName, value: known } };
};

const normalized = (url: string): string => {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw badAddress("--control-url", "must be an absolute URL", "http://127.0.0.1:4300/_control");
  }
  return url.replace(/\/+$/, "");
};

import type { Context, GlobalFlags } from "../input/context.js";
import { devNotRunningError } from "../errors/dev-errors.js";
import { controlIncompleteError, controlNotFoundError } from "../errors/control-errors.js";
import { invalidUrlError } from "../errors/usage-errors.js";
import { announceLinkedProfile } from "../profiles/announce-link.js";
import { selectProfile, type ValueWithSource } from "../profiles/active-profile.js";
import { localProfileName, type Profile, findProfile, findRunningProfile } from "../profiles/profile.js";
import { isServiceGenuine } from "../credentials/dev-service-proof.js";
import { callControl } from "./control.js";

/** The flags with the URL of the control surface and its secret. Default: the control surface of the `mgmt dev` that runs. */
export interface ControlFlags extends GlobalFlags {
  readonly controlUrl?: string;
  readonly controlSecretFile?: string;
}

/**
 * Sends a request to the control surface that the flags, the environment, or a profile names.
 *
 * @throws CliError `control:not_found` if half of the setting is missing, `control:unreachable`, `control:refused`, `dev:not_running`, or `usage:unreadable_file`.
 */
export const requestControl = async (
  method: "GET" | "POST",
  path: string,
  fields: object | undefined,
  flags: ControlFlags,
  context: Context,
): Promise<unknown> => {
  const { url, secretFile, profile } = resolveControl(flags, context);
  if (profile && !(await isServiceGenuine(profile.value, context)))
    throw devNotRunningError(profile.name, url.value, profile.value.folder);
  const { implicitSettings } = context.output;
  await (method === "GET" ? implicitSettings.announceForRead() : implicitSettings.announceForChange());
  const secret = await context.sources.readSecret(secretFile.value, secretFile.from);
  return callControl({ url: url.value, secret, from: url.from }, method, path, fields, context);
};

interface ControlChoice {
  readonly url: ValueWithSource<string>;
  readonly secretFile: ValueWithSource<string>;
  readonly profile?: { readonly name: string; readonly value: Profile };
}

/**
 * Returns the control surface from flags, else the environment, else the profile that commands use, else the profile of a
 * running `mgmt dev`, else profile `local`.
 */
const resolveControl = (
  { controlUrl, controlSecretFile, ...flags }: ControlFlags,
  context: Pick<Context, "env" | "cwd" | "output">,
): ControlChoice => {
  const url = readControlSetting(controlUrl, urlSources, context);
  const secretFile = readControlSetting(controlSecretFile, secretFileSources, context);
  if (url && secretFile) return { url: normalizeControlUrl(url), secretFile };
  // A lone URL or file is not completed from the profile: the secret of one service must not be sent to another.
  if (url) throw controlIncompleteError(url.from, secretFileSources);
  if (secretFile) throw controlIncompleteError(secretFile.from, urlSources);
  const selectedProfile = selectProfile(flags, context);
  const { storedProfiles, profile, name } = selectedProfile;
  const chosenName = profile?.controlUrl === undefined ? undefined : name?.value;
  if (chosenName !== undefined) announceLinkedProfile(selectedProfile, context);
  const profileName = chosenName ?? findRunningProfile(storedProfiles) ?? localProfileName;
  const controlProfile = findProfile(storedProfiles, profileName);
  if (!controlProfile?.controlUrl || !controlProfile.controlSecretFile) throw controlNotFoundError();
  const from = `profile ${profileName}`;
  return {
    url: normalizeControlUrl({ value: controlProfile.controlUrl, from }),
    secretFile: { value: controlProfile.controlSecretFile, from },
    profile: { name: profileName, value: controlProfile },
  };
};

interface SettingSources {
  readonly flag: string;
  readonly variable: string;
}

const urlSources: SettingSources = { flag: "--control-url", variable: "MGMT_CONTROL_URL" };
const secretFileSources: SettingSources = {
  flag: "--control-secret-file",
  variable: "MGMT_CONTROL_SECRET_FILE",
};

/** Returns the value of a flag, else the value of its variable. */
const readControlSetting = (
  flagValue: string | undefined,
  { flag, variable }: SettingSources,
  { env }: Pick<Context, "env">,
): ValueWithSource<string> | undefined => {
  if (flagValue !== undefined) return { value: flagValue, from: flag };
  const variableValue = env[variable]?.trim();
  return variableValue ? { value: variableValue, from: variable } : undefined;
};

const normalizeControlUrl = ({ value, from }: ValueWithSource<string>): ValueWithSource<string> => {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) {
    throw invalidUrlError(from, "must be an absolute URL", "http://127.0.0.1:4300/_control");
  }
  return { value: value.replace(/\/+$/, ""), from };
};

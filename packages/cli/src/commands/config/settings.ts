import type { Context, GlobalFlags } from "../../input/context.js";
import { invalidValueError, usageError } from "../../errors/usage-errors.js";
import { assertId } from "../../input/ids.js";
import type { NameableType } from "../../contract/nameable-types.js";
import { outputFormats } from "../../output/output-format.js";
import type { SelectedProfile } from "../../profiles/active-profile.js";
import { findDefault } from "../../profiles/defaults.js";
import { findProtection } from "../../profiles/protection.js";
import type { Profile } from "../../profiles/profile.js";
import { assertServiceUrl } from "../../profiles/resolve-access.js";
import { readAuthUrlVariable, readServiceVariable } from "../../profiles/service-variables.js";
import { formatSuggestion } from "../../text/suggest.js";
import { updateNoticeVariables } from "../../installation/update-notice-variables.js";
import { stripUrlCredentials } from "../../text/strip-url-credentials.js";

/** The value of a setting that commands use, and where it comes from, or null if there is none. */
export interface EffectiveValue {
  readonly value: string | null;
  readonly from: string | null;
}

/** A setting as `mgmt config` prints it. */
export interface PrintedSetting extends EffectiveValue {
  readonly key: string;
}

/** The flags, context and profile that determine a value. */
interface SettingLookup {
  readonly flags: GlobalFlags;
  readonly context: Context;
  readonly selectedProfile: SelectedProfile;
}

/** A default that a profile stores. */
export interface Setting {
  /** The field of a profile that stores the setting. */
  readonly profileField:
    | "baseUrl"
    | "authUrl"
    | "output"
    | "pager"
    | "updateNotice"
    | "protect"
    | "workspaceId"
    | "projectId";
  readonly help: string;
  /** The values that completion offers. Absent if there are many. */
  readonly values?: readonly string[];
  /** Kind of the resource whose id it is. */
  readonly resourceType?: NameableType;
  /** Parses a value. Throws a usage error. */
  readonly parse: (rawValue: string, context: Context) => Promise<string | boolean>;
  /** Looks where a flag or variable comes before the profile. */
  readonly findOverride: (lookup: SettingLookup) => EffectiveValue | undefined;
  readonly fallback: EffectiveValue;
}

const unsetValue: EffectiveValue = { value: null, from: null };

const createUrlParser =
  (key: string) =>
  async (rawValue: string): Promise<string> => {
    await assertServiceUrl({ value: rawValue, from: key });
    return rawValue;
  };

const createIdParser =
  (key: string) =>
  (rawValue: string): Promise<string> => {
    assertId(key, rawValue);
    return Promise.resolve(rawValue);
  };

const parseChoice = <T>(key: string, rawValue: string, values: Readonly<Record<string, T>>): Promise<T> => {
  const names = Object.keys(values);
  const value = Object.hasOwn(values, rawValue) ? values[rawValue] : undefined;
  if (value !== undefined) return Promise.resolve(value);
  throw invalidValueError(
    key,
    `cannot be ${JSON.stringify(rawValue)}`,
    `${formatSuggestion(rawValue, names)}Allowed: ${names.join(", ")}.`,
  );
};

const parseSwitch = (key: string, rawValue: string): Promise<boolean> =>
  parseChoice(key, rawValue, { on: true, off: false, true: true, false: false });

const createIdOverride =
  (name: "projectId" | "workspaceId") =>
  ({ flags, context, selectedProfile }: SettingLookup): EffectiveValue | undefined =>
    findDefault(name, flags, context, () => selectedProfile);

/** The settings, by the key that users type. */
export const settings: Readonly<Record<string, Setting>> = {
  "base-url": {
    profileField: "baseUrl",
    help: "URL of the service, without /v1",
    parse: createUrlParser("base-url"),
    findOverride: ({ flags, context }) => {
      if (flags.baseUrl !== undefined) return { value: flags.baseUrl, from: "--base-url" };
      const value =
        flags.profile === undefined ? readServiceVariable("MGMT_BASE_URL", context.env) : undefined;
      return value === undefined ? undefined : { value, from: "MGMT_BASE_URL" };
    },
    fallback: unsetValue,
  },
  "auth-url": {
    profileField: "authUrl",
    help: "URL of the authorization server, for logins",
    parse: createUrlParser("auth-url"),
    findOverride: ({ flags, context }) => readAuthUrlVariable(flags, context.env),
    fallback: unsetValue,
  },
  "workspace-id": {
    profileField: "workspaceId",
    help: "default workspace",
    resourceType: "workspace",
    parse: createIdParser("workspace-id"),
    findOverride: createIdOverride("workspaceId"),
    fallback: unsetValue,
  },
  "project-id": {
    profileField: "projectId",
    help: "default project",
    resourceType: "project",
    parse: createIdParser("project-id"),
    findOverride: createIdOverride("projectId"),
    fallback: unsetValue,
  },
  output: {
    profileField: "output",
    help: `output format: ${outputFormats.join(", ")}`,
    values: outputFormats,
    parse: (rawValue) =>
      parseChoice("output", rawValue, Object.fromEntries(outputFormats.map((format) => [format, format]))),
    findOverride: ({ flags }) =>
      flags.output === undefined ? undefined : { value: flags.output, from: "--output" },
    fallback: { value: "table", from: "default" },
  },
  pager: {
    profileField: "pager",
    help: "whether a long list is shown in a pager: on, off",
    values: ["on", "off"],
    parse: (rawValue) => parseSwitch("pager", rawValue),
    findOverride: ({ flags, context }) => {
      if (flags.pager === false) return { value: "off", from: "--no-pager" };
      return context.env["NO_PAGER"] ? { value: "off", from: "NO_PAGER" } : undefined;
    },
    fallback: { value: "on", from: "default" },
  },
  protect: {
    profileField: "protect",
    help: "whether what deletes, restores, rotates or overwrites asks for the name of the resource: on, off",
    values: ["on", "off"],
    parse: (rawValue) => parseSwitch("protect", rawValue),
    findOverride: ({ flags, context, selectedProfile }) =>
      selectedProfile.link && findProtection(flags, context) === selectedProfile.link.file
        ? { value: "on", from: selectedProfile.link.file }
        : undefined,
    fallback: { value: "off", from: "default" },
  },
  "update-notice": {
    profileField: "updateNotice",
    help: "whether a notice tells of a newer mgmt: on, off",
    values: ["on", "off"],
    parse: (rawValue) => parseSwitch("update-notice", rawValue),
    findOverride: ({ context }) => {
      const variable = updateNoticeVariables.find((name) => context.env[name]);
      return variable === undefined ? undefined : { value: "off", from: variable };
    },
    fallback: { value: "on", from: "default" },
  },
};

/** Returns the setting with a key such as `base-url`; undefined if there is none. */
export const findSettingByKey = (key: string): Setting | undefined =>
  Object.hasOwn(settings, key) ? settings[key] : undefined;

/** Returns a setting. Throws a usage error for an unknown key. */
export const getSetting = (key: string): Setting => {
  const setting = findSettingByKey(key);
  if (setting) return setting;
  const keys = Object.keys(settings);
  const hint =
    key === "profile"
      ? "mgmt auth switch NAME changes the active profile."
      : `${formatSuggestion(key, keys)}Keys: ${keys.join(", ")}.`;
  throw usageError(`There is no setting ${JSON.stringify(key)}`, hint);
};

/** Returns the value that commands use. */
export const resolveEffectiveValue = (setting: Setting, lookup: SettingLookup): EffectiveValue => {
  const { name, profile } = lookup.selectedProfile;
  const profileValue = profile?.[setting.profileField];
  const effectiveValue =
    setting.findOverride(lookup) ??
    (profileValue === undefined || !name
      ? setting.fallback
      : { value: formatSettingValue(profileValue), from: `profile ${name.value}` });
  const isUrl = setting.profileField === "baseUrl" || setting.profileField === "authUrl";
  return effectiveValue.value === null || !isUrl
    ? effectiveValue
    : { ...effectiveValue, value: stripUrlCredentials(effectiveValue.value) };
};

const formatSettingValue = (value: NonNullable<Profile[Setting["profileField"]]>): string =>
  typeof value === "boolean" ? (value ? "on" : "off") : value;

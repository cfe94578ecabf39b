import type { CommandVariable } from "@mgmt/internal/environment/variables";
import {
  type ProcessLiveness,
  determineLiveness,
  parseIdentity,
  type ProcessIdentity,
} from "@mgmt/internal/processes/process-liveness";
import { createProcessViewWithPs } from "@mgmt/internal/processes/ps-processes";
import { isObject } from "../json/json-path.js";

/** A service and the credential for it. */
export interface Profile {
  /** URL of the service, without `/v1`. */
  readonly baseUrl: string;
  /** URL of its authorization server. Default: `baseUrl`. */
  readonly authUrl?: string;
  /** The stored login. The SDK checks it when it is read. */
  readonly login?: object;
  /** A service token, instead of a login. */
  readonly token?: string;
  /** Where the profile stores its credential. Absent: in this file. */
  readonly store?: "keyring";
  /** The credential of this profile that is in the system keyring, instead of `login` and `token`. */
  readonly inKeyring?: "login" | "token";
  /** Defaults of commands. */
  readonly workspaceId?: string;
  readonly projectId?: string;
  /** Who the credential belongs to, as the service reported at the login. */
  readonly account?: string;
  /** How results are printed. A newer version may have other formats. */
  readonly output?: string;
  /** Whether a long list is shown in a pager. */
  readonly pager?: boolean;
  /** Whether to print a notice when a newer version of the CLI is published. */
  readonly updateNotice?: boolean;
  /** Whether commands that delete, restore, rotate, or overwrite need the name of the resource. Default: false. */
  readonly protect?: boolean;
  // The following fields are set for a service that `mgmt dev` runs.
  /** URL of the control surface, and the file with the secret for it. */
  readonly controlUrl?: string;
  readonly controlSecretFile?: string;
  /** File with the key that browsers need to sign in. */
  readonly signInKeyFile?: string;
  /** How Postgres copies large databases: a `CopyMethod`, unless a newer version wrote it. */
  readonly copyMethod?: string;
  /** The process of `mgmt dev`. */
  readonly process?: ProcessIdentity;
  /** When the service started. ISO 8601. */
  readonly startedAt?: string;
  /** With `mgmt dev --here`: the folder in which commands use the service, without symbolic links. */
  readonly folder?: string;
  /** With `mgmt dev --here`: the content of a file that proves that this user created the data. No repository can contain it. */
  readonly dataId?: string;
  /** Whether the profile is removed when the process ends. */
  readonly ephemeral?: boolean;
}

/** The profile of a persistent service that `mgmt dev` runs, or ran last. */
export const localProfileName = "local";

/** The defaults that a profile can have, and the variables that override them. */
export const defaultVariables = {
  workspaceId: "MGMT_WORKSPACE_ID",
  projectId: "MGMT_PROJECT_ID",
} as const satisfies Record<string, CommandVariable>;

/** Name of an id that a profile, a link, or a variable can set for all commands: `projectId`. */
export type DefaultName = keyof typeof defaultVariables;

/** Returns whether a parameter or field of this name has a default. */
export const isDefaultName = (name: string): name is DefaultName => Object.hasOwn(defaultVariables, name);

/** The content of the profiles file. */
export interface StoredProfiles {
  /** The profile that commands use when no other is named. */
  readonly active?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** The contents of a profiles file that does not exist. */
export const emptyProfiles: StoredProfiles = { profiles: {} };

/** Returns whether a profile can have this name. Names become part of file names and of terminal output. */
export const isValidProfileName = (name: string): boolean => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name);

/** Returns the profile with a name; undefined if there is none, or the name is undefined. */
export const findProfile = ({ profiles }: StoredProfiles, name: string | undefined): Profile | undefined =>
  name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined;

/** Returns whether a profile has a credential: a login, a token, or one in the system keyring. */
export const hasCredential = ({ login, token, inKeyring }: Profile): boolean =>
  login !== undefined || token !== undefined || inKeyring !== undefined;

/** Returns a copy of a profile without its credential and the account of the credential. */
export const omitCredential = <P extends Profile>(
  profile: P,
): Omit<P, "login" | "token" | "inKeyring" | "account"> => {
  const { login: _, token: __, inKeyring: ___, account: ____, ...profileWithoutCredential } = profile;
  return profileWithoutCredential;
};

/** Returns whether `mgmt dev` registered the profile. */
export const isDevProfile = ({ controlUrl }: Profile): boolean => controlUrl !== undefined;

/** Returns whether the `mgmt dev` that registered the profile is running. In another container, that is not known. */
export const readDevLiveness = ({ process }: Profile): ProcessLiveness =>
  process === undefined ? "dead" : determineLiveness(process, createProcessViewWithPs());

/** Returns whether that `mgmt dev` is known to be running. */
export const isDevRunning = (profile: Profile): boolean => readDevLiveness(profile) === "alive";

/** Returns the profile of a running `mgmt dev`: the persistent one, or the only ephemeral one. Profiles of folders are left out. */
export const findRunningProfile = ({ profiles }: StoredProfiles): string | undefined => {
  const runningNames = Object.entries(profiles).flatMap(([name, profile]) =>
    profile.folder === undefined && isDevRunning(profile) ? [name] : [],
  );
  if (runningNames.includes(localProfileName)) return localProfileName;
  return runningNames.length === 1 ? runningNames[0] : undefined;
};

/** Removes the profiles that do not outlive their services, which are known to have stopped. */
export const removeStoppedProfiles = (storedProfiles: StoredProfiles): StoredProfiles => {
  const stoppedProfiles = Object.entries(storedProfiles.profiles).filter(
    ([, profile]) => profile.ephemeral && readDevLiveness(profile) === "dead",
  );
  if (stoppedProfiles.length === 0) return storedProfiles;
  return removeProfiles(
    storedProfiles,
    stoppedProfiles.map(([name]) => name),
  );
};

/**
 * Removes profiles. If the active one is among them, the profile of the persistent service of `mgmt dev` is active then, or none
 * if there was no such service.
 */
export const removeProfiles = (storedProfiles: StoredProfiles, names: readonly string[]): StoredProfiles => {
  const { active, ...otherFields } = storedProfiles;
  const profiles = Object.fromEntries(
    Object.entries(storedProfiles.profiles).filter(([name]) => !names.includes(name)),
  );
  const devProfile = findProfile({ profiles }, localProfileName);
  const fallbackName = devProfile && isDevProfile(devProfile) ? localProfileName : undefined;
  const nextActiveName = active !== undefined && names.includes(active) ? fallbackName : active;
  return { ...otherFields, ...(nextActiveName !== undefined && { active: nextActiveName }), profiles };
};

/** Returns whether two URLs mean the same service: `http://HOST:80/` is `http://host`. */
export const isSameUrl = (left: string, right: string): boolean => normalizeUrl(left) === normalizeUrl(right);

const normalizeUrl = (url: string): string =>
  URL.canParse(url) ? new URL(url).href.replace(/\/+$/, "") : url;

const textFieldNames = [
  "authUrl",
  "token",
  "workspaceId",
  "projectId",
  "account",
  "output",
  "controlUrl",
  "controlSecretFile",
  "signInKeyFile",
  "copyMethod",
  "startedAt",
  "folder",
  "dataId",
];

const isProfile = (value: unknown): value is Profile =>
  isObject(value) &&
  typeof value["baseUrl"] === "string" &&
  textFieldNames.every((name) => value[name] === undefined || typeof value[name] === "string") &&
  [undefined, "keyring"].some((store) => value["store"] === store) &&
  [undefined, "login", "token"].some((kind) => value["inKeyring"] === kind) &&
  (value["process"] === undefined || parseIdentity(value["process"]) !== undefined) &&
  ["ephemeral", "pager", "updateNotice", "protect"].every((name) =>
    [undefined, false, true].some((flag) => value[name] === flag),
  ) &&
  (value["login"] === undefined || isObject(value["login"]));

/** Returns whether a value is the content of a profiles file. Unknown fields, which a newer version may have added, are allowed. */
export const isStoredProfiles = (value: unknown): value is StoredProfiles =>
  isObject(value) &&
  (value["active"] === undefined || typeof value["active"] === "string") &&
  isObject(value["profiles"]) &&
  Object.entries(value["profiles"]).every(
    ([name, profile]) => isValidProfileName(name) && isProfile(profile),
  );

/** A service, and who calls it. */
export interface Profile {
  /** Address of the service, without `/v1`. */
  readonly baseUrl: string;
  /** Address of its authorization server. Absent: that of the service. */
  readonly authUrl?: string;
  /** What a login gave; the SDK checks it when it reads it. */
  readonly login?: object;
  /** A service token, in place of a login. */
  readonly token?: string;
  /** Where credentials of the profile are kept. Absent: here. */
  readonly store?: "keyring";
  /** What lies in the keyring of the system now, in place of `login` and `token`. */
  readonly inKeyring?: "login" | "token";
  /** Defaults of commands. */
  readonly workspaceId?: string;
  readonly projectId?: string;
  /** Of a service on this machine: where its control surface is, and the file with the secret for it. */
  readonly controlUrl?: string;
  readonly controlSecretFile?: string;
}

/** Everything that is kept between runs. */
export interface Profiles {
  /** The profile that is used when none is named. */
  readonly active?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

export const noProfiles: Profiles = { profiles: {} };

/** Names go into file names and into what the terminal shows. */
export const isProfileName = (name: string): boolean => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name);

export const profileNamed = ({ profiles }: Profiles, name: string | undefined): Profile | undefined =>
  name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined;

export const holdsCredential = ({ login, token, inKeyring }: Profile): boolean =>
  login !== undefined || token !== undefined || inKeyring !== undefined;

/** What is left when the credential is forgotten. */
export const withoutCredential = <P extends Profile>(
  profile: P,
): Omit<P, "login" | "token" | "inKeyring"> => {
  const { login: _, token: __, inKeyring: ___, ...rest } = profile;
  return rest;
};

const texts = ["authUrl", "token", "workspaceId", "projectId", "controlUrl", "controlSecretFile"];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isProfile = (value: unknown): value is Profile =>
  isRecord(value) &&
  typeof value["baseUrl"] === "string" &&
  texts.every((name) => value[name] === undefined || typeof value[name] === "string") &&
  [undefined, "keyring"].some((store) => value["store"] === store) &&
  [undefined, "login", "token"].some((kind) => value["inKeyring"] === kind) &&
  (value["login"] === undefined || isRecord(value["login"]));

/** Fields that a later version has added do no harm; they are kept. */
export const isProfiles = (value: unknown): value is Profiles =>
  isRecord(value) &&
  (value["active"] === undefined || typeof value["active"] === "string") &&
  isRecord(value["profiles"]) &&
  Object.entries(value["profiles"]).every(([name, profile]) => isProfileName(name) && isProfile(profile));

import { assertKnownOptions } from "./known-options.js";
import { type Settings, defaultSettings } from "./settings.js";

/** Settings in which every part is optional. */
export type PartialSettings = {
  readonly [Name in keyof Settings]?:
    | (Settings[Name] extends object ? Optional<Settings[Name]> : Settings[Name])
    | undefined;
} & { readonly rateLimit?: Settings["rateLimit"] | undefined };

type Optional<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/**
 * Returns the defaults with the given values in their place.
 *
 * @throws TypeError for a base URL or an origin that is not one, and for a setting that does not exist.
 */
export const mergeSettings = (given: PartialSettings = {}): Settings => {
  assertKnownSettings(given);
  const settings: Settings = {
    baseUrl: given.baseUrl ?? defaultSettings.baseUrl,
    authUrl: given.authUrl ?? given.baseUrl ?? defaultSettings.authUrl,
    lifecycle: withDefaults(defaultSettings.lifecycle, given.lifecycle),
    limits: withDefaults(defaultSettings.limits, given.limits),
    unknownFields: given.unknownFields ?? defaultSettings.unknownFields,
    errorCodes: given.errorCodes ?? defaultSettings.errorCodes,
    rateLimit: given.rateLimit ?? defaultSettings.rateLimit,
    approvals: withDefaults(defaultSettings.approvals, given.approvals),
    backups: withDefaults(defaultSettings.backups, given.backups),
    subscription: withDefaults(defaultSettings.subscription, given.subscription),
    oauth: withDefaults(defaultSettings.oauth, given.oauth),
  };
  if (!isUrl(settings.baseUrl, /^https?:\/\/[^/?#@]+(\/[^?#]*)?(?<!\/|\/v1)$/i)) {
    throw new TypeError(
      "baseUrl must be an http or https URL without credentials, query, trailing slash or /v1, such as https://api.example.com",
    );
  }
  if (given.authUrl !== undefined && !isUrl(given.authUrl, /^https?:\/\/[^/?#@]+$/i)) {
    throw new TypeError(
      "authUrl must be an origin without a trailing slash, such as https://auth.example.com",
    );
  }
  return settings;
};

const withDefaults = <T extends object>(defaults: T, given: Optional<T> = {}): T => ({
  ...defaults,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
});

const isUrl = (text: string, form: RegExp): boolean => form.test(text) && URL.canParse(text);

const assertKnownSettings = (given: PartialSettings): void => {
  assertKnownOptions(given, Object.keys(defaultSettings), "settings.");
  for (const [name, defaults] of Object.entries(defaultSettings)) {
    if (!isObject(defaults)) continue;
    const part: unknown = Reflect.get(given, name);
    if (isObject(part)) assertKnownOptions(part, Object.keys(defaults), `settings.${name}.`);
  }
};

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

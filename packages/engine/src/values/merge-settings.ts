import { type OptionSchema, type OptionSchemas, assertOptions } from "./option-schema.js";
import { type Settings, defaultSettings } from "./settings.js";
import { type Optional, withDefaults } from "./with-defaults.js";

/** Settings in which every part is optional. */
export type PartialSettings = {
  readonly [Name in keyof Settings]?:
    | (Settings[Name] extends object ? Optional<Settings[Name]> : Settings[Name])
    | undefined;
} & { readonly rateLimit?: Settings["rateLimit"] | undefined };

/**
 * Returns the defaults with the given values in their place.
 *
 * @throws TypeError for a base URL or an origin that is not one, for a setting that does not exist, and for a value of another type
 * than the default: all numbers are whole, and none is negative.
 */
export const mergeSettings = (given: PartialSettings = {}): Settings => {
  assertSettings(given);
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

const isUrl = (text: string, form: RegExp): boolean => form.test(text) && URL.canParse(text);

const assertSettings = (given: PartialSettings): void => {
  assertOptions(given, { ...schemasOf(defaultSettings), ...choices }, "settings.");
  for (const [name, defaults] of Object.entries(defaultSettings)) {
    const part: unknown = Reflect.get(given, name);
    if (isObject(defaults) && part !== undefined)
      assertOptions(part, schemasOf(defaults), `settings.${name}.`);
  }
};

const choices = {
  "unknownFields?": { enum: ["refuse", "ignore"] },
  "errorCodes?": { enum: ["contract", "public"] },
} as const satisfies OptionSchemas<Partial<Pick<Settings, "unknownFields" | "errorCodes">>>;

/** Returns schemas of optional settings with these defaults. What is in an object is checked by itself. */
const schemasOf = (defaults: object): Record<string, OptionSchema> =>
  Object.fromEntries(Object.entries(defaults).map(([name, value]) => [`${name}?`, schemaOf(value)]));

const schemaOf = (value: unknown): OptionSchema => {
  switch (typeof value) {
    case "number":
      return { type: "integer", minimum: 0 };
    case "string":
      return { type: "string" };
    case "boolean":
      return { type: "boolean" };
    default:
      return {};
  }
};

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

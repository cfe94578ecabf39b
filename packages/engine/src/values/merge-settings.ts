import { type OptionSchema, type OptionSchemas, assertOptions } from "./option-schema.js";
import { type Settings, defaultSettings } from "./settings.js";
import { type DeepOptional, applyDefaults } from "./with-defaults.js";
import { InvalidArgumentError } from "./invalid-argument-error.js";

/** Settings in which every part is optional. */
export type PartialSettings = {
  readonly [Name in keyof Settings]?:
    | (Settings[Name] extends object ? DeepOptional<Settings[Name]> : Settings[Name])
    | undefined;
} & { readonly rateLimit?: Settings["rateLimit"] | undefined };

/**
 * Returns the defaults with the given values in their place.
 *
 * @throws TypeError for a base URL or an origin that is not one, for a setting that does not exist, and for a value of another type
 * than the default: all numbers are whole, and none is negative.
 */
export const mergeSettings = (partial: PartialSettings = {}): Settings => {
  assertPartialSettings(partial);
  const settings: Settings = {
    baseUrl: partial.baseUrl ?? defaultSettings.baseUrl,
    authUrl: partial.authUrl ?? partial.baseUrl ?? defaultSettings.authUrl,
    lifecycle: applyDefaults(defaultSettings.lifecycle, partial.lifecycle),
    limits: applyDefaults(defaultSettings.limits, partial.limits),
    unknownFields: partial.unknownFields ?? defaultSettings.unknownFields,
    errorCodes: partial.errorCodes ?? defaultSettings.errorCodes,
    rateLimit: partial.rateLimit ?? defaultSettings.rateLimit,
    approvals: applyDefaults(defaultSettings.approvals, partial.approvals),
    backups: applyDefaults(defaultSettings.backups, partial.backups),
    subscription: applyDefaults(defaultSettings.subscription, partial.subscription),
    oauth: applyDefaults(defaultSettings.oauth, partial.oauth),
  };
  if (!isUrl(settings.baseUrl, /^https?:\/\/[^/?#@]+(\/[^?#]*)?(?<!\/|\/v1)$/i)) {
    throw new InvalidArgumentError(
      "baseUrl must be an http or https URL without credentials, query, trailing slash or /v1, such as https://api.example.com",
    );
  }
  if (partial.authUrl !== undefined && !isUrl(partial.authUrl, /^https?:\/\/[^/?#@]+$/i)) {
    throw new InvalidArgumentError(
      "authUrl must be an origin without a trailing slash, such as https://auth.example.com",
    );
  }
  return settings;
};

const isUrl = (value: string, pattern: RegExp): boolean => pattern.test(value) && URL.canParse(value);

const assertPartialSettings = (partial: PartialSettings): void => {
  assertOptions(partial, { ...createOptionSchemas(defaultSettings), ...choiceSchemas }, "settings.");
  for (const [name, defaults] of Object.entries(defaultSettings)) {
    const part: unknown = Reflect.get(partial, name);
    if (isObjectOrArray(defaults) && part !== undefined)
      assertOptions(part, createOptionSchemas(defaults), `settings.${name}.`);
  }
};

const choiceSchemas = {
  "unknownFields?": { enum: ["refuse", "ignore"] },
  "errorCodes?": { enum: ["contract", "public"] },
} as const satisfies OptionSchemas<Partial<Pick<Settings, "unknownFields" | "errorCodes">>>;

/** Returns schemas of optional settings with these defaults. The members of an object are checked separately. */
const createOptionSchemas = (defaults: object): Record<string, OptionSchema> =>
  Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [`${name}?`, createOptionSchema(value)]),
  );

const createOptionSchema = (value: unknown): OptionSchema => {
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

const isObjectOrArray = (value: unknown): value is object => typeof value === "object" && value !== null;

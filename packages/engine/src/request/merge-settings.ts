import { type Settings, defaultSettings } from "./settings.js";

/** Settings of which any part may be left out. */
export type PartialSettings = {
  readonly [Name in keyof Settings]?: Settings[Name] extends object
    ? Partial<Settings[Name]>
    : Settings[Name];
} & { readonly rateLimit?: Settings["rateLimit"] };

/** The defaults, with what is given in their place. Throws a `TypeError` for a base URL with a slash or `/v1` at its end. */
export const mergeSettings = (given: PartialSettings = {}): Settings => {
  const settings: Settings = {
    baseUrl: given.baseUrl ?? defaultSettings.baseUrl,
    authUrl: given.authUrl ?? given.baseUrl ?? defaultSettings.authUrl,
    lifecycle: { ...defaultSettings.lifecycle, ...given.lifecycle },
    limits: { ...defaultSettings.limits, ...given.limits },
    rateLimit: given.rateLimit ?? defaultSettings.rateLimit,
    approvals: { ...defaultSettings.approvals, ...given.approvals },
    backups: { ...defaultSettings.backups, ...given.backups },
    subscription: { ...defaultSettings.subscription, ...given.subscription },
    oauth: { ...defaultSettings.oauth, ...given.oauth },
  };
  for (const url of [settings.baseUrl, settings.authUrl]) {
    if (url.endsWith("/") || url.endsWith("/v1")) {
      throw new TypeError(`${url} is written without a trailing slash and without /v1`);
    }
  }
  return settings;
};

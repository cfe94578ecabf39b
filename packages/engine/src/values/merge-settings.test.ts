import { describe, expect, it } from "vitest";
import { mergeSettings } from "./merge-settings.js";
import { defaultSettings } from "@mgmt/engine";

describe("settings", () => {
  it("have defaults", () => {
    expect(mergeSettings()).toEqual(defaultSettings);
  });

  it.each([
    ["lifecycle", { provisioning: 5 }],
    ["limits", { body: 5 }],
    ["approvals", { pending: 5 }],
    ["backups", { retentionDays: 5 }],
    ["subscription", { planName: "Pro" }],
    ["oauth", { code: 5 }],
  ] as const)("replace single values of %s", (name, given) => {
    expect(mergeSettings({ [name]: given })).toEqual({
      ...defaultSettings,
      [name]: { ...defaultSettings[name], ...given },
    });
  });

  it("have their defaults where a value is undefined", () => {
    const oauth = { code: undefined };
    const limits = undefined;
    expect(mergeSettings({ oauth, limits, baseUrl: undefined, errorCodes: undefined })).toEqual(
      defaultSettings,
    );
  });

  it("replace values that have no parts", () => {
    const given = { unknownFields: "ignore", errorCodes: "public" } as const;
    expect(mergeSettings(given)).toEqual({ ...defaultSettings, ...given });
    const rateLimit = { requests: 1, window: 1_000 };
    expect(mergeSettings({ rateLimit }).rateLimit).toEqual(rateLimit);
  });

  it("put the authorization server at the base URL unless it has its own", () => {
    const [baseUrl, authUrl] = ["https://api.example.com", "https://auth.example.com"];
    expect(mergeSettings({ baseUrl })).toMatchObject({ baseUrl, authUrl: baseUrl });
    expect(mergeSettings({ baseUrl, authUrl })).toMatchObject({ baseUrl, authUrl });
    expect(mergeSettings({ authUrl })).toMatchObject({ baseUrl: defaultSettings.baseUrl, authUrl });
  });

  it.each([
    "https://a.example.com/",
    "https://a.example.com/v1",
    "https://a.example.com/api/",
    "https://a.example.com?a=b",
    "https://a.example.com#a",
    "https://ada:secret@a.example.com",
    "https://a.example.com:port",
    "ftp://a.example.com",
    "a.example.com",
    "https://",
    "",
  ])("refuse the address %j, without quoting it", (url) => {
    expect(() => mergeSettings({ baseUrl: url })).toThrow(/^baseUrl must be an http or https URL without/);
    expect(() => mergeSettings({ authUrl: url })).toThrow(/^authUrl must be an origin/);
  });

  it("accept a path in the base URL only", () => {
    const url = "https://a.example.com/v1/api";
    expect(mergeSettings({ baseUrl: url })).toMatchObject({ baseUrl: url, authUrl: url });
    expect(() => mergeSettings({ authUrl: url })).toThrow(/^authUrl must be an origin/);
  });

  it.each<[object, string]>([
    [{ baseURL: "https://a.test" }, "There is no option settings.baseURL. Did you mean settings.baseUrl?"],
    [{ limits: { bodies: 1 } }, "no option settings.limits.bodies. Did you mean settings.limits.body?"],
    [{ oauth: { accessTokens: 1 } }, "Did you mean settings.oauth.accessToken?"],
    [{ oauth: { refresh: 1 } }, "Did you mean settings.oauth.refresh"],
    [{ backups: { days: 1 } }, "Did you mean settings.backups.retentionDays?"],
    [{ backups: { retain: 1 } }, "There is no option settings.backups.retain. Did you mean"],
  ])("refuse unknown names and suggest the most similar one: %j", (given, message) => {
    expect(() => mergeSettings(given)).toThrow(message);
  });

  it.each<[object]>([[{ xyz: 1 }], [{ ba: 1 }], [{ limits: { up: 1 } }]])(
    "suggest nothing for a name like no other: %j",
    (given) => {
      expect(() => mergeSettings(given)).toThrow(
        /^There is no option settings\.[\w.]+\. The options are settings\./,
      );
    },
  );

  it.each<[unknown, string]>([
    [null, "settings must be an object. The options are settings.baseUrl, "],
    [[], "settings must be an object"],
    [
      { lifecycle: null },
      "settings.lifecycle must be an object. The options are settings.lifecycle.provisioning",
    ],
    [{ lifecycle: 5 }, "settings.lifecycle must be an object"],
    [
      { lifecycle: { provisioning: -1 } },
      "settings.lifecycle.provisioning must be a whole number, at least 0",
    ],
    [{ lifecycle: { recovering: NaN } }, "settings.lifecycle.recovering must be a whole number, at least 0"],
    [{ lifecycle: { deploymentStart: 0.5 } }, "settings.lifecycle.deploymentStart must be a whole number"],
    [{ lifecycle: { deploymentStop: Infinity } }, "settings.lifecycle.deploymentStop must be a whole number"],
    [{ lifecycle: { provisioning: "5" } }, "settings.lifecycle.provisioning must be a whole number"],
    [{ oauth: { accessToken: -1 } }, "settings.oauth.accessToken must be a whole number"],
    [{ approvals: { pending: NaN } }, "settings.approvals.pending must be a whole number"],
    [{ limits: { body: "1 MB" } }, "settings.limits.body must be a whole number"],
    [{ backups: { retentionDays: null } }, "settings.backups.retentionDays must be a whole number"],
    [{ subscription: { planName: 5 } }, "settings.subscription.planName must be a string"],
    [{ subscription: { usageBlocked: "no" } }, "settings.subscription.usageBlocked must be true or false"],
    [{ unknownFields: "drop" }, "settings.unknownFields must be one of refuse, ignore"],
    [{ errorCodes: 5 }, "settings.errorCodes must be one of contract, public"],
    [{ baseUrl: 5 }, "settings.baseUrl must be a string"],
  ])("refuse a value of another type: %j", (given, message) => {
    // As a JavaScript program would.
    expect(() => mergeSettings(given as object)).toThrow(message);
  });

  it("list all names", () => {
    const given: object = { limits: { none: 1 } };
    expect(() => mergeSettings(given)).toThrow(
      "The options are settings.limits.body, settings.limits.appBody, settings.limits.upload",
    );
  });

  it("ignore unknown names without a value", () => {
    const given: object = { none: undefined, oauth: undefined, errorCodes: undefined };
    expect(mergeSettings(given)).toEqual(defaultSettings);
  });
});

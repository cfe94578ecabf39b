import { CliError } from "./cli-error.js";
import { stripUrlCredentials } from "../text/strip-url-credentials.js";

export const settingNotSetError = (key: string): CliError =>
  new CliError("notFound", "config:not_set", `${key} is not set`, `mgmt config set ${key} VALUE sets it.`, {
    next: [["mgmt", "config", "list"]],
  });

export const noProfileToConfigureError = (key: string): CliError =>
  new CliError(
    "usage",
    "config:no_profile",
    `There is no profile to store ${key} in`,
    "mgmt login creates one, and so does mgmt config set base-url URL.",
    { next: [["mgmt", "auth", "list"]] },
  );

/** The credential of one service must not be sent to another. */
export const otherServiceUrlError = (name: string, baseUrl: string): CliError =>
  new CliError(
    "usage",
    "config:other_service",
    `The URL of profile ${name} cannot be changed, because its credential is for ${stripUrlCredentials(baseUrl)}`,
    "Log in to the other service in a profile of its own: mgmt login --profile NAME --base-url URL.",
    { next: [["mgmt", "auth", "list"]] },
  );

export const neededSettingError = (key: string): CliError =>
  new CliError(
    "usage",
    "config:needed",
    `${key} cannot be removed, because a profile needs it`,
    `Change it with mgmt config set ${key} VALUE, or log in to another profile.`,
    { next: [["mgmt", "config", "list"]] },
  );

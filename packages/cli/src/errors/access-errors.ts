import { stripUrlCredentials } from "../text/strip-url-credentials.js";
import { formatSuggestion } from "../text/suggest.js";
import { CliError } from "./cli-error.js";

const authHelpCommand = ["mgmt", "help", "auth"];

/** The hint to get a new token for a profile of `mgmt dev`. */
export const devLoginHint = "Restart mgmt dev, which logs in again.";

const localServiceHint = "`mgmt dev` in another terminal runs the service on this machine.";

const describeLogin = (baseUrl: string): string =>
  `mgmt login --base-url ${baseUrl}, set MGMT_TOKEN, or pass --token-file PATH.`;

/**
 * @param baseUrl the URL of the service, if it is known.
 * @param isDev whether `mgmt dev` has registered the service.
 */
export const missingTokenError = (baseUrl: string | undefined, isDev: boolean): CliError => {
  const printedUrl = baseUrl === undefined ? undefined : stripUrlCredentials(baseUrl);
  return new CliError(
    "notAuthenticated",
    "auth:no_token",
    "You are not logged in, and no token is set",
    printedUrl === undefined
      ? `Run mgmt login --base-url URL, or set MGMT_BASE_URL and MGMT_TOKEN. ${localServiceHint}`
      : `${isDev ? `${devLoginHint} Or run` : "Run"} ${describeLogin(printedUrl)}`,
    {
      next: [
        ...(printedUrl === undefined ? [] : [["mgmt", "login", "--base-url", printedUrl]]),
        authHelpCommand,
      ],
    },
  );
};

/** A profile must not take the place of a secret that a CI job lacks. */
export const emptyTokenError = (): CliError =>
  new CliError(
    "notAuthenticated",
    "auth:empty_token",
    "MGMT_TOKEN is set, but empty",
    "Set it to a token. In CI, check that the secret exists and that the job may read it. To use a profile, remove the variable.",
  );

export const emptyBaseUrlError = (): CliError =>
  new CliError(
    "usage",
    "usage:empty_base_url",
    "MGMT_BASE_URL is set, but empty",
    "Set it to the URL of the service. To use the URL of a profile, remove the variable.",
  );

export const missingBaseUrlError = (): CliError =>
  new CliError(
    "usage",
    "usage:no_base_url",
    "The URL of the service is not set",
    `Set MGMT_BASE_URL, or pass --base-url or --profile. ${localServiceHint}`,
  );

/** The user typed `mgmt login`, so the hint must not only send them there. */
export const missingLoginUrlError = (): CliError =>
  new CliError(
    "usage",
    "usage:no_base_url",
    "The URL of the service is not set, and mgmt dev is not running",
    "Run mgmt login --base-url URL with the URL of your Management API.",
  );

/** The credential of one service must not be sent to another. */
export const otherServiceError = (name: string, baseUrl: string, source: string): CliError =>
  new CliError(
    "notAuthenticated",
    "auth:other_service",
    `The credential of profile ${name} is for ${stripUrlCredentials(baseUrl)}, but ${source} is the URL of another service`,
    "Pass the other service's profile with --profile, log in to it, or set its token in MGMT_TOKEN.",
  );

/**
 * A link can come with a repository, and another program may listen at the URL of a `mgmt dev --here` that has stopped.
 *
 * @param path the link, or the data of the `mgmt dev`.
 */
export const folderServiceTokenError = (token: string, profile: string, path: string): CliError =>
  new CliError(
    "notAuthenticated",
    "auth:other_service",
    `The token from ${token} was not sent to the service of profile ${profile}, which only ${path} chooses`,
    `The folder must not decide where a token goes. If you trust it, pass --profile ${profile}. Otherwise pass --base-url or set MGMT_BASE_URL.`,
  );

/** @param source where the URL comes from. */
export const insecureUrlError = (source: string, host: string): CliError =>
  new CliError(
    "usage",
    "connection:insecure",
    `The URL of ${host} (from ${source}) is http://, so credentials would be sent unencrypted`,
    "Use its https:// URL. If you trust the network, pass --insecure. Nothing was sent.",
  );

export const unknownProfileError = (
  source: string,
  name: string,
  profileNames: readonly string[],
): CliError =>
  new CliError(
    "usage",
    "profile:not_found",
    `There is no profile ${name} (${source})`,
    profileNames.length > 0
      ? `Pass --profile ${profileNames.length === 1 ? "" : "with one of "}${profileNames.join(", ")}, or create it: mgmt login --profile ${name}`
      : `mgmt login --profile ${name} creates it.`,
  );

/** The name of a profile that is an argument of the command. */
export const unknownProfileNameError = (name: string, profileNames: readonly string[]): CliError =>
  new CliError(
    "usage",
    "profile:not_found",
    `There is no profile ${name}`,
    profileNames.length > 0
      ? `${formatSuggestion(name, profileNames)}${profileNames.length === 1 ? "The only profile is" : "The profiles are"} ${profileNames.join(", ")}. mgmt login --profile ${name} creates this one.`
      : `mgmt login --profile ${name} creates it.`,
  );

/** A login without a named profile must not replace the one of another service. */
export const profileTakenError = (name: string, baseUrl: string): CliError =>
  new CliError(
    "usage",
    "profile:other_service",
    `Profile ${name} already belongs to ${stripUrlCredentials(baseUrl)}`,
    "Pass --profile NAME to log in to another profile.",
  );

export const emptyPasteError = (): CliError =>
  new CliError(
    "inputNeeded",
    "login:nothing_pasted",
    "Nothing was pasted, so you are not logged in",
    "Run the command on a terminal, or pass the URL on standard input. mgmt login --with-token accepts a token.",
  );

/** The message does not repeat the pasted text: it may contain part of a code. */
export const invalidPasteError = (): CliError =>
  new CliError(
    "usage",
    "login:wrong_paste",
    "The pasted text is not the URL that the browser showed after the login",
    "Copy the whole URL, including ?code= or ?error=.",
  );

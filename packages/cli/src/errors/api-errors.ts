import { CliError } from "./cli-error.js";

/** The credential must not be sent to another service. */
export const otherOriginError = (origin: string, baseUrl: string): CliError =>
  new CliError(
    "usage",
    "api:other_origin",
    `${origin} is not the service at ${baseUrl}, and your credential is sent to that service only`,
    "Pass the path alone, or name the other service with --profile or --base-url. Nothing was sent.",
  );

export const missingDefaultError = (placeholder: string, variable: string, flag: string): CliError =>
  new CliError(
    "inputNeeded",
    "usage:missing",
    `There is no default for {${placeholder}}`,
    `Type the id in its place, set ${variable}, or link this folder: mgmt link ${flag} ID.`,
  );

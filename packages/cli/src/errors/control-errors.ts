import { stripUrlCredentials } from "../text/strip-url-credentials.js";
import { describeCause, CliError } from "./cli-error.js";

/** No profile has the control surface of a `mgmt dev`: it registers one as long as it runs. */
export const controlNotFoundError = (): CliError =>
  new CliError(
    "network",
    "dev:not_running",
    "mgmt dev is not running, or its control URL and secret are not known",
    "Start mgmt dev, or pass --control-url and --control-secret-file with the controlUrl and controlSecretFile that mgmt dev --output json prints.",
    { next: [["mgmt", "dev"]] },
  );

/** @param missingSource the flag and the variable that would set the missing value. */
export const controlIncompleteError = (
  source: string,
  missingSource: { readonly flag: string; readonly variable: string },
): CliError =>
  new CliError(
    "usage",
    "control:not_found",
    `${source} is set, but neither ${missingSource.flag} nor ${missingSource.variable} is`,
    `Pass ${missingSource.flag}, or set ${missingSource.variable}. Without ${source}, the command uses the running mgmt dev.`,
  );

/** @param source where the URL comes from. */
export const controlUnreachableError = (url: string, source: string | undefined, cause: unknown): CliError =>
  new CliError(
    "network",
    "control:unreachable",
    `mgmt dev cannot be reached at ${stripUrlCredentials(url)}${source === undefined ? "" : ` (from ${source})`} (${describeCause(cause)})`,
    "Check that mgmt dev is running and that this is its control URL.",
  );

/** @param rejection the body of the error response. */
export const controlRejectedError = (
  status: number,
  rejection: { message: unknown; hint: unknown },
): CliError =>
  new CliError(
    status === 404 ? "notFound" : status === 403 ? "forbidden" : "refused",
    "control:refused",
    typeof rejection.message === "string"
      ? rejection.message
      : `mgmt dev refused the request with status ${status}`,
    typeof rejection.hint === "string" ? rejection.hint : undefined,
  );

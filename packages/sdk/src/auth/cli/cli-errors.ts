import type { EnvironmentVariable } from "@mgmt/internal/environment/variables";
import { AuthError, LoginRequiredError } from "../auth-error.js";

/** Errors of a program that uses the login of the CLI. */
export const cliErrors = {
  commandNotFound: (untrustedPath?: string) =>
    new AuthError(
      "auth:cli_failed",
      untrustedPath === undefined
        ? "The command mgmt was not found"
        : `The command mgmt was not found, except for ${untrustedPath}, which other accounts could have written`,
      {
        hint: "Install it beside @mgmt/sdk with npm install --save-dev @mgmt/cli, then run npx @mgmt/cli login. Or pass its path as program, or set MGMT_BASE_URL and MGMT_TOKEN.",
      },
    ),
  invalidProgramPath: () =>
    new AuthError("auth:cli_failed", "program is not the absolute path of a file", {
      hint: "Pass the absolute path of the command mgmt. The command `which mgmt` prints it.",
    }),
  emptyVariable: (name: EnvironmentVariable) =>
    new LoginRequiredError(
      `${name} is set, but empty`,
      undefined,
      "Set it. In CI, check that the secret exists and that the job may read it. To use the login of the CLI, remove the variable.",
    ),
  commandTimedOut: (timeoutMs: number) =>
    new AuthError("auth:timeout", `mgmt auth token did not finish within ${timeoutMs} ms`, {
      hint: "Run mgmt auth status to see what it is waiting for, such as a locked keyring.",
    }),
  tokenCommandFailed: (problem: string, hint: string | undefined) =>
    new AuthError("auth:cli_failed", `mgmt auth token failed: ${problem}`, {
      hint: hint ?? "Run mgmt auth status to see more.",
    }),
  unexpectedOutput: () =>
    new AuthError("auth:cli_failed", "The command mgmt auth token did not print a token and a base URL", {
      hint: "Install the version of @mgmt/cli that matches this version of @mgmt/sdk.",
    }),
  invalidProfile: () =>
    new AuthError("auth:cli_failed", "profile is not a valid profile name", {
      hint: "Pass a name that mgmt auth status shows.",
    }),
};

import { InvalidArgumentError } from "../../errors/local-errors.js";
import type { TokenRequest } from "../../request/call.js";
import { readEnvironmentVariable } from "../../request/environment.js";
import { cliErrors } from "./cli-errors.js";
import { type PrintedToken, fetchTokenFromCli } from "./cli-program.js";
import { assertOptions } from "#type-checks";

export interface CliLoginOptions {
  /** The profile of the CLI. Default: the one that its commands use in the working directory. */
  profile?: string | undefined;
  /**
   * Whether the service may have an `http:` URL of another machine, to which credentials are then sent unencrypted. It is
   * passed on to `createClient`, and to the CLI as `--insecure`. Default: false.
   */
  allowInsecureHttp?: boolean | undefined;
  /**
   * Absolute path of the command `mgmt`, or of its `dist/mgmt.js`. Default: the `@mgmt/cli` that is installed beside `@mgmt/sdk`, or
   * `mgmt` in the `PATH`.
   */
  program?: string | undefined;
}

/** The service and the token that the CLI uses: options of `createClient`. */
export interface CliLogin {
  /** URL of the service. */
  readonly baseUrl: string;
  /** As passed to `cliLogin`. */
  readonly allowInsecureHttp: boolean;
  /** Returns the current access token. */
  readonly token: (request?: Partial<TokenRequest>) => Promise<string>;
}

/** Remaining lifetime in milliseconds below which a token is renewed. */
const renewalMarginMs = 30_000;

/**
 * Returns the service and the token that the CLI uses, so that a program on a developer's machine needs no token of its own:
 *
 * ```ts
 * const client = createClient(await cliLogin());
 * ```
 *
 * If `MGMT_BASE_URL` and `MGMT_TOKEN` are set and no profile is passed, it returns these, as the CLI does; the same program
 * then runs in CI, where there is no CLI. Otherwise it runs `mgmt auth token`: of the `@mgmt/cli` that is installed beside `@mgmt/sdk`,
 * or of `mgmt` in the `PATH`. A package that other accounts could have written is not run. The CLI reads its profiles, files and system keyring, and refreshes the login once for all processes. The token
 * is kept in memory until 30 seconds before it expires, or until the service rejects it.
 *
 * Throws `LoginRequiredError` when the CLI has no login, or one of these variables is set but empty; and `AuthError` with the code `auth:cli_failed` when the CLI is
 * missing or fails, or `auth:timeout` after two minutes. Throws `InvalidArgumentError` for an option that does not exist or has another
 * type.
 */
export const cliLogin = async (options: CliLoginOptions = {}): Promise<CliLogin> => {
  assertOptions(options, "cliLogin", () => InvalidArgumentError);
  const { profile, allowInsecureHttp = false, program } = options;
  const baseUrl = readEnvironmentVariable("MGMT_BASE_URL");
  const environmentToken = readEnvironmentVariable("MGMT_TOKEN");
  if (profile === undefined) {
    // In CI, a missing secret is an empty variable. The login of a machine must not take its place.
    if (baseUrl === "") throw cliErrors.emptyVariable("MGMT_BASE_URL");
    if (environmentToken === "") throw cliErrors.emptyVariable("MGMT_TOKEN");
    if (baseUrl && environmentToken)
      return { baseUrl, allowInsecureHttp, token: async () => environmentToken };
  }
  // The CLI's own rule. Anything else could be taken for another argument.
  if (profile !== undefined && !/^[A-Za-z0-9][\w.-]{0,63}$/.test(profile)) throw cliErrors.invalidProfile();
  let pendingToken: Promise<PrintedToken> | undefined;
  const fetchCurrentToken = (): Promise<PrintedToken> =>
    fetchTokenFromCli(profile, allowInsecureHttp, program);
  let currentToken = await fetchCurrentToken();
  const renew = async (): Promise<string> => {
    // Concurrent calls share one run of the CLI.
    pendingToken ??= fetchCurrentToken().finally(() => {
      pendingToken = undefined;
    });
    currentToken = await pendingToken;
    return currentToken.token;
  };
  return {
    baseUrl: currentToken.baseUrl,
    allowInsecureHttp,
    token: async ({ rejected } = {}) =>
      rejected === currentToken.token || expiresSoon(currentToken) ? renew() : currentToken.token,
  };
};

const expiresSoon = ({ expiresAt }: PrintedToken): boolean =>
  expiresAt !== undefined && expiresAt - Date.now() < renewalMarginMs;

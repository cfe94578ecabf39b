import { resolve as resolvePath } from "node:path";
import type { Platform } from "@mgmt/platform";
import type { Context } from "../../context.js";
import { usageError } from "../../errors/usage-errors.js";
import { loadPlatform } from "./load-platform.js";
import type { OAuthClient } from "./oauth-clients.js";
import { readPort } from "./port.js";
import { type Registration, registerService, unregisterService } from "./registration.js";

export interface DevFlags {
  port?: string;
  dataDir?: string;
  ephemeral?: boolean;
  oauthClient?: OAuthClient[];
  unknownFields?: "ignore" | "refuse";
  errorCodes?: "contract" | "public";
  signInKey?: "generate" | "none";
}

/** Signals besides Ctrl-C that end the service cleanly: of the system, and of a closed terminal. */
const endSignals = ["SIGTERM", "SIGHUP"] as const;

/** Runs the platform until Ctrl-C, SIGTERM or SIGHUP, and then exits with 0, even during the start. */
export const runDev = async (flags: DevFlags, context: Context): Promise<void> => {
  const { cwd, output, signal } = context;
  const { dataDir, ephemeral = false, oauthClient: oauthClients = [] } = flags;
  if (dataDir !== undefined && ephemeral) {
    throw usageError("--data-dir and --ephemeral cannot be used together");
  }
  if (output.format !== "table" && output.format !== "json")
    throw usageError("mgmt dev writes text or JSON", "Use --output json.");
  const port = readPort(flags.port);
  const requireSignInKey = flags.signInKey !== "none";
  const terminated = new AbortController();
  const terminate = (): void => terminated.abort();
  for (const each of endSignals) process.on(each, terminate);
  const stop = AbortSignal.any([signal, terminated.signal]);
  try {
    const { startPlatform } = await loadPlatform(context);
    const platform = await startPlatform({
      signal: stop,
      port,
      ephemeral,
      oauthClients,
      requireSignInKey,
      ...(flags.unknownFields && { unknownFields: flags.unknownFields }),
      ...(flags.errorCodes && { errorCodes: flags.errorCodes }),
      ...(dataDir !== undefined && { dataDir: resolvePath(cwd, dataDir) }),
      onLog: (message: string) => output.notice({ code: "dev:log", message }),
    });
    if (!requireSignInKey) await output.warn(everyoneSignsIn);
    await runUntil(stop, platform, ephemeral, context);
  } catch (error) {
    // A canceled start is not a failure.
    if (!stop.aborted || error !== stop.reason) throw error;
  } finally {
    for (const each of endSignals) process.off(each, terminate);
  }
};

const everyoneSignsIn = {
  code: "dev:no_sign_in_key",
  message:
    "Without a sign-in key, every account and program of this machine can sign in as any user of this service",
};

const runUntil = async (
  stop: AbortSignal,
  platform: Platform,
  ephemeral: boolean,
  context: Context,
): Promise<void> => {
  const registration = stop.aborted ? undefined : await registerService(platform, ephemeral, context);
  if (!stop.aborted) printReady(platform, registration, context);
  const stopped = new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener("abort", () => resolve(), { once: true });
  });
  const defect = await Promise.race([stopped, platform.closed]);
  if (registration) await unregisterService(registration, context);
  await platform.stop();
  if (defect) throw defect;
};

const printReady = (
  { ready, signInKey }: Platform,
  registration: Registration | undefined,
  { output }: Context,
): void => {
  if (output.format === "json") return output.jsonLine(ready);
  const lines = [
    `The Management API is running at ${ready.baseUrl}, with real Postgres databases.`,
    "",
    "In another terminal:",
    "",
    ...(registration ? profileLines(ready, registration) : environmentLines(ready)),
    "",
    ...signInLines(ready, output.isTerminal ? signInKey : null),
    `Database connections support TLS. To verify the server: sslmode=verify-full&sslrootcert=${ready.caFile}`,
    "",
    "Press Ctrl-C to stop.",
  ];
  output.text(lines.join("\n"));
};

/** The key is for a person at a terminal; a log gets the name of its file. */
const signInLines = ({ signInKeyFile }: Platform["ready"], key: string | null): string[] => {
  if (signInKeyFile === null) return [];
  const lines = key === null ? [] : [`  ${key}`, ""];
  return [`To sign in, a browser needs the key in ${signInKeyFile}. mgmt login sends it.`, "", ...lines];
};

const profileLines = ({ baseUrl }: Platform["ready"], { name, isActive }: Registration): string[] => {
  const flag = isActive ? "" : ` --profile ${name}`;
  return [
    `  mgmt projects create shop --wait${flag}`,
    "",
    "For other programs:",
    "",
    `  export MGMT_BASE_URL=${baseUrl}`,
    `  export MGMT_TOKEN=$(mgmt auth token${flag})`,
    "",
    `To act as a user rather than a service token: mgmt login${flag}`,
  ];
};

/** Without a profile, other terminals can get the token only from this text. */
const environmentLines = ({ baseUrl, token }: Platform["ready"]): string[] => [
  `  export MGMT_BASE_URL=${baseUrl}`,
  `  export MGMT_TOKEN=${token}`,
  "  mgmt projects create shop --wait",
];

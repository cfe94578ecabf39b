import { parseArgs } from "node:util";
import * as mockErrors from "../errors/mock-errors.js";

const defaultPort = 4010;
const defaultHost = "127.0.0.1";

/** The flags of the command, with their help. */
export const flags = {
  port: {
    type: "string",
    value: "N",
    help: `Port to listen on; 0 for a free one. Default: ${String(defaultPort)}`,
  },
  host: {
    type: "string",
    value: "ADDRESS",
    help: `Address to listen on. Default: ${defaultHost}; in a container, 0.0.0.0`,
  },
  "base-url": { type: "string", value: "URL", help: "URL that clients use, if it is another one" },
  seed: { type: "string", value: "FILE", help: "Start with the resources of a seed file or a snapshot" },
  deterministic: {
    type: "string",
    value: "TEXT",
    help: "Derive ids, secrets and keys from this text, and freeze the clock",
  },
  latency: { type: "string", value: "MS", help: "Delay every response by this many milliseconds" },
  "rate-limit": {
    type: "string",
    value: "N",
    help: "Requests per minute and credential, for operations that the contract limits",
  },
  "unknown-fields": {
    type: "string",
    value: "refuse|ignore",
    help: "What happens to body fields that the contract does not have. Default: refuse",
  },
  "error-codes": {
    type: "string",
    value: "contract|public",
    help: "Error codes of the contract, or those of Prisma's Management API. Default: contract",
  },
  upstream: { type: "string", value: "URL", help: "Pass requests on to this service. Requires --record" },
  record: { type: "string", value: "FILE", help: "Write what the upstream service returns to this file" },
  replay: {
    type: "string",
    value: "FILE",
    help: "Start with the resources of a recording, and compare its responses with those of the mock",
  },
  report: {
    type: "string",
    value: "FILE",
    help: "Write the differences that --replay has found to this file",
  },
  "recorded-latency": {
    type: "boolean",
    help: "Delay each operation by its median latency in the recording of --replay",
  },
  help: { type: "boolean", short: "h", help: "Print this help" },
  version: { type: "boolean", short: "v", help: "Print the version" },
} as const;

type FlagName = keyof typeof flags;

/** The arguments of the command that starts the mock. */
export interface Arguments {
  readonly port: number;
  readonly host: string;
  readonly baseUrl: string | undefined;
  readonly seed: string | undefined;
  readonly deterministic: string | undefined;
  readonly latency: number | undefined;
  readonly rateLimit: number | undefined;
  readonly unknownFields: "refuse" | "ignore";
  readonly errorCodes: "contract" | "public";
  readonly recording: { readonly upstream: string; readonly file: string } | undefined;
  readonly replay: ReplayArguments | undefined;
}

/** The arguments of `replay`. */
export interface ReplayArguments {
  readonly file: string;
  /** File to write the differences to. */
  readonly report: string | undefined;
  readonly latency: boolean;
}

/**
 * Reads the flags of the command.
 *
 * @throws MockError `mock:bad_flag`.
 */
export const parseCommandLine = (args: readonly string[]): Arguments | "help" | "version" => {
  const values = parseFlags(args);
  if (values.help) return "help";
  if (values.version) return "version";
  const { record } = values;
  const upstream = parseBaseUrl("upstream", values.upstream);
  if ((upstream === undefined) !== (record === undefined)) {
    throw mockErrors.badFlag("--upstream URL and --record FILE need each other");
  }
  return {
    replay: parseReplayFlags(values),
    recording: upstream === undefined || record === undefined ? undefined : { upstream, file: record },
    port: parseWholeNumber("port", values.port, 65_535) ?? defaultPort,
    host: values.host ?? defaultHost,
    baseUrl: parseBaseUrl("base-url", values["base-url"]),
    seed: values.seed,
    deterministic: values.deterministic,
    latency: parseWholeNumber("latency", values.latency, 3_600_000),
    rateLimit: parseWholeNumber("rate-limit", values["rate-limit"], 1_000_000_000),
    unknownFields: parseChoice("unknown-fields", values["unknown-fields"], ["refuse", "ignore"]),
    errorCodes: parseChoice("error-codes", values["error-codes"], ["contract", "public"]),
  };
};

const parseReplayFlags = (values: ReturnType<typeof parseFlags>): ReplayArguments | undefined => {
  const { replay: file, report, record, latency } = values;
  const usesRecordedLatency = values["recorded-latency"] === true;
  if (file === undefined) {
    if (usesRecordedLatency) throw mockErrors.badFlag("--recorded-latency needs --replay FILE");
    if (report !== undefined) throw mockErrors.badFlag("--report needs --replay FILE");
    return undefined;
  }
  if (record !== undefined) throw mockErrors.badFlag("--record and --replay cannot be combined");
  if (usesRecordedLatency && latency !== undefined) {
    throw mockErrors.badFlag("--latency and --recorded-latency cannot be combined");
  }
  return { file, report, latency: usesRecordedLatency };
};

const parseFlags = (args: readonly string[]) => {
  const unknownWord = args.find(
    (arg) => arg.startsWith("--") && !isFlag(arg.slice(2).split("=", 1)[0] ?? ""),
  );
  if (unknownWord !== undefined) throw mockErrors.unknownFlag(unknownWord.split("=", 1)[0] ?? unknownWord);
  try {
    return parseArgs({ args: [...args], options: flags, allowPositionals: false }).values;
  } catch (error) {
    throw mockErrors.badFlag(error instanceof Error ? error.message : String(error));
  }
};

const isFlag = (name: string): name is FlagName => Object.hasOwn(flags, name);

const parseWholeNumber = (flag: FlagName, flagValue: string | undefined, max: number): number | undefined => {
  if (flagValue === undefined) return undefined;
  const number = Number(flagValue);
  if (/^\d+$/.test(flagValue) && number <= max) return number;
  throw mockErrors.badFlag(
    `--${flag} must be a whole number from 0 to ${String(max)}, not ${JSON.stringify(flagValue)}`,
  );
};

/** Returns a URL without a trailing slash. */
const parseBaseUrl = (flag: FlagName, flagValue: string | undefined): string | undefined => {
  if (flagValue === undefined) return undefined;
  const url = flagValue.replace(/\/+$/, "");
  const isUrl = URL.canParse(url) && /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(url);
  if (isUrl && !url.endsWith("/v1")) return url;
  throw mockErrors.badFlag(`--${flag} must be an http or https URL without credentials, query or /v1`);
};

const parseChoice = <T extends string>(
  flag: FlagName,
  flagValue: string | undefined,
  values: readonly [T, ...T[]],
): T => {
  if (flagValue === undefined) return values[0];
  const value = values.find((choice) => choice === flagValue);
  if (value !== undefined) return value;
  throw mockErrors.badFlag(`--${flag} must be ${values.join(" or ")}, not ${JSON.stringify(flagValue)}`);
};

/** Returns the help of the command that starts the mock. */
export const renderHelp = (): string => {
  const names = Object.entries(flags).map(([name, flag]): [string, string] => [
    `--${name}${"value" in flag ? ` ${flag.value}` : ""}`,
    flag.help,
  ]);
  const width = Math.max(...names.map(([name]) => name.length)) + 2;
  return [
    "Starts the reference server of the Management API in memory.",
    "",
    "Usage: npx @mgmt/mock [flags]",
    "",
    ...names.map(([name, help]) => `  ${name.padEnd(width)}${help}`),
    "",
    "When it is ready, it prints one line of JSON: baseUrl, token, workspaceId, and controlSecret. With --replay, the line",
    "also has the numbers of compared requests, skipped requests, and differences. It stops on SIGINT and SIGTERM.",
    "",
    "MGMT_MOCK_CONTROL_SECRET sets the secret of the control surface. Without it, the secret is generated. A server that",
    "other machines can reach has a control surface only if the variable is set.",
    "",
  ].join("\n");
};

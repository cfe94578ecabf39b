import type { MgmtClient } from "@mgmt/sdk";
import { parseHttpDate } from "@mgmt/internal/text/http-time";
import type { Context, GlobalFlags } from "../../input/context.js";
import { missingBaseUrlError } from "../../errors/access-errors.js";
import type { CliError } from "../../errors/cli-error.js";
import { devNotRunningError } from "../../errors/dev-errors.js";
import { groups } from "../../contract/generated/groups.js";
import { isObject } from "../../json/json-path.js";
import type { SelectedProfile } from "../../profiles/active-profile.js";
import { findRunningProfile, isDevProfile, isSameUrl, readDevLiveness } from "../../profiles/profile.js";
import { getProfilesPath, readProfiles } from "../../profiles/read-profiles.js";
import { type ServiceAccess, resolveAccess } from "../../profiles/resolve-access.js";
import { createClientFor } from "../../service/connect.js";
import { stripUrlCredentials } from "../../text/strip-url-credentials.js";
import { isLoopbackHostname } from "../../sdk/sdk.js";
import {
  type Check,
  createErrorCheck,
  createOkCheck,
  singleAttemptOptions,
  createSkippedCheck,
  createWarningCheck,
} from "./check.js";
import { checkConnection } from "./connection-checks.js";
import { checkCredentials } from "./credential-checks.js";

/** A difference that services tolerate when they check when a token expires. */
const maxSkewMs = 60_000;

/**
 * Checks that need a service: its address, the connection to it, its clock and contract, and the credential.
 *
 * @param earlierChecks checks before these. Problems that they report are not reported again.
 */
export const checkService = async (
  flags: GlobalFlags,
  context: Context,
  earlierChecks: readonly Check[],
): Promise<Check[]> => {
  let access: ServiceAccess;
  let client: MgmtClient;
  try {
    access = await resolveAccess(flags, context);
    if (!access.baseUrl) return [await createErrorCheck("address", missingBaseUrlError(), [["mgmt", "dev"]])];
    client = await createClientFor(access.baseUrl, false, context);
  } catch (error) {
    const check = await createErrorCheck("address", error);
    const isAlreadyReported = earlierChecks.some(({ message }) => message === check.message);
    return [
      isAlreadyReported ? createSkippedCheck("address", "Not known, because of a failure above") : check,
    ];
  }
  const { value, from } = access.baseUrl;
  const checks = [
    createOkCheck("address", `${stripUrlCredentials(value)} (from ${from})`),
    ...(await checkConnection(value, context)),
    ...(await checkResponse(client, value, access.selectedProfile, context)),
  ];
  const isReachable = checks.every(({ name, status }) => name !== "service" || status !== "failure");
  return isReachable ? [...checks, ...(await checkCredentials(access, flags, context))] : checks;
};

/** Requests the contract of the service, and compares it and the service's clock with this program and machine. */
const checkResponse = async (
  client: MgmtClient,
  baseUrl: string,
  selectedProfile: SelectedProfile | undefined,
  context: Context,
): Promise<Check[]> => {
  const { signal } = context;
  const startMs = performance.now();
  const sentAt = Date.now();
  try {
    const call = { method: "GET" as const, path: "/v1/doc" };
    const { data, response } = await client
      .request<unknown>(call, { signal, ...singleAttemptOptions })
      .withResponse();
    const elapsedMs = performance.now() - startMs;
    return [
      createOkCheck("service", `Responded in ${String(Math.round(elapsedMs))} ms`),
      checkClock(response.headers["date"], sentAt, elapsedMs),
      await checkContract(data),
    ];
  } catch (error) {
    signal.throwIfAborted();
    const isNotFound = error instanceof Error && "status" in error && error.status === 404;
    const stoppedError = createStoppedError(baseUrl, selectedProfile);
    if (stoppedError) return [await createErrorCheck("service", stoppedError)];
    if (!isNotFound) return [await createErrorCheck("service", error, suggestNext(baseUrl, context))];
    return [
      createOkCheck("service", "Responded"),
      createWarningCheck("contract", "The service does not publish its contract at /v1/doc", {
        hint: "Check that this is the URL of the Management API.",
      }),
    ];
  }
};

/** Returns the error of other commands if the service is a `mgmt dev` that has stopped. Another program may respond at its address. */
const createStoppedError = (
  baseUrl: string,
  selectedProfile: SelectedProfile | undefined,
): CliError | undefined => {
  const { name, profile } = selectedProfile ?? {};
  return name &&
    profile &&
    isDevProfile(profile) &&
    isSameUrl(baseUrl, profile.baseUrl) &&
    readDevLiveness(profile) === "dead"
    ? devNotRunningError(name.value, baseUrl, profile.folder)
    : undefined;
};

/** Returns the commands that help when a service does not respond. A service on this machine may have to be started first. */
const suggestNext = (baseUrl: string, { env }: Pick<Context, "env">): Check["next"] => {
  const isLocal = isLoopbackHostname(new URL(baseUrl).hostname);
  return isLocal && findRunningProfile(readProfiles(getProfilesPath(env))) === undefined
    ? [["mgmt", "dev"]]
    : [];
};

/** @param date the header `Date` of a response, which is accurate to the second. */
export const checkClock = (date: string | undefined, sentAt: number, elapsedMs: number): Check => {
  if (date === undefined) return createSkippedCheck("clock", "The response has no date");
  const serverTime = parseHttpDate(date);
  if (Number.isNaN(serverTime)) return createSkippedCheck("clock", "The date of the response cannot be read");
  const skewMs = sentAt + elapsedMs / 2 - serverTime;
  if (Math.abs(skewMs) <= maxSkewMs + elapsedMs)
    return createOkCheck("clock", "Agrees with the clock of the service");
  const seconds = String(Math.round(Math.abs(skewMs) / 1_000));
  const message = `${seconds} s ${skewMs > 0 ? "ahead of" : "behind"} the clock of the service`;
  return createWarningCheck("clock", message, {
    hint: "Set the clock of this machine. Tokens may seem to have expired.",
  });
};

const checkContract = async (document: unknown): Promise<Check> => {
  const name = "contract";
  if (!isObject(document) || !isObject(document["paths"])) {
    return createWarningCheck(name, "/v1/doc is not an OpenAPI document", {
      hint: "Check that this is the URL of the Management API.",
    });
  }
  const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();
  const knownOperations = new Set(definitions.map(({ method, path }) => formatOperationKey(method, path)));
  const offeredOperations = new Set(
    Object.entries(document["paths"]).flatMap(([path, item]) =>
      Object.keys(isObject(item) ? item : {}).flatMap((method) =>
        /^(get|post|put|patch|delete)$/.test(method) ? [formatOperationKey(method.toUpperCase(), path)] : [],
      ),
    ),
  );
  offeredOperations.delete(formatOperationKey("GET", "/v1/doc"));
  const missingOperations = [...knownOperations].filter((key) => !offeredOperations.has(key));
  const newOperations = [...offeredOperations].filter((key) => !knownOperations.has(key));
  if (missingOperations.length > 0) {
    return createWarningCheck(name, `The service lacks ${summarizeOperations(missingOperations)}`, {
      hint: "The commands for these operations fail. The service may be older than this version of mgmt.",
    });
  }
  if (newOperations.length > 0) {
    return createWarningCheck(
      name,
      `This version of mgmt has no command for ${summarizeOperations(newOperations)}`,
      {
        hint: "Install a newer version of mgmt, or call them with mgmt api.",
        next: [["mgmt", "api", "--help"]],
      },
    );
  }
  return createOkCheck(
    name,
    `This version of mgmt has a command for each of the ${String(offeredOperations.size)} operations`,
  );
};

/** Returns a string that is equal for the same operation in two contracts, which may call the path parameters by different names. */
const formatOperationKey = (method: string, path: string): string =>
  `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`;

const maxListedOperations = 3;

const summarizeOperations = (operations: readonly string[]): string => {
  const count = `${String(operations.length)} operation${operations.length === 1 ? "" : "s"}`;
  const ellipsis = operations.length > maxListedOperations ? ", …" : "";
  return `${count}: ${operations.slice(0, maxListedOperations).join(", ")}${ellipsis}`;
};

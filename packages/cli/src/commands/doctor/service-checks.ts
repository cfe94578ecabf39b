import type { MgmtClient } from "@mgmt/sdk";
import { parseHttpDate } from "@mgmt/internal/text/http-time";
import type { Context, GlobalFlags } from "../../input/context.js";
import { noBaseUrl } from "../../errors/access-errors.js";
import { groups } from "../../contract/generated/groups.js";
import { isObject } from "../../json/json-path.js";
import { runningProfile } from "../../profiles/profile.js";
import { profilesFile, readProfiles } from "../../profiles/read-profiles.js";
import { type Access, resolveAccess } from "../../profiles/resolve-access.js";
import { clientFor } from "../../service/connect.js";
import { addressWithoutCredentials } from "../../text/address-without-credentials.js";
import { isLoopbackHostname } from "../../sdk/sdk.js";
import { type Check, failed, ok, oneAttempt, skipped, warning } from "./check.js";
import { connectionChecks } from "./connection-checks.js";
import { credentialChecks } from "./credential-checks.js";

/** A difference that services tolerate when they check when a token expires. */
const maxSkewMs = 60_000;

/**
 * Checks that need a service: its address, the connection to it, its clock and contract, and the credential.
 *
 * @param earlier Checks before these. Problems that they report are not reported again.
 */
export const serviceChecks = async (
  flags: GlobalFlags,
  context: Context,
  earlier: readonly Check[],
): Promise<Check[]> => {
  let access: Access;
  let client: MgmtClient;
  try {
    access = await resolveAccess(flags, context);
    if (!access.baseUrl) return [await failed("address", noBaseUrl(), [["mgmt", "dev"]])];
    client = await clientFor(access.baseUrl, false, context);
  } catch (error) {
    const check = await failed("address", error);
    const isKnown = earlier.some(({ message }) => message === check.message);
    return [isKnown ? skipped("address", "Not known, because of a failure above") : check];
  }
  const { value, from } = access.baseUrl;
  const checks = [
    ok("address", `${addressWithoutCredentials(value)} (from ${from})`),
    ...(await connectionChecks(value, context)),
    ...(await contactChecks(client, value, context)),
  ];
  const isReachable = checks.every(({ name, status }) => name !== "service" || status !== "failure");
  return isReachable ? [...checks, ...(await credentialChecks(access, flags, context))] : checks;
};

/** Requests the contract of the service, and compares it and the service's clock with this program and machine. */
const contactChecks = async (client: MgmtClient, baseUrl: string, context: Context): Promise<Check[]> => {
  const { signal } = context;
  const start = performance.now();
  const sentAt = Date.now();
  try {
    const call = { method: "GET" as const, path: "/v1/doc" };
    const { data, response } = await client.request<unknown>(call, { signal, ...oneAttempt }).withResponse();
    const elapsed = performance.now() - start;
    return [
      ok("service", `Responded in ${String(Math.round(elapsed))} ms`),
      clockCheck(response.headers["date"], sentAt, elapsed),
      await contractCheck(data),
    ];
  } catch (error) {
    signal.throwIfAborted();
    const isResponse = error instanceof Error && "status" in error && error.status === 404;
    if (!isResponse) return [await failed("service", error, nextFor(baseUrl, context))];
    return [
      ok("service", "Responded"),
      warning("contract", "The service does not publish its contract at /v1/doc", {
        hint: "Check that the address is that of the Management API.",
      }),
    ];
  }
};

/** A service on this machine may have to be started first. */
const nextFor = (baseUrl: string, { env }: Pick<Context, "env">): Check["next"] => {
  const isLocal = isLoopbackHostname(new URL(baseUrl).hostname);
  return isLocal && runningProfile(readProfiles(profilesFile(env))) === undefined ? [["mgmt", "dev"]] : [];
};

/** @param date The header `Date` of a response, which is accurate to the second. */
export const clockCheck = (date: string | undefined, sentAt: number, elapsed: number): Check => {
  if (date === undefined) return skipped("clock", "The response has no date");
  const serverTime = parseHttpDate(date);
  if (Number.isNaN(serverTime)) return skipped("clock", "The date of the response cannot be read");
  const skew = sentAt + elapsed / 2 - serverTime;
  if (Math.abs(skew) <= maxSkewMs + elapsed) return ok("clock", "Agrees with the clock of the service");
  const seconds = String(Math.round(Math.abs(skew) / 1_000));
  const message = `${seconds} s ${skew > 0 ? "ahead of" : "behind"} the clock of the service`;
  return warning("clock", message, {
    hint: "Set the clock of this machine. Tokens may seem to have expired.",
  });
};

const contractCheck = async (document: unknown): Promise<Check> => {
  const name = "contract";
  if (!isObject(document) || !isObject(document["paths"])) {
    return warning(name, "/v1/doc is not an OpenAPI document", {
      hint: "Check that the address is that of the Management API.",
    });
  }
  const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();
  const known = new Set(definitions.map(({ method, path }) => operationKey(method, path)));
  const offered = new Set(
    Object.entries(document["paths"]).flatMap(([path, item]) =>
      Object.keys(isObject(item) ? item : {}).flatMap((method) =>
        /^(get|post|put|patch|delete)$/.test(method) ? [operationKey(method.toUpperCase(), path)] : [],
      ),
    ),
  );
  offered.delete(operationKey("GET", "/v1/doc"));
  const missing = [...known].filter((key) => !offered.has(key));
  const added = [...offered].filter((key) => !known.has(key));
  if (missing.length > 0) {
    return warning(name, `The service lacks ${listed(missing)}`, {
      hint: "The commands for these operations fail. The service may be older than this version of mgmt.",
    });
  }
  if (added.length > 0) {
    return warning(name, `This version of mgmt has no command for ${listed(added)}`, {
      hint: "Install a newer version of mgmt, or call them with mgmt api.",
      next: [["mgmt", "api", "--help"]],
    });
  }
  return ok(name, `This version of mgmt has a command for each of the ${String(offered.size)} operations`);
};

/** The names of path parameters do not matter. */
const operationKey = (method: string, path: string): string =>
  `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`;

const shownOperations = 3;

const listed = (operations: readonly string[]): string => {
  const count = `${String(operations.length)} operation${operations.length === 1 ? "" : "s"}`;
  const more = operations.length > shownOperations ? ", …" : "";
  return `${count}: ${operations.slice(0, shownOperations).join(", ")}${more}`;
};

import type { Call } from "@mgmt/sdk";
import type { Context } from "../../context.js";
import { isObject } from "../../json-path.js";
import type { Sourced } from "../../profiles/active-profile.js";
import type { DryRunFormat } from "../../program/dry-run-option.js";
import { clientFor } from "../../service/connect.js";
import { DryRun, printRequests } from "../../service/dry-run.js";
import { redactBody } from "../../service/redaction.js";
import type { ApiRequest } from "./request.js";

/** Prints a request instead of sending it. */
export const dryRunRequest = async (
  { headers, body, operation }: ApiRequest,
  call: Call,
  format: DryRunFormat,
  baseUrl: Sourced<string>,
  context: Context,
): Promise<void> => {
  const dryRun = new DryRun();
  const client = await clientFor(baseUrl, false, context, { middleware: [dryRun.middleware] });
  await dryRun.record(() => client.request<unknown>(call, { headers, signal: context.signal }));
  const requests = dryRun.requests.map((request) =>
    Object.keys(headers).length > 0 ? { ...request, headers } : request,
  );
  const declared = operation?.row.body?.fields.flatMap(({ secret, path }) => (secret ? [path] : []));
  const secrets = declared ?? secretPaths(body, redactBody(JSON.stringify(body ?? null)));
  await printRequests(requests, format, secrets, context);
};

/** Returns the paths at which redaction has changed a value. */
const secretPaths = (value: unknown, redacted: unknown, path: readonly string[] = []): string[][] => {
  if (isObject(value) && isObject(redacted)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      secretPaths(inner, redacted[name], [...path, name]),
    );
  }
  return JSON.stringify(value) === JSON.stringify(redacted) ? [] : [[...path]];
};

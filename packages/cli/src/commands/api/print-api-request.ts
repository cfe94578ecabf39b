import type { Call } from "@mgmt/sdk";
import type { Context } from "../../input/context.js";
import type { ValueWithSource } from "../../profiles/active-profile.js";
import type { DryRunFormat } from "../../input/dry-run-option.js";
import { createClientFor } from "../../service/connect.js";
import { DryRun, printRequests } from "../../service/dry-run.js";
import type { ApiRequest } from "./request.js";

/** Prints a request instead of sending it. */
export const printApiRequest = async (
  { headers, operation }: ApiRequest,
  call: Call,
  format: DryRunFormat,
  baseUrl: ValueWithSource<string>,
  context: Context,
): Promise<void> => {
  const dryRun = new DryRun();
  const client = await createClientFor(baseUrl, false, context, { middleware: [dryRun.middleware] });
  await dryRun.record(() => client.request<unknown>(call, { headers, signal: context.signal }));
  const requests = dryRun.requests.map((request) =>
    Object.keys(headers).length > 0 ? { ...request, headers } : request,
  );
  const secrets = operation?.definition.body?.fields.flatMap(({ secret, path }) => (secret ? [path] : []));
  await printRequests(requests, format, secrets ?? [], context);
};

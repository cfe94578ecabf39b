import type { Call, MgmtClient, Middleware } from "@mgmt/sdk";
import type { Context } from "../../input/context.js";
import { missingBaseUrlError } from "../../errors/access-errors.js";
import { isObject, getAtPath } from "../../json/json-path.js";
import type { Output } from "../../output/output.js";
import { withIdHints } from "../../run/with-id-hints.js";
import { createNotFoundNotice } from "../../run/messages.js";
import { findProtection } from "../../profiles/protection.js";
import { resolveAccess } from "../../profiles/resolve-access.js";
import { formatWithSecrets, resolveSecretDestination } from "../../secrets/secret-destination.js";
import { openSecretOutput, type SecretOutput, type UnknownSecrets } from "../../secrets/secret-output.js";
import type { SecretFields } from "../../contract/generated-command.js";
import { connectWithAccess } from "../../service/connect.js";
import { redactBody } from "@mgmt/internal/redaction/redact";
import { type ApiFlags, assertFlagsApply } from "./api-flags.js";
import { fillPlaceholders } from "./request-path.js";
import { printJson, printResponse, type ResponseHead } from "./print-response.js";
import { type ApiRequest, parseRequest, resolveRequest } from "./request.js";
import { outcomeUnknownError } from "../../errors/run-errors.js";
import { quoteShellWord } from "../../text/shell-word.js";
import { explainLostResponse, describeUnknownOutcome } from "../../run/lost-response.js";

/** State that the steps of one run share. */
interface ApiRun {
  readonly request: ApiRequest;
  readonly flags: ApiFlags;
  readonly client: MgmtClient;
  readonly secretOutput: SecretOutput;
  readonly context: Context;
}

/** The last response, with its body as text. */
type RawResponse = ResponseHead & { readonly body: string };

/** Sends one request, or the requests for all pages of a list, and prints the response. */
export const runApi = async (
  positionals: readonly string[],
  flags: ApiFlags,
  context: Context,
): Promise<void> => {
  const requestArguments = parseRequest(positionals, flags);
  const path = fillPlaceholders(requestArguments.path, flags, context);
  const access = await resolveAccess(flags, context);
  if (!access.baseUrl) throw missingBaseUrlError();
  const request = await resolveRequest({ ...requestArguments, path }, access.baseUrl.value, context.sources);
  await assertFlagsApply(request, flags, context);
  if (flags.dryRun !== undefined) {
    const { printApiRequest } = await import("./print-api-request.js");
    return printApiRequest(request, createApiCall(request), flags.dryRun, access.baseUrl, context);
  }
  await confirmIfProtected(request, flags, context);
  let lastResponse: RawResponse | undefined;
  const recordResponse: Middleware = async (sentRequest, next) => (lastResponse = await next(sentRequest));
  const client = await connectWithAccess(access, context, { middleware: [recordResponse] });
  await assertSecretsDeliverable(request, flags, context);
  context.output.format = formatWithSecrets(flags, context.output.format);
  const secretOutput = await openSecretOutput(
    findSecretFields(request),
    resolveSecretDestination(flags, context),
    context,
  );
  const run: ApiRun = { request, flags, client, secretOutput, context };
  const sendAndPrint = (): Promise<void> =>
    flags.paginate ? printPages(run) : printSingleResponse(run, () => lastResponse);
  try {
    if (!request.operation) return await sendAndPrint();
    const { definition, pathIds } = request.operation;
    await withIdHints(
      definition,
      pathIds,
      context,
      sendAndPrint,
      createNotFoundNotice(definition, pathIds, undefined),
    );
  } catch (error) {
    if (flags.include && lastResponse && lastResponse.status >= 300)
      await printErrorResponse(run, lastResponse);
    throw await explainIfLost(error, request, context);
  } finally {
    await secretOutput.close();
  }
};

const createApiCall = ({ method, path, query, body }: ApiRequest): Call => ({
  method,
  path: query.size === 0 ? path : `${path}?${query.toString().replaceAll(/[{}]/g, encodeURIComponent)}`,
  ...(body !== undefined && { body }),
});

/** The last part of the path of an operation that overwrites data or ends access, without being a DELETE. */
const destructiveActionPattern = /\/(restore|rotate|transfer)\/?$/;

/** Asks only where it is protected: the user has typed the method and the path. */
const confirmIfProtected = async (
  { method, path }: ApiRequest,
  flags: ApiFlags,
  context: Context,
): Promise<void> => {
  if (method !== "DELETE" && !destructiveActionPattern.test(path)) return;
  if (flags.confirm === undefined && findProtection(flags, context) === undefined) return;
  const id = path.replace(destructiveActionPattern, "").split("/").filter(Boolean).at(-1) ?? "";
  const { confirmResourceChange } = await import("../../run/confirm-resource-change.js");
  await confirmResourceChange({ action: `send ${method} ${path}`, resources: [{ id }] }, flags, context);
};

/** Refuses to create secrets that would be lost. */
const assertSecretsDeliverable = async (
  { operation, body }: ApiRequest,
  flags: ApiFlags,
  context: Context,
): Promise<void> => {
  if (!operation?.definition.secrets?.issued) return;
  const { assertDeliverable } = await import("../../secrets/assert-deliverable.js");
  const { resource } = operation.definition;
  const print = (output: Output, contents: unknown): Promise<void> =>
    printResponse({ data: contents }, { isFormatChosen: flags.output !== undefined, resource }, { output });
  await assertDeliverable(
    operation.definition,
    body,
    resolveSecretDestination(flags, context),
    context,
    print,
  );
};

/**
 * Returns which fields of a response are secrets: those that the contract marks. In the response of an operation that the contract does not
 * have, the names of fields decide.
 */
const findSecretFields = ({ method, operation }: ApiRequest): SecretFields | UnknownSecrets | undefined => {
  if (operation) return operation.definition.secrets;
  return {
    issued: method === "POST",
    mask: (resource) => (resource === undefined ? undefined : redactBody(JSON.stringify(resource))),
  };
};

const printSingleResponse = async (
  { request, flags, client, secretOutput, context }: ApiRun,
  getLastResponse: () => ResponseHead | undefined,
): Promise<void> => {
  const { output, signal } = context;
  const { headers, operation } = request;
  const body = await client.request<unknown>(createApiCall(request), { signal, headers });
  const isFormatChosen = flags.output !== undefined;
  const head = flags.include ? getLastResponse() : undefined;
  await printResponse(
    await deliverSecrets(body, secretOutput),
    { isFormatChosen, resource: operation?.definition.resource, head },
    context,
  );
  const nextCursor = getAtPath(body, ["pagination", "nextCursor"]);
  if (isFormatChosen && typeof nextCursor === "string") {
    const message = "There are more. --paginate lists everything.";
    output.notice({ code: "list:more", message, nextCursor });
  }
};

const deliverSecrets = async (body: unknown, secretOutput: SecretOutput): Promise<unknown> => {
  if (body === undefined) return undefined;
  if (!isObject(body) || !("data" in body)) return secretOutput.deliver(body);
  const { data } = body;
  return {
    ...body,
    data: Array.isArray(data) ? await secretOutput.deliverAll(data) : await secretOutput.deliver(data),
  };
};

const printPages = async ({ request, flags, client, secretOutput, context }: ApiRun): Promise<void> => {
  const { output, signal } = context;
  const { path, query, headers, operation } = request;
  const call = { method: "GET" as const, path, query: Object.fromEntries(query) };
  const loadPages = async function* (): AsyncGenerator<unknown[]> {
    const cursorPages = client.requestPages(call, { signal, headers }).pages();
    for await (const { data } of cursorPages) yield secretOutput.deliverAll(data);
  };
  if (flags.output !== undefined) return output.writeList(loadPages(), operation?.definition.resource);
  const resources: unknown[] = [];
  for await (const page of loadPages()) for (const resource of page) resources.push(resource);
  await printJson(resources, output);
};

/** Prints an error response too if `--include` asks for the response of the service. */
const printErrorResponse = async (
  { flags, context }: Pick<ApiRun, "flags" | "context">,
  { body, ...head }: RawResponse,
): Promise<void> => {
  const isFormatChosen = flags.output !== undefined;
  await printResponse(
    body === "" ? undefined : redactBody(body),
    { isFormatChosen, resource: undefined, head },
    context,
  );
};

/**
 * Returns an error that says what to run next if a request may have been processed although no response arrived, and otherwise
 * the error itself.
 */
const explainIfLost = async (
  error: unknown,
  { method, path, query, body, operation }: ApiRequest,
  context: Pick<Context, "signal" | "changeTracker">,
): Promise<unknown> => {
  if (method === "GET") return error;
  if (operation) {
    const input = { query: Object.fromEntries(query), body: isObject(body) ? body : undefined };
    return explainLostResponse(error, operation.definition, operation.pathIds, input, context);
  }
  const problem = await describeUnknownOutcome(error, method, context);
  if (problem === undefined) return error;
  const readCommand = ["mgmt", "api", "GET", path];
  return outcomeUnknownError(
    problem,
    readCommand,
    `Before you repeat it, find out whether it did: ${readCommand.map(quoteShellWord).join(" ")}`,
  );
};

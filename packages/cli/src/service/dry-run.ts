import type { Middleware } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { isObject, setAtPath, getAtPath } from "../json/json-path.js";
import { toSafeJson } from "../output/printable.js";
import type { DryRunFormat } from "../input/dry-run-option.js";
import {
  renderCurlCommand,
  formatIdVariableName,
  findIdVariableNames,
  type PlannedRequest,
} from "../output/curl-line.js";
import { redactBody, redactHeaders, redactUrl } from "@mgmt/internal/redaction/redact";

/** Thrown to abort a call whose request is not sent. */
class RequestNotSentError extends Error {}

/** Records the requests of a client instead of sending them. */
export class DryRun {
  readonly requests: PlannedRequest[] = [];

  /** Pass it to the client. Aborts the calls whose requests it records. */
  readonly middleware: Middleware = ({ method, url, body }) => {
    this.requests.push({ method, url, ...(body !== undefined && { body: JSON.parse(body) as unknown }) });
    throw new RequestNotSentError();
  };

  /** Runs calls up to the first one that would be sent. */
  async record(callback: () => PromiseLike<unknown>): Promise<void> {
    try {
      await callback();
    } catch (error) {
      if (!(error instanceof RequestNotSentError)) throw error;
    }
  }
}

/**
 * Records the requests of a sequence of calls that change something, and pretends that they succeed. The ids of what they
 * create get names, which later requests contain. Requests that only read are sent.
 */
export class SequenceDryRun {
  readonly requests: PlannedRequest[] = [];

  /** Runs calls, all of which seem to succeed. */
  async record(callback: () => PromiseLike<unknown>): Promise<void> {
    await callback();
  }

  /** Pass it to the client. */
  readonly middleware: Middleware = (request, next) => {
    const { method, url, body } = request;
    if (method === "GET" && findIdVariableNames(url).length === 0) return next(request);
    const id = formatIdVariableName(this.requests.length + 1);
    const namedId = method === "POST" || method === "GET" ? { id } : {};
    const parsedBody = body === undefined ? {} : { body: JSON.parse(body) as unknown };
    this.requests.push({ method, url, ...parsedBody, ...namedId });
    const data = method === "GET" ? [{ id }] : { id };
    const response = { data, pagination: { hasMore: false, nextCursor: null } };
    const headers = { "content-type": "application/json" };
    return Promise.resolve({ status: 200, headers, body: JSON.stringify(response) });
  };
}

/**
 * Prints requests that were not sent: as JSON without their secrets, or as curl commands that read the token and the secrets
 * from environment variables.
 *
 * @param declaredSecretPaths paths of secrets in the bodies. Those that redaction finds are added.
 */
export const printRequests = async (
  recordedRequests: readonly PlannedRequest[],
  format: DryRunFormat,
  declaredSecretPaths: readonly (readonly string[])[],
  { output }: Pick<Context, "output">,
): Promise<void> => {
  const requests = removeUnusedIds(recordedRequests).map((request) => ({
    ...request,
    url: redactUrl(request.url),
  }));
  if (format === "curl") {
    // Without the id of an earlier response, the later requests must not be sent.
    const shellPreamble = requests.some(({ id }) => id !== undefined) ? ["set -e"] : [];
    return output.writeText(
      [...shellPreamble, ...requests.map((request) => renderCurlRequest(request, declaredSecretPaths))].join(
        "\n",
      ),
    );
  }
  const redactedRequests = requests.map((request) => redactRequest(request, declaredSecretPaths));
  if (output.format === "table") output.writeText(toSafeJson(redactedRequests, 2));
  else await output.writeResult(redactedRequests);
};

/** Removes the names of ids that no request contains. */
const removeUnusedIds = (requests: readonly PlannedRequest[]): PlannedRequest[] => {
  const usedIds = new Set(findIdVariableNames(JSON.stringify(requests.map(({ url, body }) => [url, body]))));
  return requests.map(({ id, ...request }) =>
    id !== undefined && usedIds.has(id) ? { ...request, id } : request,
  );
};

const renderCurlRequest = (
  request: PlannedRequest,
  declaredSecretPaths: readonly (readonly string[])[],
): string => {
  const { headers = {}, body } = request;
  const redactedHeaders = redactHeaders(headers);
  const secretHeaders = Object.keys(headers).filter((name) => redactedHeaders[name] !== headers[name]);
  // A secret in a body that is not an object cannot become a shell variable, so it is masked.
  const maskedRequest =
    body === undefined || isObject(body) ? request : { ...request, body: redactBody(JSON.stringify(body)) };
  return renderCurlCommand(maskedRequest, findSecretPaths(body, declaredSecretPaths), secretHeaders);
};

const redactRequest = (
  request: PlannedRequest,
  declaredSecretPaths: readonly (readonly string[])[],
): PlannedRequest => {
  const headers = request.headers && { headers: redactHeaders(request.headers) };
  if (request.body === undefined) return { ...request, ...headers };
  const { body } = structuredClone({ body: request.body });
  if (isObject(body))
    for (const path of declaredSecretPaths)
      if (getAtPath(body, path) !== undefined) setAtPath(body, path, "[redacted]");
  return { ...request, ...headers, body: redactBody(JSON.stringify(body)) };
};

/** Returns the declared paths and, outside of them, those at which redaction changes a value. */
const findSecretPaths = (
  body: unknown,
  declaredSecretPaths: readonly (readonly string[])[],
): (readonly string[])[] => {
  const isDeclared = (path: readonly string[]): boolean =>
    declaredSecretPaths.some((declaredPath) => declaredPath.every((name, index) => path[index] === name));
  const paths = findRedactedPaths(body, redactBody(JSON.stringify(body ?? null)));
  return [...declaredSecretPaths, ...paths.filter((path) => !isDeclared(path))];
};

/** Returns the paths at which redaction has changed a value. */
const findRedactedPaths = (
  value: unknown,
  redactedValue: unknown,
  path: readonly string[] = [],
): string[][] => {
  if (isObject(value) && isObject(redactedValue)) {
    return Object.entries(value).flatMap(([name, propertyValue]) =>
      findRedactedPaths(propertyValue, redactedValue[name], [...path, name]),
    );
  }
  return JSON.stringify(value) === JSON.stringify(redactedValue) ? [] : [[...path]];
};

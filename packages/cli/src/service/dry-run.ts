import type { Middleware } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { isObject, setAt, valueAt } from "../json/json-path.js";
import { toJson } from "../output/printable.js";
import type { DryRunFormat } from "../input/dry-run-option.js";
import { curlLine, idName, idNamesIn, type PlannedRequest } from "../output/curl-line.js";
import { redactBody, redactHeaders, redactUrl } from "../sdk/redaction.js";

/** Ends a call whose request is not sent. */
class NotSent extends Error {}

/** Records the requests of a client instead of sending them. */
export class DryRun {
  readonly requests: PlannedRequest[] = [];

  /** Pass it to the client. Ends the calls whose requests it records. */
  readonly middleware: Middleware = ({ method, url, body }) => {
    this.requests.push({ method, url, ...(body !== undefined && { body: JSON.parse(body) as unknown }) });
    throw new NotSent();
  };

  /** Runs calls up to the first one that would be sent. */
  async record(calls: () => PromiseLike<unknown>): Promise<void> {
    try {
      await calls();
    } catch (error) {
      if (!(error instanceof NotSent)) throw error;
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
  async record(calls: () => PromiseLike<unknown>): Promise<void> {
    await calls();
  }

  /** Pass it to the client. */
  readonly middleware: Middleware = (request, next) => {
    const { method, url, body } = request;
    if (method === "GET" && idNamesIn(url).length === 0) return next(request);
    const id = idName(this.requests.length + 1);
    const named = method === "POST" || method === "GET" ? { id } : {};
    const parsed = body === undefined ? {} : { body: JSON.parse(body) as unknown };
    this.requests.push({ method, url, ...parsed, ...named });
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
 * @param declared Paths of secrets in the bodies. Those that redaction finds are added.
 */
export const printRequests = async (
  recorded: readonly PlannedRequest[],
  format: DryRunFormat,
  declared: readonly (readonly string[])[],
  { output }: Pick<Context, "output">,
): Promise<void> => {
  const requests = withoutUnusedIds(recorded).map((request) => ({ ...request, url: redactUrl(request.url) }));
  if (format === "curl") {
    // Without the id of an earlier response, the later requests must not be sent.
    const start = requests.some(({ id }) => id !== undefined) ? ["set -e"] : [];
    return output.text([...start, ...requests.map((request) => withVariables(request, declared))].join("\n"));
  }
  const redacted = requests.map((request) => withoutSecrets(request, declared));
  if (output.format === "table") output.text(toJson(redacted, 2));
  else await output.result(redacted);
};

/** Removes the names of ids that no request contains. */
const withoutUnusedIds = (requests: readonly PlannedRequest[]): PlannedRequest[] => {
  const used = new Set(idNamesIn(JSON.stringify(requests.map(({ url, body }) => [url, body]))));
  return requests.map(({ id, ...request }) =>
    id !== undefined && used.has(id) ? { ...request, id } : request,
  );
};

const withVariables = (request: PlannedRequest, declared: readonly (readonly string[])[]): string => {
  const { headers = {}, body } = request;
  const redacted = redactHeaders(headers);
  const secretHeaders = Object.keys(headers).filter((name) => redacted[name] !== headers[name]);
  // Only the fields of an object can be variables.
  const maskedRequest =
    body === undefined || isObject(body) ? request : { ...request, body: redactBody(JSON.stringify(body)) };
  return curlLine(maskedRequest, secretPathsIn(body, declared), secretHeaders);
};

const withoutSecrets = (
  request: PlannedRequest,
  declared: readonly (readonly string[])[],
): PlannedRequest => {
  const headers = request.headers && { headers: redactHeaders(request.headers) };
  if (request.body === undefined) return { ...request, ...headers };
  const { body } = structuredClone({ body: request.body });
  if (isObject(body))
    for (const path of declared) if (valueAt(body, path) !== undefined) setAt(body, path, "[redacted]");
  return { ...request, ...headers, body: redactBody(JSON.stringify(body)) };
};

/** Returns the declared paths and, outside of them, those at which redaction changes a value. */
const secretPathsIn = (body: unknown, declared: readonly (readonly string[])[]): (readonly string[])[] => {
  const isDeclared = (path: readonly string[]): boolean =>
    declared.some((declaredPath) => declaredPath.every((name, index) => path[index] === name));
  const paths = redactedPaths(body, redactBody(JSON.stringify(body ?? null)));
  return [...declared, ...paths.filter((path) => !isDeclared(path))];
};

/** Returns the paths at which redaction has changed a value. */
const redactedPaths = (value: unknown, redacted: unknown, path: readonly string[] = []): string[][] => {
  if (isObject(value) && isObject(redacted)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      redactedPaths(inner, redacted[name], [...path, name]),
    );
  }
  return JSON.stringify(value) === JSON.stringify(redacted) ? [] : [[...path]];
};

import type { TransportRequest, TransportResponse } from "@mgmt/sdk";
import { describeCause } from "../errors/cli-error.js";
import type { Notice } from "../output/messages.js";
import { renderCurlCommand } from "../output/curl-line.js";
import { redactBody, redactHeaders, redactUrl, findSecrets } from "@mgmt/internal/redaction/redact";

/** Headers that curl sends itself, or that the line contains already. */
const implicitHeaders: readonly string[] = [
  "accept",
  "authorization",
  "content-length",
  "content-type",
  "user-agent",
];

/** Returns a request as a curl command without secrets. */
export const describeRequest = ({ method, url, headers, body }: TransportRequest): Notice => {
  const otherHeaders = Object.entries(headers).filter(
    ([name]) => !implicitHeaders.includes(name.toLowerCase()),
  );
  const isJson = headers["content-type"]?.includes("json") ?? false;
  const secrets = findSecrets(headers, body);
  const isAnonymous = !Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  const line = renderCurlCommand(
    {
      method,
      isAnonymous,
      url: redactUrl(url, secrets),
      headers: redactHeaders(Object.fromEntries(otherHeaders), secrets),
      ...(body !== undefined && isJson && { body: redactBody(body, secrets) }),
    },
    [],
  );
  const message = body === undefined || isJson ? line : `${line} # with a body that is not shown`;
  return { code: "debug:request", message };
};

/**
 * Returns the debug message about a response.
 *
 * @param durationMs how long the request took, in milliseconds.
 */
export const describeResponse = ({ status, headers }: TransportResponse, durationMs: number): Notice => {
  const requestId = headers["x-request-id"];
  const id = requestId === undefined ? "" : `, request id ${requestId}`;
  return {
    code: "debug:response",
    message: `Status ${String(status)} after ${String(durationMs)} ms${id}`,
    status,
    durationMs,
    ...(requestId !== undefined && { requestId }),
  };
};

/**
 * Returns the debug message about a request without a response. Leaves out the message of the error, because the message of a proxy may
 * contain a URL with a password.
 *
 * @param durationMs how long the request took, in milliseconds.
 */
export const describeFailure = (error: unknown, durationMs: number): Notice => {
  const reason = error instanceof Error && "code" in error ? describeCause(error) : "no response";
  return {
    code: "debug:failed",
    message: `Failed after ${String(durationMs)} ms (${reason})`,
    durationMs,
  };
};

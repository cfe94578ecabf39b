import type { Next, OutgoingRequest } from "../transport/middleware.js";
import type { TransportResponse } from "../transport/transport.js";
import { observe } from "@mgmt/internal/observers/observe";
import { redactBody, redactHeaders, redactUrl, secretsIn } from "@mgmt/internal/redaction/redact";
import { escapeUnsafe } from "@mgmt/internal/text/unsafe-characters";

/** Sends a request and prints it and its response, one line each. */
export const printRequest = async (
  request: OutgoingRequest,
  next: Next,
  debug: true | ((line: string) => unknown),
): Promise<TransportResponse> => {
  const { method, attempt } = request;
  const write = typeof debug === "function" ? debug : (line: string): void => console.error(line);
  const print = (line: string): void => observe("debug", write, escapeUnsafe(line));
  const sent = secretsIn(request.headers, request.body);
  const url = redactUrl(request.url, sent);
  const start = performance.now();
  const elapsed = (): string => `${Math.round(performance.now() - start)} ms`;
  print(`[mgmt] → ${method} ${url} #${attempt} ${describe(request.headers, request.body, sent)}`);
  try {
    const response = await next(request);
    const received = secretsIn(response.headers, response.body);
    const content = describe(response.headers, response.body, [...sent, ...received]);
    print(`[mgmt] ← ${method} ${url} #${attempt} ${response.status} in ${elapsed()} ${content}`);
    return response;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no response";
    print(`[mgmt] × ${method} ${url} #${attempt} ${code} in ${elapsed()}`);
    throw error;
  }
};

const describe = (
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
  known: readonly string[],
): string =>
  JSON.stringify({
    headers: redactHeaders(headers, known),
    ...(body ? { body: redactBody(body, known) } : {}),
  });

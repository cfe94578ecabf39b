import type { Next, OutgoingRequest } from "../transport/middleware.js";
import type { TransportResponse } from "../transport/transport.js";
import { observe } from "@mgmt/internal/observers/observe";
import { redactBody, redactHeaders, redactUrl, findSecrets } from "@mgmt/internal/redaction/redact";
import { escapeUnsafe } from "@mgmt/internal/text/unsafe-characters";

/** Sends a request and prints it and its response, one line each. */
export const printRequest = async (
  request: OutgoingRequest,
  next: Next,
  debug: true | ((line: string) => unknown),
): Promise<TransportResponse> => {
  const { method, attempt } = request;
  const writeLine = typeof debug === "function" ? debug : (line: string): void => console.error(line);
  const printLine = (line: string): void => observe("debug", writeLine, escapeUnsafe(line));
  const sentSecrets = findSecrets(request.headers, request.body);
  const url = redactUrl(request.url, sentSecrets);
  const start = performance.now();
  const formatElapsed = (): string => `${Math.round(performance.now() - start)} ms`;
  printLine(
    `[mgmt] → ${method} ${url} #${attempt} ${describeContent(request.headers, request.body, sentSecrets)}`,
  );
  try {
    const response = await next(request);
    const receivedSecrets = findSecrets(response.headers, response.body);
    const content = describeContent(response.headers, response.body, [...sentSecrets, ...receivedSecrets]);
    printLine(`[mgmt] ← ${method} ${url} #${attempt} ${response.status} in ${formatElapsed()} ${content}`);
    return response;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no response";
    printLine(`[mgmt] × ${method} ${url} #${attempt} ${code} in ${formatElapsed()}`);
    throw error;
  }
};

const describeContent = (
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
  knownSecrets: readonly string[],
): string =>
  JSON.stringify({
    headers: redactHeaders(headers, knownSecrets),
    ...(body ? { body: redactBody(body, knownSecrets) } : {}),
  });

import type { Next, OutgoingRequest } from "../request/middleware.js";
import type { TransportResponse } from "../transport/transport.js";
import { redactBody, redactHeaders, redactUrl } from "./redact.js";

/** Sends a request and prints it with its answer, one line each. */
export const printExchange = async (
  request: OutgoingRequest,
  next: Next,
  debug: true | ((line: string) => void),
): Promise<TransportResponse> => {
  const { method, attempt } = request;
  const print = typeof debug === "function" ? debug : (line: string): void => console.error(line);
  const url = redactUrl(request.url);
  const start = performance.now();
  const elapsed = (): string => `${Math.round(performance.now() - start)} ms`;
  print(`[mgmt] → ${method} ${url} #${attempt} ${parts(request.headers, request.body)}`);
  try {
    const answer = await next(request);
    print(
      `[mgmt] ← ${method} ${url} #${attempt} ${answer.status} in ${elapsed()} ${parts(answer.headers, answer.body)}`,
    );
    return answer;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no answer";
    print(`[mgmt] × ${method} ${url} #${attempt} ${code} in ${elapsed()}`);
    throw error;
  }
};

const parts = (headers: Readonly<Record<string, string>>, body: string | undefined): string =>
  JSON.stringify({
    headers: redactHeaders(headers),
    ...(body ? { body: redactBody(body) } : {}),
  });

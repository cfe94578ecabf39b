import { waitForRealTurn } from "#platform";
import type { MemoryServer } from "@mgmt/engine";
import { encodeFirstHalf, findHeadSizeRejection } from "@mgmt/engine/internal";
import { createBodyStream } from "../platform/body-stream.js";

const forwardedHeaderNames: ReadonlySet<string> = new Set([
  "authorization",
  "content-type",
  "content-encoding",
  "origin",
  "cookie",
  "access-control-request-headers",
]);

/**
 * Responds to a web `Request` whose URL begins with one of the `bases`, in the form that `normalizeBaseUrl` returns. A
 * dropped connection becomes a network error, as with `fetch`.
 *
 * @param pause waits for the latency of a fault. Default: in real time.
 */
export const respondTo = async (
  engine: MemoryServer,
  bases: readonly string[],
  request: Request,
  pause?: (milliseconds: number) => Promise<void>,
): Promise<Response> => {
  const { method, url } = request;
  const path = getPathBelowBase(bases, url);
  // Each reading of a header takes longer than to look at all of them once.
  const allHeaders = [...request.headers];
  const headers = Object.fromEntries(allHeaders.filter(([name]) => forwardedHeaderNames.has(name)));
  const hasBody = request.body !== null && engine.bodyPolicy(method, path).limit > 0;
  const body = hasBody ? await readBody(request) : undefined;

  const engineResponse =
    findHeadSizeRejection(path, allHeaders) ??
    (await engine.handle({ method, path, headers, body, pause, cut: request.signal }));
  if (engineResponse.dropped === "unsent") return Response.error();
  const { status, headers: responseHeaders, body: bodyText = null } = engineResponse;
  const responseBody = bodyText === null ? null : createBodyStream(bodyText);
  return new Response(engineResponse.dropped ? createCutBody(bodyText ?? "") : responseBody, {
    status,
    headers: responseHeaders,
  });
};

/** Reads the body of a request. Its own methods resolve in a callback of `queueMicrotask`. */
const readBody = async (request: Request): Promise<Uint8Array> => {
  // Firefox does not have the stream.
  if (!request.body) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  const reader = request.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
  const bytes = new Uint8Array(chunks.reduce((size, { length }) => size + length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
};

/** Returns a stream that fails after the first half of the body. */
const createCutBody = (bodyText: string): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(encodeFirstHalf(bodyText));
      // An immediate error would discard the chunk that is still in the queue.
      void waitForRealTurn().then(() => controller.error(new TypeError("terminated")));
    },
  });

/** Normalizes a base URL like the URLs of requests: lowercase host, no default port, no trailing slash. */
export const normalizeBaseUrl = (url: string): string => new URL(url).href.replace(/\/$/, "");

/** Returns a pattern of the URLs that begin with one of the `bases`, in the form that `normalizeBaseUrl` returns. */
export const createUrlPattern = (bases: readonly string[]): RegExp =>
  new RegExp(`^(?:${bases.map(escapePattern).join("|")})(?:[/?#]|$)`);

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Returns the path and query of a URL, relative to the base URL that it begins with. */
const getPathBelowBase = (bases: readonly string[], url: string): string => {
  const [urlWithoutFragment = ""] = url.split("#", 1);
  const base =
    bases.find((base) => urlWithoutFragment.startsWith(base)) ?? new URL(urlWithoutFragment).origin;
  const path = urlWithoutFragment.slice(base.length);
  return path.startsWith("/") ? path : `/${path}`;
};

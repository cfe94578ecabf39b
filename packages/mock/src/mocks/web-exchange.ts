import { realTurn } from "../client/real-turn.js";
import { type MemoryServer, halfOf, refuseLargeHead } from "@mgmt/engine";

const readHeaders = [
  "authorization",
  "content-type",
  "content-encoding",
  "origin",
  "cookie",
  "access-control-request-headers",
] as const;

/**
 * Responds to a web `Request` whose URL begins with one of the `bases`, in the form that `baseOf` returns. A
 * dropped connection becomes a network error, like that of `fetch`.
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
  const path = pathBelow(bases, url);
  const headers: Record<string, string | undefined> = {};
  for (const name of readHeaders) headers[name] = request.headers.get(name) ?? undefined;
  const hasBody = request.body !== null && engine.bodyPolicy(method, path).limit > 0;
  const body = hasBody ? await bytesOf(request) : undefined;

  const answer =
    refuseLargeHead(path, request.headers) ??
    (await engine.handle({ method, path, headers, body, pause, cut: request.signal }));
  if (answer.dropped === "unsent") return Response.error();
  const { status, headers: answered, body: text = null } = answer;
  const sent = text === null ? null : streamOf(text);
  return new Response(answer.dropped ? cutBody(text ?? "") : sent, { status, headers: answered });
};

/**
 * Returns a stream of bytes. The stream that Node.js makes of a text ends in a callback of `queueMicrotask`: while fake timers hold
 * that back, it repeats the text without end.
 */
const streamOf = (content: string | Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });

/** Creates a request whose body can be read while fake timers hold back the callbacks of `queueMicrotask`. */
export const requestOf = (url: string, init: RequestInit): Request => {
  const { body } = init;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return new Request(url, init);
  const streamed: RequestInit & { duplex: "half" } = { ...init, body: streamOf(body), duplex: "half" };
  return new Request(url, streamed);
};

/** Reads the body of a request. Its own methods resolve in a callback of `queueMicrotask`. */
const bytesOf = async ({ body }: Request): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Returns a stream that fails after the first half of the body. */
const cutBody = (text: string): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(halfOf(text));
      // An immediate error would discard the chunk that is still in the queue.
      void realTurn().then(() => controller.error(new TypeError("terminated")));
    },
  });

/** Normalizes a base URL like the URLs of requests: lowercase host, no default port, no trailing slash. */
export const baseOf = (url: string): string => new URL(url).href.replace(/\/$/, "");

/** Returns the path and query of a URL, relative to the base URL that it begins with. */
const pathBelow = (bases: readonly string[], url: string): string => {
  const [target = ""] = url.split("#", 1);
  const base = bases.find((each) => target.startsWith(each)) ?? new URL(target).origin;
  const path = target.slice(base.length);
  return path.startsWith("/") ? path : `/${path}`;
};

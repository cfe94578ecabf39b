import { type ReferenceEngine, halfOf, refuseLargeHead } from "@mgmt/engine";

const readHeaders = [
  "authorization",
  "content-type",
  "origin",
  "cookie",
  "access-control-request-headers",
] as const;

/**
 * Responds to a web `Request` whose URL begins with one of the `bases`, in the form that `baseOf` returns. A
 * dropped connection becomes a network error, like that of `fetch`.
 */
export const respondTo = async (
  engine: ReferenceEngine,
  bases: readonly string[],
  request: Request,
): Promise<Response> => {
  const { method, url } = request;
  const path = pathBelow(bases, url);
  const headers: Record<string, string | undefined> = {};
  for (const name of readHeaders) headers[name] = request.headers.get(name) ?? undefined;
  const hasBody = request.body !== null && engine.bodyPolicy(method, path).limit > 0;
  const body = hasBody ? new Uint8Array(await request.arrayBuffer()) : undefined;

  const answer =
    refuseLargeHead(path, request.headers) ?? (await engine.handle({ method, path, headers, body }));
  if (answer.dropped === "unsent") return Response.error();
  const { status, headers: answered, body: text = null } = answer;
  return new Response(answer.dropped ? cutBody(text ?? "") : text, { status, headers: answered });
};

/** Returns a stream that fails after the first half of the body. */
const cutBody = (text: string): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(halfOf(text));
      // An immediate error would discard the chunk that is still in the queue.
      setTimeout(() => controller.error(new TypeError("terminated")));
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

import { type ReferenceEngine, halfOf } from "@mgmt/engine";

const readHeaders = [
  "authorization",
  "content-type",
  "origin",
  "cookie",
  "access-control-request-headers",
] as const;

/**
 * Answers a `Request` of the web platform to one of the `bases` (as `baseOf` writes them). A dropped connection is a network error, as
 * `fetch` sees one.
 */
export const answerRequest = async (
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

  const answer = await engine.handle({ method, path, headers, body });
  if (answer.dropped === "unanswered") return Response.error();
  const { status, headers: answered, body: text = null } = answer;
  return new Response(answer.dropped ? cutBody(text ?? "") : text, { status, headers: answered });
};

/** The first half of a body, after which the connection breaks off. */
const cutBody = (text: string): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(halfOf(text));
      // An error at once would take back what nobody has read yet.
      setTimeout(() => controller.error(new TypeError("terminated")));
    },
  });

/** A base URL as requests name it: host in lower case, no default port. */
export const baseOf = (url: string): string => new URL(url).href.replace(/\/$/, "");

/** Path and query, below the base URL that the request was sent to. */
const pathBelow = (bases: readonly string[], url: string): string => {
  const [target = ""] = url.split("#", 1);
  const base = bases.find((each) => target.startsWith(each)) ?? new URL(target).origin;
  const path = target.slice(base.length);
  return path.startsWith("/") ? path : `/${path}`;
};

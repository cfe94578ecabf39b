import type { ReferenceEngine } from "../control/reference-engine.js";

const readHeaders = [
  "authorization",
  "content-type",
  "origin",
  "cookie",
  "access-control-request-headers",
] as const;

/** Answers a `Request` of the web platform. A dropped connection is a network error, as `fetch` sees one. */
export const answerRequest = async (engine: ReferenceEngine, request: Request): Promise<Response> => {
  const { method, url } = request;
  const path = url.slice(url.indexOf("/", url.indexOf("//") + 2)).replace(/#.*$/s, "");
  const headers: Record<string, string | undefined> = {};
  for (const name of readHeaders) headers[name] = request.headers.get(name) ?? undefined;
  const hasBody = request.body !== null && engine.bodyCap(method, path) > 0;
  const body = hasBody ? new Uint8Array(await request.arrayBuffer()) : undefined;

  const answer = await engine.handle({ method, path, headers, body });
  if (answer.dropped) return Response.error();
  return new Response(answer.body ?? null, { status: answer.status, headers: answer.headers });
};

import createPathClient, { type Client as PathClient } from "openapi-fetch";
import type { paths } from "./generated/schema.js";
import { fillPath } from "./request/path.js";
import { exchange } from "./request/request.js";
import type { Settings } from "./request/settings.js";

/** Typed paths instead of methods: `client.http.GET("/v1/projects/{id}", { params: { path: { id } } })`. */
export type HttpClient = PathClient<paths>;

/**
 * openapi-fetch over the SDK's own request path: the same credential, transport and deadline. It answers
 * `{ data, error, response }` and throws only what no answer came for.
 */
export const createHttp = (settings: Settings): HttpClient =>
  createPathClient<paths>({
    baseUrl: settings.baseUrl,
    // The paths' types admit strings only; anything else is refused there.
    pathSerializer: (path, params) => fillPath(path, params as Record<string, string>),
    fetch: async (request) => {
      const { method, url } = request;
      const { status, headers, body } = await exchange(
        settings,
        {
          method,
          path: new URL(url).pathname,
          url,
          headers: { ...settings.headers, ...Object.fromEntries(request.headers) },
          body: (await request.text()) || undefined,
        },
        { signal: request.signal },
      );
      return new Response([204, 205, 304].includes(status) ? null : body, { status, headers });
    },
  });

/** Any origin may call the API without cookies, which SDKs in browsers need. See https://fetch.spec.whatwg.org/#http-cors-protocol. */

const exposedHeaders =
  "x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, www-authenticate";

/** Headers of the response to a request from another origin. */
export const corsHeaders: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposedHeaders,
};

/**
 * Returns the headers of the response to a preflight request.
 *
 * @param requestedHeaders the `Access-Control-Request-Headers` of the request.
 */
export const buildPreflightHeaders = (
  methods: readonly string[],
  requestedHeaders: string | undefined,
): Record<string, string> => ({
  "access-control-allow-origin": "*",
  "access-control-allow-methods": methods.join(", "),
  "access-control-allow-headers": requestedHeaders ?? "authorization, content-type",
  "access-control-max-age": "86400",
});

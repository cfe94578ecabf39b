/** § Reading requests: `/v1` allows any origin, without credentials; a browser SDK needs it. */

const exposed =
  "x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, www-authenticate";

export const isCorsPath = (path: string): boolean => path === "/v1" || path.startsWith("/v1/");

/** Headers of an answer to a request that a page of another origin sent. */
export const corsHeaders: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposed,
};

/** Headers of the answer to a preflight request. */
export const preflightHeaders = (
  methods: readonly string[],
  wanted: string | undefined,
): Record<string, string> => ({
  "access-control-allow-origin": "*",
  "access-control-allow-methods": methods.join(", "),
  "access-control-allow-headers": wanted ?? "authorization, content-type",
  "access-control-max-age": "86400",
});

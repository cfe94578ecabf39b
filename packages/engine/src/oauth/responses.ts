import type { PipelineOutcome } from "../values/message.js";
import type { OAuthError } from "./oauth-error.js";

/** Adds parameters to the request log. They must not contain secrets. */
export type LogParameters = (parameters: Readonly<Record<string, string>>) => void;

/** Headers of responses that contain tokens. See https://www.rfc-editor.org/rfc/rfc6749#section-5.1. */
export const noStoreHeaders = { "cache-control": "no-store", pragma: "no-cache" } as const;

/**
 * Returns a successful response of the authorization server.
 *
 * @param headers default: those that forbid caches to store the response.
 */
export const createJsonResponse = (
  body: object,
  headers: Readonly<Record<string, string>> = noStoreHeaders,
): PipelineOutcome => ({
  status: 200,
  headers,
  rawBody: { text: JSON.stringify(body), contentType: "application/json" },
  code: null,
});

/**
 * Returns an error response of the token or revocation endpoint. See
 * https://www.rfc-editor.org/rfc/rfc6749#section-5.2.
 */
export const createOAuthErrorResponse = ({
  code,
  description,
  status,
  headers,
}: OAuthError): PipelineOutcome => ({
  ...createJsonResponse({ error: code, error_description: description }, { ...noStoreHeaders, ...headers }),
  status,
  code,
});

/**
 * Returns a redirect with status 303, which prevents the browser from submitting the form again. See
 * https://www.rfc-editor.org/rfc/rfc9700#section-4.12.
 */
export const createRedirectResponse = (location: string, code: string | null): PipelineOutcome => ({
  status: 303,
  headers: { ...noStoreHeaders, location, "referrer-policy": "no-referrer" },
  code,
});

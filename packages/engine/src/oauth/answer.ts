import type { OAuthError } from "./oauth-error.js";

/** What the authorization server answers, before it is sent. */
export interface OAuthAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: { readonly text: string; readonly contentType: string };
  /** Error code, for the request log. */
  readonly code: string | null;
}

/** Called with the parameters of a request that are known to be no secret, for the request log. */
export type Note = (parameters: Readonly<Record<string, string>>) => void;

/** RFC 6749 §5.1: what holds tokens is not stored by anyone on the way. */
export const unstored = { "cache-control": "no-store", pragma: "no-cache" } as const;

export const jsonAnswer = (
  value: object,
  headers: Readonly<Record<string, string>> = unstored,
): OAuthAnswer => ({
  status: 200,
  headers,
  body: { text: JSON.stringify(value), contentType: "application/json" },
  code: null,
});

/** An error as RFC 6749 §5.2 prints it. */
export const errorAnswer = ({ code, description, status, headers }: OAuthError): OAuthAnswer => ({
  ...jsonAnswer({ error: code, error_description: description }, { ...unstored, ...headers }),
  status,
  code,
});

/** Sends the browser on. 303, so that no form is posted again where it leads (RFC 9700 §4.12). */
export const redirectAnswer = (location: string, code: string | null): OAuthAnswer => ({
  status: 303,
  headers: { ...unstored, location, "referrer-policy": "no-referrer" },
  code,
});

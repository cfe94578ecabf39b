import type { Outcome } from "../request/message.js";
import { notStored } from "./responses.js";
import type { OAuthError } from "./oauth-error.js";
import { type RefusalParts, refusalPage } from "./page/refusal-page.js";
import { stylesSource } from "./page/styles.js";

export interface Page {
  readonly status: number;
  readonly text: string;
  /** Sources that the `form-action` directive allows. */
  readonly formAction: string;
  readonly code?: string;
}

/**
 * Returns the response for an HTML page. Its headers forbid scripts, external resources and framing, and
 * restrict where its form can be submitted.
 */
export const pageResponse = ({ status, text, formAction, code = "" }: Page): Outcome => ({
  status,
  headers: {
    ...notStored,
    "content-security-policy": [
      "default-src 'none'",
      `style-src ${stylesSource}`,
      "img-src data:",
      `form-action ${formAction}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join("; "),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    // With `no-referrer`, browsers would send `Origin: null` with the form. See
    // https://fetch.spec.whatwg.org/#append-a-request-origin-header.
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  },
  raw: { text, contentType: "text/html; charset=utf-8" },
  code: code === "" ? null : code,
});

const refusal = (status: number, parts: RefusalParts): Page => ({
  status,
  text: refusalPage(parts),
  formAction: "'none'",
  code: parts.code,
});

const beginAgain = "Go back to the program that brought you here, and begin again";

/** Error pages. They are shown to the user and not reported to the client. */
export const refusals = {
  /** The client or its redirect URI is invalid, so the error cannot be sent to the client. */
  request: ({ code, description }: OAuthError) =>
    refusal(400, {
      title: "This sign-in link does not work",
      reason: description,
      hint: "The program that brought you here has made a mistake; you were not sent back to it, since it may not be what it says",
      code,
    }),
  foreign: () =>
    refusal(403, {
      title: "Another site sent this request",
      reason: "Only this page itself may send its form",
      hint: beginAgain,
      code: "foreign_origin",
    }),
  stale: (retry: string) =>
    refusal(403, {
      title: "This page is out of date",
      reason: "Its form does not belong to this browser, or the server has been started again since",
      hint: "Begin again; the page needs cookies of this address",
      code: "stale_form",
      retry,
    }),
  form: (status: number, retry: string) =>
    refusal(status, {
      title: "The form was not complete",
      reason: "It names no account, or no workspace that the account is a member of",
      hint: "Begin again",
      code: "invalid_form",
      retry,
    }),
  offLoopback: () =>
    refusal(403, {
      title: "Nobody can sign in here",
      reason: "Signing in needs no password on this server, so that it exists on loopback only",
      hint: "Open the page on the machine that runs the server, or let the server listen on 127.0.0.1",
      code: "off_loopback",
    }),
  approvalOffLoopback: () =>
    refusal(403, {
      title: "Approvals are not shown here",
      reason: "This server asks nobody who they are, so that it shows them on loopback only",
      hint: "Open the page on the machine that runs the server",
      code: "off_loopback",
    }),
  noApproval: () =>
    refusal(404, {
      title: "There is no such approval",
      reason: "It was never asked for, or the server has been reset since",
      hint: "Let the agent send its request again",
      code: "approval:not_found",
    }),
};

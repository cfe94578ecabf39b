import type { PipelineOutcome } from "../values/message.js";
import { noStoreHeaders } from "./responses.js";
import type { OAuthError } from "./oauth-error.js";
import { type RejectionPageData, renderRejectionPage } from "./page/rejection-page.js";
import { stylesCspSource } from "./page/styles.js";

/** An HTML page, and what its content security policy allows. */
export interface Page {
  readonly status: number;
  readonly html: string;
  /** Sources that the `form-action` directive allows. */
  readonly formAction: string;
  readonly code?: string;
  /** The source that the `script-src` directive allows: the hash of the page's own script. Default: scripts are forbidden. */
  readonly scriptCspSource?: string;
}

/**
 * Returns the response for an HTML page. Its headers forbid other scripts than its own, external resources and
 * framing, and restrict where its form can be submitted.
 */
export const createPageResponse = ({
  status,
  html,
  formAction,
  code = "",
  scriptCspSource,
}: Page): PipelineOutcome => ({
  status,
  headers: {
    ...noStoreHeaders,
    "content-security-policy": [
      "default-src 'none'",
      `style-src ${stylesCspSource}`,
      ...(scriptCspSource === undefined ? [] : [`script-src ${scriptCspSource}`]),
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
  rawBody: { text: html, contentType: "text/html; charset=utf-8" },
  code: code === "" ? null : code,
});

const buildRejectionPage = (status: number, pageData: RejectionPageData): Page => ({
  status,
  html: renderRejectionPage(pageData),
  formAction: "'none'",
  code: pageData.code,
});

const startAgainHint = "Go back to the program that sent you here and start again";

/** Error pages. They are shown to the user and not reported to the client. */
export const rejectionPages = {
  /** The client or its redirect URI is invalid, so the error cannot be sent to the client. */
  request: ({ code, description }: OAuthError) =>
    buildRejectionPage(400, {
      title: "This sign-in link does not work",
      reason: description,
      hint: "The program that sent you here made an invalid request. You were not sent back, because the program could not be verified",
      code,
    }),
  foreign: () =>
    buildRejectionPage(403, {
      title: "Another site sent this request",
      reason: "Only this page can submit its form",
      hint: startAgainHint,
      code: "foreign_origin",
    }),
  stale: (retryUrl: string) =>
    buildRejectionPage(403, {
      title: "This page is out of date",
      reason: "Its form does not belong to this browser, or the server has restarted",
      hint: "Start again. The page requires cookies",
      code: "stale_form",
      retryUrl,
    }),
  form: (status: number, retryUrl: string) =>
    buildRejectionPage(status, {
      title: "The form is incomplete",
      reason: "Choose an account and a workspace that the account is a member of",
      hint: "Start again",
      code: "invalid_form",
      retryUrl,
    }),
  offLoopback: () =>
    buildRejectionPage(403, {
      title: "Sign-in is not available here",
      reason: "This server has no passwords, so signing in is possible only on loopback",
      hint: "Open the page on the machine that runs the server, or configure the server to listen on 127.0.0.1",
      code: "off_loopback",
    }),
  approvalOffLoopback: () =>
    buildRejectionPage(403, {
      title: "Approvals are not shown here",
      reason: "This server does not authenticate visitors, so approvals are shown only on loopback",
      hint: "Open the page on the machine that runs the server",
      code: "off_loopback",
    }),
  noApproval: () =>
    buildRejectionPage(404, {
      title: "This approval does not exist",
      reason: "It was never requested, or the server has been reset",
      hint: "Have the agent send its request again",
      code: "approval:not_found",
    }),
};

import { applyExpiry } from "../request/approval-expiry.js";
import { parseApprovalPath } from "../values/approval-path.js";
import { describeEffect } from "../request/approval-effect.js";
import { errors } from "../values/errors.js";
import type { Endpoint } from "../context/endpoint.js";
import { maxFormBytes } from "./form-body.js";
import { createPageResponse, rejectionPages } from "./page-response.js";
import { renderApprovalPage } from "./page/approval-page.js";
import { createRedirectResponse, noStoreHeaders } from "./responses.js";
import type { SignInGate } from "./sign-in-gate.js";
import { readOnlyTransaction } from "../store/storage-adapter.js";

/**
 * Returns a function that finds the endpoint of the page that shows an approval. The page is available on loopback only,
 * because its URL contains no credential.
 *
 * @param signInGate asks for the sign-in key. Default: the page is shown to every visitor.
 */
export const createApprovalPageFinder =
  (signInGate: SignInGate | undefined) =>
  (method: string, path: string): Endpoint | undefined => {
    const id = method === "GET" || (signInGate && method === "POST") ? parseApprovalPath(path) : undefined;
    if (id === undefined) return undefined;
    return {
      id: null,
      discardsBody: false,
      bodyLimit: () => (method === "POST" ? maxFormBytes : 0),
      respond: (endpointContext, request) => {
        if (request.offLoopback) return createPageResponse(rejectionPages.approvalOffLoopback());
        const signInResponse = signInGate?.respondUnlessSignedIn(request, path);
        if (signInResponse) return signInResponse;
        // The page has no form but that for the key.
        if (method === "POST") return createRedirectResponse(path, null);
        return endpointContext.transact(readOnlyTransaction, (context) => {
          const approval = context.store.approvals.get(id);
          if (!approval) return createPageResponse(rejectionPages.noApproval());
          const html = renderApprovalPage(
            applyExpiry(approval, context.clock.now()),
            describeEffect(context, approval),
          );
          return createPageResponse({ status: 200, html, formAction: "'none'" });
        });
      },
    };
  };

/**
 * Returns a function that finds the endpoint of a sentence with the command by which an operator decides an approval. It shows nothing of
 * the approval, because its URL contains no credential.
 *
 * @param formatText returns the text for an id.
 */
export const createCommandPageFinder =
  (formatText: (approvalId: string) => string) =>
  (method: string, path: string): Endpoint | undefined => {
    const id = method === "GET" ? parseApprovalPath(path) : undefined;
    if (id === undefined) return undefined;
    return {
      id: null,
      discardsBody: false,
      bodyLimit: () => 0,
      respond: (endpointContext) =>
        endpointContext.transact(readOnlyTransaction, ({ store }) => {
          if (store.approvals.get(id) === undefined) throw errors["approval:not_found"]();
          return {
            status: 200,
            headers: { ...noStoreHeaders, "x-content-type-options": "nosniff" },
            rawBody: { text: formatText(id), contentType: "text/plain; charset=utf-8" },
            code: null,
          };
        }),
    };
  };

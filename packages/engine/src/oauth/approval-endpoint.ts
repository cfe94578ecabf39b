import { approvalAt, approvalIdAt } from "../request/approvals.js";
import type { Endpoint } from "../context/endpoint.js";
import { maxFormBytes } from "./form-body.js";
import { pageResponse, refusals } from "./page-response.js";
import { approvalPage } from "./page/approval-page.js";
import { redirectResponse } from "./responses.js";
import type { SignInGate } from "./sign-in-gate.js";
import { readOnly } from "../store/storage-adapter.js";

/**
 * Returns a function that finds the endpoint of the page that shows an approval. The page is available on loopback only,
 * because its URL contains no credential.
 *
 * @param gate asks for the sign-in key. Default: the page is shown to every visitor.
 */
export const approvalPages =
  (gate: SignInGate | undefined) =>
  (method: string, path: string): Endpoint | undefined => {
    const id = method === "GET" || (gate && method === "POST") ? approvalIdAt(path) : undefined;
    if (id === undefined) return undefined;
    return {
      id: null,
      discardsBody: false,
      bodyLimit: () => (method === "POST" ? maxFormBytes : 0),
      respond: (server, request) => {
        if (request.offLoopback) return pageResponse(refusals.approvalOffLoopback());
        const signIn = gate?.check(request, path);
        if (signIn) return signIn;
        // The page has no form but that for the key.
        if (method === "POST") return redirectResponse(path, null);
        return server.transact(readOnly, ({ store, clock }) => {
          const approval = store.approvals.get(id);
          if (!approval) return pageResponse(refusals.noApproval());
          const text = approvalPage(approvalAt(approval, clock.now()));
          return pageResponse({ status: 200, text, formAction: "'none'" });
        });
      },
    };
  };

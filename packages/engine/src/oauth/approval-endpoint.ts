import { approvalAt, approvalIdAt } from "../request/approvals.js";
import type { Endpoint } from "../request/endpoint.js";
import { pageResponse, refusals } from "./page-response.js";
import { approvalPage } from "./page/approval-page.js";

/**
 * Returns the endpoint of the page that shows an approval, or undefined for any other request. The page is
 * available on loopback only, because its URL contains no credential and it requires no sign-in.
 */
export const findApprovalPage = (method: string, path: string): Endpoint | undefined => {
  const id = method === "GET" ? approvalIdAt(path) : undefined;
  if (id === undefined) return undefined;
  return {
    id: null,
    discardsBody: false,
    bodyLimit: () => 0,
    respond: (server, request) => {
      if (request.offLoopback) return pageResponse(refusals.approvalOffLoopback());
      return server.transact({ mode: "read", locks: [] }, ({ store, clock }) => {
        const approval = store.approvals.get(id);
        if (!approval) return pageResponse(refusals.noApproval());
        const text = approvalPage(approvalAt(approval, clock.now()));
        return pageResponse({ status: 200, text, formAction: "'none'" });
      });
    },
  };
};

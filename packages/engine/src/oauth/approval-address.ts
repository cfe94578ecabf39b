import { approvalAt } from "../request/approvals.js";
import type { EngineRequest } from "../request/exchange.js";
import type { Store } from "../store/store.js";
import type { OAuthAnswer } from "./answer.js";
import { pageAnswer, refusals } from "./page-answer.js";
import { approvalPage } from "./page/approval-page.js";

/** The approval whose address this is: the `approvalUrl` that a gated call answers; undefined for other paths. */
export const approvalIdAt = ({ method }: EngineRequest, path: string): string | undefined =>
  method === "GET" ? /^\/approvals\/(apr_[a-z0-9]{1,128})$/.exec(path)?.[1] : undefined;

/** Shows it to whoever has the address, on loopback only: the address carries no credential, and nobody is asked for one. */
export const showApproval = (
  { store, clock }: { store: Pick<Store, "approvals">; clock: { now(): number } },
  request: EngineRequest,
  id: string,
): OAuthAnswer => {
  if (request.offLoopback) return pageAnswer(refusals.approvalOffLoopback());
  const approval = store.approvals.get(id);
  if (!approval) return pageAnswer(refusals.noApproval());
  const text = approvalPage(approvalAt(approval, clock.now()));
  return pageAnswer({ status: 200, text, formAction: "'none'" });
};

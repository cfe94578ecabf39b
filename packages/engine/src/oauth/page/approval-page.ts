import { allowsWindow } from "../../request/approvals.js";
import { formatTimestamp } from "../../values/clock.js";
import type { ApprovalRow } from "../../store/rows.js";
import { type Html, html } from "./html.js";
import { renderLayout } from "./layout.js";

const titleByStatus: Readonly<Record<ApprovalRow["status"], string>> = {
  pending: "An agent is waiting for your approval",
  approved: "You approved this request",
  approved_window: "You have approved requests like this for a limited time",
  denied: "You denied this request",
  expired: "This approval has expired",
  consumed: "This request was approved and has been completed",
};

const renderRow = (name: string, value: string | Html): Html =>
  html`<li class="row">
    <span><small>${name}</small> ${typeof value === "string" ? html`<strong>${value}</strong>` : value}</span>
  </li>`;

const renderCommand = (name: string, words: string): Html =>
  renderRow(name, html`<code>mgmt dev approvals ${words}</code>`);

const renderDecisionCommands = ({ id, operationId }: ApprovalRow): Html =>
  html`<section aria-labelledby="decide">
    <h2 id="decide">Decide in a terminal on this machine</h2>
    <ul class="rows">
      ${renderCommand("Approve this request", `approve ${id}`)}
      ${allowsWindow(operationId) ? renderCommand("Approve requests like this for an hour", `approve ${id} --window 1h`) : []}
      ${renderCommand("Deny it", `deny ${id}`)}
    </ul>
  </section>`;

/** Formats a time, for example `2026-11-21 04:30 UTC`. */
const formatTime = (time: number): string => `${formatTimestamp(time).slice(0, 16).replace("T", " ")} UTC`;

/**
 * Renders the page that shows the request of an agent and how its sponsor can decide. The page cannot approve or deny the request itself,
 * because it does not authenticate the visitor.
 *
 * @param effect what the request does, in sentences.
 */
export const renderApprovalPage = (approval: ApprovalRow, effect: string): string => {
  const { status, request, operationId, agentId, expiresAt, windowExpiresAt } = approval;
  const isOpen = status === "pending" || status === "approved" || status === "approved_window";
  return renderLayout(
    titleByStatus[status],
    html`<h1>${titleByStatus[status]}</h1>
      <ul class="rows signed-in">
        ${renderRow("Effect", effect)} ${renderRow("Request", request)} ${renderRow("Operation", operationId)}
        ${renderRow("Agent", agentId)}
        ${isOpen ? renderRow("Expires", formatTime(windowExpiresAt ?? expiresAt)) : []}
      </ul>
      ${status === "pending" ? renderDecisionCommands(approval) : []}
      <p class="note quiet small">Approve only what you asked an agent to do.</p>`,
  );
};

import { allowsWindow } from "../../request/approvals.js";
import { timestamp } from "../../values/clock.js";
import type { ApprovalRow } from "../../store/rows.js";
import { type Html, html } from "./html.js";
import { layout } from "./layout.js";

const titles: Readonly<Record<ApprovalRow["status"], string>> = {
  pending: "An agent is waiting for your approval",
  approved: "You approved this request",
  approved_window: "You have approved requests like this for a limited time",
  denied: "You denied this request",
  expired: "This approval has expired",
  consumed: "This request was approved and has been completed",
};

const row = (name: string, value: string | Html): Html =>
  html`<li class="row">
    <span><small>${name}</small> ${typeof value === "string" ? html`<strong>${value}</strong>` : value}</span>
  </li>`;

const command = (name: string, words: string): Html =>
  row(name, html`<code>mgmt dev approvals ${words}</code>`);

const decisionCommands = ({ id, operationId }: ApprovalRow): Html =>
  html`<section aria-labelledby="decide">
    <h2 id="decide">Decide in a terminal on this machine</h2>
    <ul class="rows">
      ${command("Approve this request", `approve ${id}`)}
      ${allowsWindow(operationId) ? command("Approve requests like this for an hour", `approve ${id} --window 1h`) : []}
      ${command("Deny it", `deny ${id}`)}
    </ul>
  </section>`;

/** Formats a time, for example `2026-11-21 04:30 UTC`. */
const readable = (time: number): string => `${timestamp(time).slice(0, 16).replace("T", " ")} UTC`;

/**
 * Renders the page that shows the request of an agent and how its sponsor can decide. The page cannot approve or deny the request itself,
 * because it does not authenticate the visitor.
 */
export const approvalPage = (approval: ApprovalRow): string => {
  const { status, request, operationId, agentId, expiresAt, windowExpiresAt } = approval;
  const isOpen = status === "pending" || status === "approved" || status === "approved_window";
  return layout(
    titles[status],
    html`<h1>${titles[status]}</h1>
      <ul class="rows signed-in">
        ${row("Request", request)} ${row("Operation", operationId)} ${row("Agent", agentId)}
        ${isOpen ? row("Expires", readable(windowExpiresAt ?? expiresAt)) : []}
      </ul>
      ${status === "pending" ? decisionCommands(approval) : []}
      <p class="note quiet small">Approve only what you asked an agent to do.</p>`,
  );
};

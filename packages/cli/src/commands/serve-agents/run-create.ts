import { invalidValueError } from "../../errors/usage-errors.js";
import type { Context } from "../../input/context.js";
import { parsePeriod } from "../../input/duration.js";
import { issueSecret } from "../../platform/issue-secret.js";
import { type ServeFlags, runAsOperator } from "../../platform/serve-options.js";
import type { SecretFlags } from "../../secrets/secret-flags.js";

export interface AgentFlags {
  readonly sponsor: string;
  readonly expiresIn: string;
}

/** A new token of an agent, as `mgmt serve agents create` prints it. */
export interface PrintedAgentToken {
  readonly agentId: string;
  readonly sponsorId: string;
  readonly workspaceId: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  /** The token, which is shown once. */
  readonly value: string;
}

export const runServeAgentsCreate = async (
  agentId: string,
  flags: ServeFlags,
  { sponsor, expiresIn, ...secretFlags }: AgentFlags & SecretFlags,
  context: Context,
): Promise<void> => {
  const periodMs = parsePeriod(expiresIn, "--expires-in");
  if (periodMs < 1_000)
    throw invalidValueError("--expires-in", "must be at least a second", "Use a time such as 12h, 7d or 2w.");
  const expiresAt = Date.now() + periodMs;
  const expiresAtText = new Date(expiresAt).toISOString();
  const sample = { agentId, sponsorId: "id", workspaceId: "id", expiresAt: expiresAtText, value: "" };
  const issue = async (): Promise<PrintedAgentToken> => {
    const { token, sponsorId, workspaceId } = await runAsOperator(flags, context, (operator) =>
      operator.createAgentToken({ agentId, sponsor, expiresAt }),
    );
    return { agentId, sponsorId, workspaceId, expiresAt: expiresAtText, value: token };
  };
  await issueSecret(secretFlags, sample, issue, context);
};

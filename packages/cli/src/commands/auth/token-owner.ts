import type { Context } from "../../input/context.js";
import type { ValueWithSource } from "../../profiles/active-profile.js";
import { createClientFor } from "../../service/connect.js";

/** The user and workspace that a token belongs to, or null where the service does not report it. */
export interface TokenOwner {
  user: string | null;
  workspace: string | null;
  workspaceId: string | null;
}

/** Milliseconds. The SDK cancels a login whose last step takes more than 15 seconds, so this request must fail sooner. */
const timeoutMs = 10_000;

/** Asks the service who a token belongs to. Throws its error response if it does not accept the token. */
export const readTokenOwner = async (
  baseUrl: ValueWithSource<string>,
  token: string,
  context: Pick<Context, "version" | "signal" | "output" | "insecureUrls" | "changeTracker">,
): Promise<TokenOwner> => {
  const client = await createClientFor(baseUrl, token, context);
  const { user, workspace } = await client.me.get({ signal: context.signal, timeoutMs });
  return {
    user: user?.email ?? null,
    workspace: workspace?.name ?? null,
    workspaceId: workspace?.id ?? null,
  };
};

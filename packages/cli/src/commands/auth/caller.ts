import type { Context } from "../../input/context.js";
import type { ValueWithSource } from "../../profiles/active-profile.js";
import { createClientFor } from "../../service/connect.js";

/** The user and workspace that a token belongs to, as far as the service says. */
export interface Caller {
  user: string | null;
  workspace: string | null;
  workspaceId: string | null;
}

/** Shorter than the 15 seconds that the SDK gives the end of a login. */
const timeoutMs = 10_000;

/** Asks the service who a token belongs to. Throws its error response if it does not accept the token. */
export const readCaller = async (
  baseUrl: ValueWithSource<string>,
  token: string,
  context: Pick<Context, "version" | "signal" | "output" | "insecureAddresses" | "changes">,
): Promise<Caller> => {
  const client = await createClientFor(baseUrl, token, context);
  const { user, workspace } = await client.me.get({ signal: context.signal, timeoutMs });
  return {
    user: user?.email ?? null,
    workspace: workspace?.name ?? null,
    workspaceId: workspace?.id ?? null,
  };
};

import type { Context } from "../run/context.js";
import { createClient, nodeTransport } from "../sdk.js";
import { valueAt } from "../value-at.js";

/** Whom a token belongs to, as far as the service says. */
export interface Caller {
  user: string | null;
  workspace: string | null;
  workspaceId: string | null;
}

/** Less than the authorization server's own time, within which a login is kept. */
const timeoutMs = 10_000;

/** Asks the service. Throws what it answers to a token that is none. */
export const readCaller = async (
  baseUrl: string,
  token: string,
  { version, signal }: Pick<Context, "version" | "signal">,
): Promise<Caller> => {
  const headers = { "user-agent": `mgmt/${version}` };
  const client = createClient({ baseUrl, token, transport: nodeTransport(), headers });
  const answer = await client.request<unknown>(
    { method: "GET", path: "/v1/me", pathParams: {} },
    { signal, timeoutMs },
  );
  const text = (...path: string[]): string | null => {
    const value = valueAt(answer, ["data", ...path]);
    return typeof value === "string" ? value : null;
  };
  return {
    user: text("user", "email"),
    workspace: text("workspace", "name"),
    workspaceId: text("workspace", "id"),
  };
};

import { readFile } from "node:fs/promises";
import type { ReferenceEngine } from "@mgmt/engine";
import { writeAtomically } from "./data-dir/atomic-file.js";

/**
 * The service token of the seeded workspace that the ready line shows: the one of the last run while it still holds, else
 * a new one. Kept in `path`.
 */
export const issueServiceToken = async (
  engine: ReferenceEngine,
  path: string,
): Promise<{ token: string; workspaceId: string }> => {
  const { store, residents, tokens } = engine;
  const workspaceId = residents.workspace.id;
  const row = store.serviceTokens.find((serviceToken) => serviceToken.workspaceId === workspaceId);
  if (row === undefined) {
    const { value: token } = await engine.seed.serviceToken({ name: "default" }, { workspaceId });
    await writeAtomically(path, token, { durable: true });
    return { token, workspaceId };
  }
  const kept = await readToken(path);
  if (kept !== undefined && holds(kept, row.id, engine)) return { token: kept, workspaceId };

  const token = await tokens.service({ serviceTokenId: row.id });
  store.serviceTokens.update(row.id, { valueHint: token.slice(-4) });
  await writeAtomically(path, token, { durable: true });
  return { token, workspaceId };
};

const readToken = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch(() => undefined);

/** Whether the token names this service token, and was signed for this address with a key of this server. */
const holds = (token: string, id: string, engine: ReferenceEngine): boolean => {
  const [header, claims] = token.split(".").map(decode);
  const { baseUrl, authUrl } = engine.settings;
  return (
    claims?.["jti"] === id &&
    claims["aud"] === baseUrl &&
    claims["iss"] === authUrl &&
    engine.snapshot().signingKeys.some(({ kid }) => kid === header?.["kid"])
  );
};

const decode = (part: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    // Only looked into; a forged one is refused by the server itself.
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};

import { readFile } from "node:fs/promises";
import type { ReferenceEngine } from "@mgmt/engine";
import { writeAtomically } from "./data-dir/atomic-file.js";

/**
 * Returns a service token of the seeded workspace for the ready line: the token of the last run if it is still valid, or
 * a new one. The token is stored in `path`.
 */
export const issueServiceToken = async (
  engine: ReferenceEngine,
  path: string,
): Promise<{ token: string; workspaceId: string }> => {
  const { store, residents, tokens } = engine;
  const workspaceId = residents.workspace.id;
  const row = store.serviceTokens.find({ workspaceId });
  if (row === undefined) {
    const { value: token } = await engine.seed.serviceToken({ name: "default" }, { workspaceId });
    await writeAtomically(path, token, { durable: true });
    return { token, workspaceId };
  }
  const stored = await readToken(path);
  if (stored !== undefined && isValid(stored, row.id, engine)) return { token: stored, workspaceId };

  const token = await tokens.service({ serviceTokenId: row.id });
  store.serviceTokens.update(row.id, { valueHint: token.slice(-4) });
  await writeAtomically(path, token, { durable: true });
  return { token, workspaceId };
};

const readToken = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch(() => undefined);

/** Returns whether the token names this service token, is for this address, and names a signing key of this server. */
const isValid = (token: string, id: string, engine: ReferenceEngine): boolean => {
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
    // The signature is not checked here. The server refuses a forged token.
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};

import type { StoredEngine } from "@mgmt/engine";
import { writeAtomically } from "./data-dir/atomic-file.js";
import { readOwn } from "./data-dir/own-file.js";

/**
 * Returns a service token of the first workspace for the ready line: the token of the last run if it is still valid, or
 * a new one. The token is stored in `path`.
 */
export const issueServiceToken = async (
  engine: StoredEngine,
  path: string,
): Promise<{ token: string; workspaceId: string }> => {
  const { workspaceId, id } = await engine.read(({ store }) => {
    const workspace = store.workspaces.find({});
    if (workspace === undefined) throw new Error("The records have no workspace");
    return { workspaceId: workspace.id, id: store.serviceTokens.find({ workspaceId: workspace.id })?.id };
  });
  if (id === undefined) {
    const { value: token } = await engine.seed.serviceToken({ name: "default" }, { workspaceId });
    await writeAtomically(path, token, { durable: true });
    return { token, workspaceId };
  }
  const stored = await readToken(path);
  const token = await engine.tokens.service({ serviceTokenId: id });
  if (stored !== undefined && isAlike(stored, token)) return { token: stored, workspaceId };

  await engine.write([workspaceId], ({ store }) =>
    store.serviceTokens.update(id, { valueHint: token.slice(-4) }),
  );
  await writeAtomically(path, token, { durable: true });
  return { token, workspaceId };
};

const readToken = (path: string): Promise<string | undefined> => readOwn(path).catch(() => undefined);

/** Returns whether a token names the same service token, address and signing key as a valid one. */
const isAlike = (stored: string, valid: string): boolean => {
  const [mine, other] = [stored, valid].map((token) => token.split(".").map(decode));
  return (
    mine?.[0]?.["kid"] === other?.[0]?.["kid"] &&
    ["jti", "aud", "iss"].every((claim) => mine?.[1]?.[claim] === other?.[1]?.[claim])
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

import type { StoredServer } from "@mgmt/engine/internal";
import { writeAtomically } from "../machine/data-dir/atomic-file.js";
import { readOwnedFile } from "../machine/data-dir/safe-file.js";

/** Name of the service token that the first start creates. */
const defaultTokenName = "default";

/**
 * Returns a service token of the first workspace for the ready line, and stores it in `path`: the token that is stored there
 * while its row exists, or one of the row named `default`. Creates the row if there is none, because other rows belong to users.
 */
export const ensureServiceToken = async (
  engine: StoredServer,
  path: string,
): Promise<{ token: string; workspaceId: string }> => {
  const storedToken = await readToken(path);
  const storedId = parseTokenParts(storedToken ?? "").claims?.["jti"];
  const { workspaceId, id } = await engine.read(({ store }) => {
    const workspace = store.workspaces.find({});
    if (workspace === undefined) throw new Error("The records have no workspace");
    const rows = store.serviceTokens.list({ workspaceId: workspace.id });
    const row =
      rows.find((token) => token.id === storedId) ?? rows.find(({ name }) => name === defaultTokenName);
    return { workspaceId: workspace.id, id: row?.id };
  });
  if (id === undefined) {
    const { value: token } = await engine.seed.serviceToken({ name: defaultTokenName }, { workspaceId });
    await writeAtomically(path, token, { isDurable: true });
    return { token, workspaceId };
  }
  const token = await engine.tokens.service({ serviceTokenId: id });
  if (storedToken !== undefined && hasSameClaims(storedToken, token))
    return { token: storedToken, workspaceId };

  await engine.write([workspaceId], ({ store }) =>
    store.serviceTokens.update(id, { valueHint: token.slice(-4) }),
  );
  await writeAtomically(path, token, { isDurable: true });
  return { token, workspaceId };
};

const readToken = (path: string): Promise<string | undefined> => readOwnedFile(path).catch(() => undefined);

/** Returns whether a token names the same service token, address and signing key as a valid one. */
const hasSameClaims = (storedToken: string, validToken: string): boolean => {
  const [storedParts, validParts] = [parseTokenParts(storedToken), parseTokenParts(validToken)];
  return (
    storedParts.header?.["kid"] === validParts.header?.["kid"] &&
    ["jti", "aud", "iss"].every((claim) => storedParts.claims?.[claim] === validParts.claims?.[claim])
  );
};

/** Returns the parts of a JSON Web Token; undefined for those that cannot be read. */
const parseTokenParts = (token: string): Record<"header" | "claims", Record<string, unknown> | undefined> => {
  const [header = "", claims = ""] = token.split(".");
  return { header: decodeTokenPart(header), claims: decodeTokenPart(claims) };
};

const decodeTokenPart = (part: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    // The signature is not checked here. The server rejects a forged token.
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};

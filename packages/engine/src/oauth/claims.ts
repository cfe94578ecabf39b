import type { JWTPayload } from "jose";
import type { Principal } from "../values/principal.js";

/**
 * Converts the claims of a verified token to a principal. Returns undefined when a required claim is missing
 * or invalid.
 */
export const readClaims = (claims: JWTPayload): Principal | undefined => {
  const { sub, jti } = claims;
  if (sub === undefined || jti === undefined) return undefined;
  const credential = {
    subject: sub,
    scopes: (text(claims, "scope") ?? "").split(" ").filter((scope) => scope !== ""),
    clientId: text(claims, "client_id") ?? null,
    integrationId: text(claims, "integration_id") ?? null,
    tokenId: jti,
  };

  if (sub.startsWith("workspace:")) {
    const workspaceId = sub.slice("workspace:".length);
    return { ...credential, kind: "service", workspaceId, serviceTokenId: jti };
  }
  const workspaceId = text(claims, "workspace_id");
  if (workspaceId === undefined) return undefined;
  if (claims["act"] === "agent") {
    const sponsorId = text(claims, "sponsor");
    if (sponsorId === undefined) return undefined;
    return { ...credential, kind: "agent", workspaceId, agentId: sub, sponsorId };
  }
  const email = text(claims, "email");
  if (email === undefined || claims["act"] !== undefined) return undefined;
  return { ...credential, kind: "user", workspaceId, userId: sub, email };
};

const text = (claims: JWTPayload, name: string): string | undefined => {
  const value = claims[name];
  return typeof value === "string" ? value : undefined;
};

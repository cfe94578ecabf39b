import type { JWTPayload } from "jose";
import type { Principal } from "../values/principal.js";

/**
 * Converts the claims of a verified token to a principal. Returns undefined when a required claim is missing
 * or invalid.
 */
export const toPrincipal = (claims: JWTPayload): Principal | undefined => {
  const { sub, jti } = claims;
  if (sub === undefined || jti === undefined) return undefined;
  const commonFields = {
    subject: sub,
    scopes: (getTextClaim(claims, "scope") ?? "").split(" ").filter((scope) => scope !== ""),
    clientId: getTextClaim(claims, "client_id") ?? null,
    integrationId: getTextClaim(claims, "integration_id") ?? null,
    tokenId: jti,
  };

  if (sub.startsWith("workspace:")) {
    const workspaceId = sub.slice("workspace:".length);
    return { ...commonFields, kind: "service", workspaceId, serviceTokenId: jti };
  }
  const workspaceId = getTextClaim(claims, "workspace_id");
  if (workspaceId === undefined) return undefined;
  if (claims["act"] === "agent") {
    const sponsorId = getTextClaim(claims, "sponsor");
    if (sponsorId === undefined) return undefined;
    return { ...commonFields, kind: "agent", workspaceId, agentId: sub, sponsorId };
  }
  const email = getTextClaim(claims, "email");
  if (email === undefined || claims["act"] !== undefined) return undefined;
  return { ...commonFields, kind: "user", workspaceId, userId: sub, email };
};

const getTextClaim = (claims: JWTPayload, name: string): string | undefined => {
  const value = claims[name];
  return typeof value === "string" ? value : undefined;
};

/** When a token ends by its own account, in milliseconds since 1970; undefined when it does not say. Nothing is verified. */
export const endOfToken = (token: string): number | undefined => {
  const [, payload = ""] = token.split(".");
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    const end = typeof claims === "object" && claims !== null && "exp" in claims ? claims.exp : undefined;
    return typeof end === "number" && Number.isFinite(end) ? end * 1000 : undefined;
  } catch {
    return undefined;
  }
};

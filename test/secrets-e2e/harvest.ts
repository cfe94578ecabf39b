import type { Canaries, Kind } from "./canaries.js";

/** Response fields that contain secrets. */
const secretFields: Readonly<Record<string, Kind>> = {
  accessToken: "access token",
  access_token: "access token",
  codeVerifier: "code verifier",
  connectionString: "connection string",
  d: "signing key",
  pass: "password",
  redirect: "redirect",
  refreshToken: "refresh token",
  refresh_token: "refresh token",
  secret: "client secret",
  token: "token",
  uploadUrl: "upload URL",
  value: "service token",
};

/**
 * Adds the secrets of a response to the canaries and returns the response without them: a secret may appear in its own field
 * of the response that delivers it, and nowhere else.
 */
export const harvest = (response: unknown, canaries: Canaries): unknown => {
  if (Array.isArray(response)) return response.map((each) => harvest(each, canaries));
  if (typeof response !== "object" || response === null) return response;
  return Object.fromEntries(
    Object.entries(response).map(([name, value]: [string, unknown]) => {
      const kind = Object.hasOwn(secretFields, name) ? secretFields[name] : undefined;
      if (kind === undefined || typeof value !== "string") return [name, harvest(value, canaries)];
      addSecret(kind, value, canaries);
      return [name, "[removed]"];
    }),
  );
};

const addSecret = (kind: Kind, value: string, canaries: Canaries): void => {
  canaries.add(kind, value);
  if (kind === "connection string") {
    canaries.add("password", decodeURIComponent(new URL(value).password));
  } else if (kind === "redirect") {
    const code = new URL(value).searchParams.get("code");
    if (code !== null) canaries.add("authorization code", code);
  } else if (kind === "upload URL") {
    canaries.add("upload URL's path", new URL(value).pathname);
  }
};

import type { Canaries, Kind } from "./canaries.js";

/** The fields of answers that are secrets. */
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
 * Puts the secrets of an answer on the list, and gives the answer without them: a secret may stand in its own field of the
 * answer that tells it, and nowhere else.
 */
export const harvest = (answer: unknown, canaries: Canaries): unknown => {
  if (Array.isArray(answer)) return answer.map((each) => harvest(each, canaries));
  if (typeof answer !== "object" || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]: [string, unknown]) => {
      const kind = Object.hasOwn(secretFields, name) ? secretFields[name] : undefined;
      if (kind === undefined || typeof value !== "string") return [name, harvest(value, canaries)];
      mint(kind, value, canaries);
      return [name, "[taken out]"];
    }),
  );
};

const mint = (kind: Kind, value: string, canaries: Canaries): void => {
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

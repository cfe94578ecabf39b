import { agentProfileTakenError } from "../../errors/dev-errors.js";
import { unexpectedResponseError } from "../../errors/response-errors.js";
import { invalidProfileNameError, invalidValueError } from "../../errors/usage-errors.js";
import type { Context } from "../../input/context.js";
import { parsePeriod } from "../../input/duration.js";
import { isObject, getAtPath } from "../../json/json-path.js";
import { type ControlFlags, requestControl } from "../../platform/request-control.js";
import { hasCredential, isValidProfileName } from "../../profiles/profile.js";
import { getProfilesPath } from "../../profiles/read-profiles.js";
import { updateProfile } from "../../profiles/update-profiles.js";

export interface AgentFlags {
  /** Name of the profile. */
  readonly saveAs: string;
  readonly expiresIn: string;
}

/** A credential of an agent, as `mgmt dev agent` prints it: without the token. */
export interface PrintedAgent {
  /** The profile that has the credential. */
  readonly profile: string;
  readonly agentId: string;
  readonly sponsorId: string;
  readonly workspaceId: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

export const runDevAgent = async (
  agentId: string | undefined,
  { saveAs, expiresIn }: AgentFlags,
  flags: ControlFlags,
  context: Context,
): Promise<void> => {
  if (!isValidProfileName(saveAs)) throw invalidProfileNameError("--save-as", saveAs);
  if (agentId !== undefined && !/^[\w.:-]{1,128}$/.test(agentId)) {
    throw invalidValueError(
      "<agent-id>",
      "must have only letters, digits, and ._:-",
      "Use a name such as builder.",
    );
  }
  const expiresAt = new Date(Date.now() + parsePeriod(expiresIn, "--expires-in")).toISOString();
  const fields = { kind: "agent", expiresAt, ...(agentId !== undefined && { agentId }) };
  const response = await requestControl("POST", "/tokens", fields, flags, context);
  const { token, claims } = readToken(response);
  await updateProfile(getProfilesPath(context.env), saveAs, (profile) => {
    // A login or a token of the user must not be lost.
    const isReplaceable = profile === undefined || !hasCredential(profile) || isAgentToken(profile.token);
    if (!isReplaceable) throw agentProfileTakenError(saveAs);
    return { baseUrl: claims.aud, authUrl: claims.iss, workspaceId: claims.workspace_id, token };
  });
  context.output.info(`Stored the credential of ${claims.sub} in profile ${saveAs}.`);
  const result: PrintedAgent = {
    profile: saveAs,
    agentId: claims.sub,
    sponsorId: claims.sponsor,
    workspaceId: claims.workspace_id,
    expiresAt,
  };
  await context.output.writeResult(result);
};

const claimNames = ["aud", "iss", "sub", "sponsor", "workspace_id"] as const;

type Claims = Readonly<Record<(typeof claimNames)[number], string>>;

const readToken = (response: unknown): { token: string; claims: Claims } => {
  const token = getAtPath(response, ["token"]);
  const claims = typeof token === "string" ? decodeClaims(token) : undefined;
  if (typeof token !== "string" || !isObject(claims) || !hasClaims(claims))
    throw unexpectedResponseError("the token of an agent");
  return { token, claims };
};

const hasClaims = (claims: Record<string, unknown>): claims is Record<string, unknown> & Claims =>
  claimNames.every((name) => typeof claims[name] === "string");

const isAgentToken = (token: string | undefined): boolean =>
  token !== undefined && getAtPath(decodeClaims(token), ["act"]) === "agent";

/** Returns the claims of a JSON Web Token, unchecked. Returns undefined if it is none. */
const decodeClaims = (token: string): unknown => {
  try {
    return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  } catch {
    return undefined;
  }
};

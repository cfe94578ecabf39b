import { controlRefused, noControl, unexpectedAnswer, unreachableControl, usageError } from "../errors.js";
import { chooseProfile } from "../profiles/active-profile.js";
import { profileNamed } from "../profiles/profile.js";
import type { Context, GlobalFlags } from "../run/context.js";
import { nodeTransport } from "../sdk.js";
import { isObject, valueAt } from "../value-at.js";
import { localProfile } from "./register-local.js";

export interface ControlFlags extends GlobalFlags {
  readonly controlUrl?: string;
  readonly controlSecretFile?: string;
}

export type Decision =
  { kind: "approve" } | { kind: "approve-window"; milliseconds: number } | { kind: "deny" };

export const listApprovals = async (flags: ControlFlags, context: Context): Promise<void> => {
  const rows = await askControl("GET", "/approvals", undefined, flags, context);
  if (!Array.isArray(rows)) throw unexpectedAnswer("a list");
  await context.output.answer(rows.map(shown));
};

export const decideApproval = async (
  id: string,
  { kind, ...fields }: Decision,
  flags: ControlFlags,
  context: Context,
): Promise<void> => {
  // It becomes a part of the path.
  if (!/^[\w-]+$/.test(id))
    throw usageError(`<approval-id> cannot be ${JSON.stringify(id)}`, "It must be an id.");
  const row = await askControl("POST", `/approvals/${id}/${kind}`, fields, flags, context);
  await context.output.answer(shown(row));
};

/** Without the digest, which says nothing to a person; times as the API writes them. */
const shown = (row: unknown): object => {
  if (!isObject(row)) throw unexpectedAnswer("an approval");
  const { id, status, request, operationId, agentId, sponsorId, projectId } = row;
  const time = (name: string): string | null => {
    const value = row[name];
    return typeof value === "number" ? new Date(value).toISOString() : null;
  };
  return {
    id,
    status,
    request,
    operationId,
    agentId,
    sponsorId,
    projectId,
    expiresAt: time("expiresAt"),
    windowExpiresAt: time("windowExpiresAt"),
    decidedAt: time("decidedAt"),
  };
};

const askControl = async (
  method: "GET" | "POST",
  path: string,
  fields: object | undefined,
  flags: ControlFlags,
  context: Context,
): Promise<unknown> => {
  const { url, secretFile } = findControl(flags, context.env);
  const secret = await context.sources.readSecret(secretFile, "--control-secret-file");
  const headers = { "x-mgmt-control-secret": secret, "content-type": "application/json" };
  const body = fields && JSON.stringify(fields);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(30_000)]);
  const answer = await nodeTransport()
    .send({ method, url: `${url}${path}`, headers, body, signal })
    .catch((error: unknown) => {
      context.signal.throwIfAborted();
      throw unreachableControl(url, error);
    });
  const value = parse(answer.body);
  if (answer.status >= 300) throw controlRefused(answer.status, valueAt(value, ["error", "message"]));
  return value;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Flags, then the environment, then the profile that was named or that `mgmt dev` has registered. */
const findControl = (
  { controlUrl, controlSecretFile, ...flags }: ControlFlags,
  env: NodeJS.ProcessEnv,
): { url: string; secretFile: string } => {
  const url = controlUrl ?? env["MGMT_CONTROL_URL"]?.trim();
  const secretFile = controlSecretFile ?? env["MGMT_CONTROL_SECRET_FILE"]?.trim();
  if (url && secretFile) return { url: addressOf(url), secretFile };
  const { profiles, profile } = chooseProfile(flags, env);
  const known = profile?.controlUrl === undefined ? profileNamed(profiles, localProfile) : profile;
  // The secret of one service must not go to another.
  if (url || secretFile || !known?.controlUrl || !known.controlSecretFile) throw noControl();
  return { url: addressOf(known.controlUrl), secretFile: known.controlSecretFile };
};

const addressOf = (url: string): string => {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw usageError("--control-url is no address", "It looks like http://127.0.0.1:4300/_control.");
  }
  return url.replace(/\/+$/, "");
};

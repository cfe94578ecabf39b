import type { Context, GlobalFlags } from "../../input/context.js";
import { devNotRunning } from "../../errors/access-errors.js";
import { noControl } from "../../errors/run-errors.js";
import { unexpectedResponse } from "../../errors/response-errors.js";
import { badAddress } from "../../errors/usage-errors.js";
import { isObject } from "../../json/json-path.js";
import { announceLinkedProfile } from "../../profiles/announce-link.js";
import { chooseProfile } from "../../profiles/active-profile.js";
import { localProfile, type Profile, profileNamed, runningProfile } from "../../profiles/profile.js";
import { isOwnService } from "../../credentials/own-service.js";
import { callControl } from "../../platform/control.js";

export interface ControlFlags extends GlobalFlags {
  readonly controlUrl?: string;
  readonly controlSecretFile?: string;
}

export type Decision =
  | { kind: "approve" }
  | { kind: "approve-window"; milliseconds: number }
  | { kind: "deny" };

/** An approval, as `mgmt dev approvals` prints it. */
export interface PrintedApproval {
  readonly id: string;
  readonly status: string;
  /** Method and path. */
  readonly request: string;
  readonly operationId: string;
  readonly agentId: string;
  readonly sponsorId: string;
  readonly projectId: string | null;
  /** ISO 8601, like the times below. */
  readonly expiresAt: string | null;
  /** Until when the operation is approved, if it is approved for a time. */
  readonly windowExpiresAt: string | null;
  readonly decidedAt: string | null;
}

/** Prints all approvals. */
export const listApprovals = async (flags: ControlFlags, context: Context): Promise<void> => {
  const rows = await requestControl("GET", "/approvals", undefined, flags, context);
  if (!Array.isArray(rows)) throw unexpectedResponse("a list");
  await context.output.result(rows.map(printedApproval));
};

/**
 * Returns how many approvals are pending at the service that commands use. Undefined if it is not one of `mgmt dev` whose control
 * surface is known, or if that does not respond.
 */
export const countWaiting = async (flags: GlobalFlags, context: Context): Promise<number | undefined> => {
  const { env } = context;
  const isGiven = Boolean(env["MGMT_CONTROL_URL"] && env["MGMT_CONTROL_SECRET_FILE"]);
  const isOfProfile =
    flags.baseUrl === undefined &&
    !env["MGMT_BASE_URL"] &&
    chooseProfile(flags, context).profile?.controlUrl !== undefined;
  if (!isGiven && !isOfProfile) return undefined;
  try {
    const rows = await requestControl("GET", "/approvals", undefined, flags, context);
    return Array.isArray(rows)
      ? rows.filter((row) => isObject(row) && row["status"] === "pending").length
      : undefined;
  } catch {
    context.signal.throwIfAborted();
    return undefined;
  }
};

/** Approves or denies an approval, and prints it. `id` must have the form of an id. */
export const decideApproval = async (
  id: string,
  { kind, ...fields }: Decision,
  flags: ControlFlags,
  context: Context,
): Promise<void> => {
  const row = await requestControl("POST", `/approvals/${id}/${kind}`, fields, flags, context);
  await context.output.result(printedApproval(row));
};

/** The fields that people need, with times as the API writes them. */
const printedApproval = (row: unknown): PrintedApproval => {
  if (!isObject(row)) throw unexpectedResponse("an approval");
  const text = (name: string): string => {
    const value = row[name];
    if (typeof value !== "string") throw unexpectedResponse(`an approval with ${name}`);
    return value;
  };
  const time = (name: string): string | null => {
    const value = row[name];
    return typeof value === "number" ? new Date(value).toISOString() : null;
  };
  return {
    id: text("id"),
    status: text("status"),
    request: text("request"),
    operationId: text("operationId"),
    agentId: text("agentId"),
    sponsorId: text("sponsorId"),
    projectId: row["projectId"] === null ? null : text("projectId"),
    expiresAt: time("expiresAt"),
    windowExpiresAt: time("windowExpiresAt"),
    decidedAt: time("decidedAt"),
  };
};

const requestControl = async (
  method: "GET" | "POST",
  path: string,
  fields: object | undefined,
  flags: ControlFlags,
  context: Context,
): Promise<unknown> => {
  const { url, secretFile, profile } = findControl(flags, context);
  if (profile && !(await isOwnService(profile.value, context))) throw devNotRunning(profile.name, url);
  const secret = await context.sources.readSecret(secretFile, "--control-secret-file");
  return callControl({ url, secret }, method, path, fields, context);
};

/**
 * Returns the control surface from flags, else the environment, else the profile that commands use, else the profile of a
 * running `mgmt dev`, else profile `local`.
 */
const findControl = (
  { controlUrl, controlSecretFile, ...flags }: ControlFlags,
  context: Pick<Context, "env" | "cwd" | "output">,
): { url: string; secretFile: string; profile?: { name: string; value: Profile } } => {
  const { env } = context;
  const url = controlUrl ?? env["MGMT_CONTROL_URL"]?.trim();
  const secretFile = controlSecretFile ?? env["MGMT_CONTROL_SECRET_FILE"]?.trim();
  if (url && secretFile) return { url: normalized(url), secretFile };
  const choice = chooseProfile(flags, context);
  const { profiles, profile, name } = choice;
  const chosen = profile?.controlUrl === undefined ? undefined : name?.value;
  if (chosen !== undefined) announceLinkedProfile(choice, context);
  const knownName = chosen ?? runningProfile(profiles) ?? localProfile;
  const known = profileNamed(profiles, knownName);
  // A lone URL or file is not completed from the profile: the secret of one service must not be sent to another.
  if (url || secretFile || !known?.controlUrl || !known.controlSecretFile) throw noControl();
  const { controlUrl: knownUrl, controlSecretFile: knownFile } = known;
  return { url: normalized(knownUrl), secretFile: knownFile, profile: { name: knownName, value: known } };
};

const normalized = (url: string): string => {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw badAddress("--control-url", "must be an absolute URL", "http://127.0.0.1:4300/_control");
  }
  return url.replace(/\/+$/, "");
};

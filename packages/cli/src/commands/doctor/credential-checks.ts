import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import {
  type CredentialDescription,
  describeCredential,
  noCredential,
} from "../../credentials/describe-credential.js";
import { noToken } from "../../errors/access-errors.js";
import type { Sourced } from "../../profiles/active-profile.js";
import { findDefault } from "../../profiles/defaults.js";
import type { Access, Identity } from "../../profiles/resolve-access.js";
import { connectTo } from "../../service/connect.js";
import { type Check, failed, ok, oneAttempt, skipped, warning } from "./check.js";

const soonMs = 24 * 3_600_000;

/** Checks the credential, where it is stored, and the default ids, which need a credential. */
export const credentialChecks = async (
  access: Access,
  flags: GlobalFlags,
  context: Context,
): Promise<Check[]> => {
  const { identity, baseUrl } = access;
  const login = [["mgmt", "login"]];
  if (!identity) return [await failed("credential", noToken(baseUrl?.value))];
  let described: CredentialDescription;
  try {
    described = await describeCredential(identity);
  } catch (error) {
    return [await failed(isInKeyring(identity) ? "keyring" : "credential", error, login)];
  }
  const keyring = ok(
    "keyring",
    isInKeyring(identity) ? "The credential is in the keyring" : "The credential is not in the keyring",
  );
  if (described === noCredential) {
    return [await failed("keyring", noToken(baseUrl?.value), login)];
  }
  try {
    const client = await connectTo(access, context);
    const caller = await callerOf(client, context.signal);
    const checks = [keyring, credentialCheck(described, caller)];
    return [...checks, await defaultsCheck(client, flags, context)];
  } catch (error) {
    context.signal.throwIfAborted();
    return [keyring, await failed("credential", error, login)];
  }
};

const isInKeyring = ({ value }: Sourced<Identity>): boolean =>
  "profile" in value && value.profile.inKeyring !== undefined;

/** Returns the name of the caller in the service. */
const callerOf = async (client: MgmtClient, signal: AbortSignal): Promise<string> => {
  const { user, workspace, credential } = await client.me.get({ signal, ...oneAttempt });
  const name = user?.email ?? credential.name ?? credential.type;
  return workspace ? `${name} in ${workspace.name}` : name;
};

const credentialCheck = ({ from, kind, endsAt, renewed }: CredentialDescription, caller: string): Check => {
  const what = `${caller}, with a ${kind ?? "token"} from ${from ?? "this command line"}`;
  if (renewed) return ok("credential", `${what}, which is refreshed automatically`);
  if (endsAt === null) return ok("credential", what);
  const message = `${what}, valid until ${endsAt}`;
  const leftMs = Date.parse(endsAt) - Date.now();
  if (leftMs > soonMs) return ok("credential", message);
  const hint = leftMs > 0 ? "It expires soon." : "It has expired by the clock of this machine.";
  return warning("credential", message, { hint, next: [["mgmt", "login"]] });
};

const kinds = [
  ["workspaceId", "workspace"],
  ["projectId", "project"],
] as const;

/** Checks that the default workspace and project exist. */
const defaultsCheck = async (client: MgmtClient, flags: GlobalFlags, context: Context): Promise<Check> => {
  const { signal } = context;
  const problems: string[] = [];
  for (const [name, noun] of kinds) {
    const choice = findDefault(name, flags, context);
    if (!choice) continue;
    const { value, from } = choice;
    try {
      const resources = noun === "workspace" ? client.workspaces : client.projects;
      const { name: title } = await resources.get(value, { signal, ...oneAttempt });
      problems.push(`${noun} ${title} (from ${from})`);
    } catch (error) {
      signal.throwIfAborted();
      const status = error instanceof Error && "status" in error ? error.status : undefined;
      if (status !== 403 && status !== 404 && status !== 422) return failed("defaults", error);
      return warning("defaults", `The default ${noun} ${value} (from ${from}) is not accessible`, {
        hint: "Commands that use it fail. Link the folder again, or change where the id comes from.",
        next: [["mgmt", `${noun}s`, "list"]],
      });
    }
  }
  return problems.length > 0
    ? ok("defaults", problems.join(", "))
    : skipped("defaults", "No defaults are set");
};

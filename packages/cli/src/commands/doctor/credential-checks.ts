import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import {
  type CredentialDescription,
  describeCredential,
  noCredentialDescription,
} from "../../credentials/describe-credential.js";
import { missingTokenError } from "../../errors/access-errors.js";
import { isNotAccessibleError } from "../../errors/not-accessible.js";
import type { ValueWithSource } from "../../profiles/active-profile.js";
import { findDefault } from "../../profiles/defaults.js";
import { isDevAccess, type ServiceAccess, type RequestCredential } from "../../profiles/resolve-access.js";
import { connectWithAccess } from "../../service/connect.js";
import { addArticle } from "@mgmt/internal/text/article";
import {
  type Check,
  createErrorCheck,
  createOkCheck,
  singleAttemptOptions,
  createSkippedCheck,
  createWarningCheck,
} from "./check.js";

const expiresSoonMs = 24 * 3_600_000;

/** Checks the credential, where it is stored, and the default ids, which need a credential. */
export const checkCredentials = async (
  access: ServiceAccess,
  flags: GlobalFlags,
  context: Context,
): Promise<Check[]> => {
  const { identity, baseUrl } = access;
  const tokenError = missingTokenError(baseUrl?.value, isDevAccess(access));
  const loginSuggestion = [["mgmt", "login"]];
  if (!identity) return [await createErrorCheck("credential", tokenError)];
  let description: CredentialDescription;
  try {
    description = await describeCredential(identity);
  } catch (error) {
    return [await createErrorCheck(isInKeyring(identity) ? "keyring" : "credential", error, loginSuggestion)];
  }
  const keyringCheck = createOkCheck(
    "keyring",
    isInKeyring(identity) ? "The credential is in the keyring" : "The credential is not in the keyring",
  );
  if (description === noCredentialDescription) {
    return [await createErrorCheck("keyring", tokenError, loginSuggestion)];
  }
  try {
    const client = await connectWithAccess(access, context);
    const caller = await readCallerName(client, context.signal);
    const checks = [keyringCheck, checkExpiry(description, caller)];
    return [...checks, await checkDefaults(client, flags, context)];
  } catch (error) {
    context.signal.throwIfAborted();
    return [keyringCheck, await createErrorCheck("credential", error, loginSuggestion)];
  }
};

const isInKeyring = ({ value }: ValueWithSource<RequestCredential>): boolean =>
  "profile" in value && value.profile.inKeyring !== undefined;

/** Returns the name of the caller in the service. */
const readCallerName = async (client: MgmtClient, signal: AbortSignal): Promise<string> => {
  const { user, workspace, credential } = await client.me.get({ signal, ...singleAttemptOptions });
  const name = user?.email ?? credential.name ?? credential.type;
  return workspace ? `${name} in ${workspace.name}` : name;
};

const checkExpiry = ({ from, kind, endsAt, renews }: CredentialDescription, caller: string): Check => {
  const credentialText = `${caller}, with ${addArticle(kind ?? "token")} from ${from ?? "this command line"}`;
  if (renews) return createOkCheck("credential", `${credentialText}, which is refreshed automatically`);
  if (endsAt === null) return createOkCheck("credential", credentialText);
  const message = `${credentialText}, valid until ${endsAt}`;
  const remainingMs = Date.parse(endsAt) - Date.now();
  if (remainingMs > expiresSoonMs) return createOkCheck("credential", message);
  const hint = remainingMs > 0 ? "It expires soon." : "It has expired by the clock of this machine.";
  return createWarningCheck("credential", message, { hint, next: [["mgmt", "login"]] });
};

const defaultKinds = [
  ["workspaceId", "workspace"],
  ["projectId", "project"],
] as const;

/** Checks that the default workspace and project exist. */
const checkDefaults = async (client: MgmtClient, flags: GlobalFlags, context: Context): Promise<Check> => {
  const { signal } = context;
  const accessibleDefaults: string[] = [];
  for (const [name, noun] of defaultKinds) {
    const resolvedDefault = findDefault(name, flags, context);
    if (!resolvedDefault) continue;
    const { value, from } = resolvedDefault;
    try {
      const resources = noun === "workspace" ? client.workspaces : client.projects;
      const { name: resourceName } = await resources.get(value, { signal, ...singleAttemptOptions });
      accessibleDefaults.push(`${noun} ${resourceName} (from ${from})`);
    } catch (error) {
      signal.throwIfAborted();
      if (!isNotAccessibleError(error)) return createErrorCheck("defaults", error);
      return createWarningCheck("defaults", `The default ${noun} ${value} (from ${from}) is not accessible`, {
        hint: "Commands that use it fail. Link the folder again, or change where the id comes from.",
        next: [["mgmt", `${noun}s`, "list"]],
      });
    }
  }
  return accessibleDefaults.length > 0
    ? createOkCheck("defaults", accessibleDefaults.join(", "))
    : createSkippedCheck("defaults", "No defaults are set");
};

import type { Context } from "../../input/context.js";
import { issueSecret } from "../../platform/issue-secret.js";
import { type ServeFlags, loadServeSettings } from "../../platform/serve-options.js";
import type { SecretFlags } from "../../secrets/secret-flags.js";

export interface InitFlags {
  readonly workspace: string;
  readonly owner: string;
}

/** What a new service starts with, as `mgmt serve init` prints it. */
export interface PrintedInitialization {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly ownerId: string;
  readonly ownerEmail: string;
  /** File with the keys that encrypt secrets in the records. */
  readonly keyFile: string;
  /** Id of the service token. */
  readonly tokenId: string;
  /** The service token, which is shown once. */
  readonly value: string;
}

export const runServeInit = async (
  flags: ServeFlags,
  { workspace: workspaceName, owner, ...secretFlags }: InitFlags & SecretFlags,
  context: Context,
): Promise<void> => {
  const { serve, settings } = await loadServeSettings(flags, context);
  const { keyFile } = settings;
  const sample = {
    ...{ workspaceId: "id", workspaceName, ownerId: "id", ownerEmail: owner, keyFile, tokenId: "id" },
    value: "",
  };
  const initialize = async (): Promise<PrintedInitialization> => {
    const { workspace, user, token } = await serve.initializeService(settings, {
      workspaceName,
      ownerEmail: owner,
    });
    return {
      workspaceId: workspace.id,
      workspaceName: workspace.name,
      ownerId: user.id,
      ownerEmail: user.email,
      keyFile,
      tokenId: token.id,
      value: token.value,
    };
  };
  await issueSecret(secretFlags, sample, initialize, context);
  context.output.info(`Keep a copy of ${keyFile}: nothing else can decrypt the secrets in the records.`);
};

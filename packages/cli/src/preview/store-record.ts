import type { Database, MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { ApiError } from "../sdk/sdk.js";
import { catchApiErrors } from "./delete-preview.js";
import {
  isGeneratedName,
  buildLogicalId,
  buildPreviewName,
  type PreviewIdentity,
  type PreviewRecord,
} from "./record.js";

/** A preview, as far as its record is concerned. */
export interface PreviewWithRecord extends PreviewIdentity {
  readonly database: Pick<Database, "id" | "name" | "logicalId">;
  readonly record: PreviewRecord;
}

/**
 * Stores the record of a preview, unless it is stored already. An agent cannot store what decides about the deletion of a preview without
 * its sponsor. It leaves that to a later run of its sponsor, and reports it if it was requested.
 *
 * @returns the preview as it is then.
 */
export const storeRecord = async (
  preview: PreviewWithRecord,
  gitName: string,
  newRecord: PreviewRecord,
  client: MgmtClient,
  { output, signal }: Pick<Context, "output" | "signal">,
): Promise<PreviewWithRecord> => {
  const { database, record: earlierRecord } = preview;
  const name = isGeneratedName(database.name, gitName) ? buildPreviewName(gitName, newRecord) : database.name;
  const logicalId = buildLogicalId(preview, newRecord);
  const isRejected = logicalId !== database.logicalId && (await isAgentCredential(client, signal));
  const { pushed, expiresAt } = isRejected ? earlierRecord : newRecord;
  const record = { ...newRecord, pushed, expiresAt };
  if (expiresAt !== newRecord.expiresAt) {
    const expirySentence = expiresAt === undefined ? "does not expire" : `expires at ${expiresAt}, as before`;
    const message = `The preview of ${gitName} ${expirySentence}: only the sponsor of an agent can change that, with mgmt preview up --expires.`;
    output.notice({ code: "preview:expiry_not_stored", message, databaseId: database.id });
  }
  const changes = {
    ...(name !== database.name && { name }),
    ...(logicalId !== database.logicalId && !isRejected && { logicalId }),
  };
  if (Object.keys(changes).length > 0) {
    await catchApiErrors(["database:not_found"], client.databases.update(database.id, changes, { signal }));
  }
  return { ...preview, database: { ...database, ...changes }, record };
};

/** Returns whether the credential belongs to an agent. False where the service does not report it. */
const isAgentCredential = async (client: MgmtClient, signal: AbortSignal): Promise<boolean> => {
  try {
    return (await client.me.get({ signal })).credential.type === "agent_token";
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
};

import { toFailure } from "../../errors/failure.js";
import type { ServerContext } from "../server-context.js";
import type { ToolResult } from "../tool.js";
import type { WritePolicy } from "../write-policy.js";

/** The part of the result of the tool `context` about the server itself. */
export interface ServerInfo extends WritePolicy {
  readonly version: string;
}

/** Returns whose credential the server has, and which project and folder its calls use. */
export const describeContext = async (
  { session, scope, folder }: ServerContext,
  { version, writes, explainRejection }: ServerInfo,
): Promise<ToolResult> => ({
  version,
  ...(await describeCredential(session)),
  projectId: (await scope.getDefaultProjectId().catch(() => undefined)) ?? null,
  limitedToProject: scope.isLimited,
  workspaceFolder: folder,
  writes,
  ...(explainRejection && {
    noWritesBecause: await describeFailure(explainRejection("A tool that changes something")),
  }),
});

/** Returns the parts of an error that help a model to continue. */
export const describeFailure = async (error: unknown): Promise<ToolResult> => {
  const { code, message, hint } = await toFailure(error);
  return { code, message, hint };
};

const describeCredential = async (session: ServerContext["session"]): Promise<ToolResult> => {
  try {
    const { workspace, credential } = await session.getCaller();
    return {
      workspace: workspace && { id: workspace.id, name: workspace.name },
      credential: { type: credential.type, name: credential.name },
    };
  } catch (error) {
    return { credential: null, problem: await describeFailure(error) };
  }
};

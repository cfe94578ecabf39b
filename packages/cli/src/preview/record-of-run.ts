import type { Context } from "../input/context.js";
import { commitOf } from "../git/clone.js";
import { isPushed } from "../git/remote.js";
import type { PreviewRecord } from "./record.js";
import type { GitContext } from "../git/repository.js";

/**
 * Returns the record that a preview stores about the run that creates or uses it.
 *
 * @param earlier the record that it has already.
 * @param expiresAt ISO time, null for never. Undefined keeps what it was.
 */
export const recordOfRun = async (
  gitName: string,
  { job, repository }: GitContext,
  earlier: PreviewRecord,
  expiresAt: string | null | undefined,
  context: Context,
): Promise<PreviewRecord> => {
  const remote = repository?.remote;
  const [localCommit, pushed] = await Promise.all([
    commitOf(gitName, remote, context),
    earlier.pushed || (remote !== undefined && isPushed(gitName, remote, context)),
  ]);
  const commit = (job.branch === gitName ? job.commit : undefined) ?? localCommit ?? earlier.commit;
  return {
    ...earlier,
    commit: commit !== undefined && /^[0-9a-f]{12,}$/.test(commit) ? commit.slice(0, 12) : earlier.commit,
    pushed,
    expiresAt: expiresAt === undefined ? earlier.expiresAt : (expiresAt ?? undefined),
  };
};

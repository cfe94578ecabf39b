import type { Context } from "../input/context.js";
import { findCommitOfBranch } from "../git/clone.js";
import { isBranchPushed } from "../git/remote.js";
import type { PreviewRecord } from "./record.js";
import type { GitContext } from "../git/repository.js";

/**
 * Returns the record that a preview stores about the run that creates or uses it.
 *
 * @param earlierRecord the record that it has already.
 * @param expiresAt ISO time, null for never. Undefined keeps the time.
 */
export const buildRunRecord = async (
  gitName: string,
  { job, repository }: GitContext,
  earlierRecord: PreviewRecord,
  expiresAt: string | null | undefined,
  context: Context,
): Promise<PreviewRecord> => {
  const remote = repository?.remote;
  const [localCommit, pushed] = await Promise.all([
    findCommitOfBranch(gitName, remote, context),
    earlierRecord.pushed || (remote !== undefined && isBranchPushed(gitName, remote, context)),
  ]);
  const commit = (job.branch === gitName ? job.commit : undefined) ?? localCommit ?? earlierRecord.commit;
  return {
    ...earlierRecord,
    commit:
      commit !== undefined && /^[0-9a-f]{12,}$/.test(commit) ? commit.slice(0, 12) : earlierRecord.commit,
    pushed,
    expiresAt: expiresAt === undefined ? earlierRecord.expiresAt : (expiresAt ?? undefined),
  };
};

import type { Context } from "../../context/context.js";
import { noSuchRemote, severalRemotes } from "../../errors/preview-errors.js";
import { currentBranch, listRemotes, type Remote, rootFolder } from "../../git/clone.js";
import { type CiJob, readCiJob } from "./ci-job.js";
import { repositoryKey } from "./repository-key.js";

/** The git repository that a command works for. */
export interface Repository {
  /** What identifies it, without its address. */
  readonly key: string;
  /** The name of its remote in the clone, or its address, for git. */
  readonly remote: string;
}

/** Where a command runs. */
export interface Surroundings {
  readonly job: CiJob;
  /** Undefined without a clone that has a remote, outside of CI. */
  readonly repository: Repository | undefined;
}

/**
 * Returns the CI job and the git repository that a command runs for: of `--remote`, else of the CI job, else the remote `origin`
 * of the clone or the only remote that it has.
 *
 * @param remote Name of a remote of the clone, or an address.
 * @throws `preview:unknown_remote`; `preview:several_remotes`.
 */
export const surroundingsOf = async (remote: string | undefined, context: Context): Promise<Surroundings> => {
  const job = await readCiJob(context.env);
  const remotes = await listRemotes(context);
  const folder = await rootFolder(context);
  const keyOf = (url: string): string => repositoryKey(url, folder);
  const known = ({ name, url }: Remote): Repository => ({ key: keyOf(url), remote: name });
  if (remote !== undefined) {
    const named = remotes.find(({ name }) => name === remote);
    if (named) return { job, repository: known(named) };
    if (!/[:/\\]/.test(remote)) {
      throw noSuchRemote(
        remote,
        remotes.map(({ name }) => name),
      );
    }
    return { job, repository: { key: keyOf(remote), remote } };
  }
  const { repository: address } = job;
  if (address !== undefined) {
    const key = keyOf(address);
    // The remote of the clone can have credentials that the address of the job lacks. The clone may be of another repository.
    const clone = remotes.find(({ url }) => keyOf(url) === key);
    return { job, repository: { key, remote: clone?.name ?? address } };
  }
  const origin =
    remotes.find(({ name }) => name === "origin") ?? (remotes.length === 1 ? remotes[0] : undefined);
  if (origin) return { job, repository: known(origin) };
  if (remotes.length > 0) throw severalRemotes(remotes.map(({ name }) => name));
  return { job, repository: undefined };
};

/** Returns the git branch of the CI job, or of the folder. */
export const branchIn = async ({ job }: Surroundings, context: Context): Promise<string | undefined> =>
  job.branch ?? (await currentBranch(context));

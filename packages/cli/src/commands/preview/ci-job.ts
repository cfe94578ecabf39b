import { readFile } from "node:fs/promises";
import type { Context } from "../../input/context.js";
import { isObject, valueAt } from "../../contract/json-path.js";

/** What a CI job says about the git branch that it runs for. */
export interface CiJob {
  /** For a pull request its source; with the owner before it, as in `alice:patch-1`, if that is in a fork. */
  readonly branch: string | undefined;
  /** The tag that the job runs for, which has no branch. */
  readonly tag: string | undefined;
  readonly commit: string | undefined;
  /** Address of the repository that the job belongs to. */
  readonly repository: string | undefined;
}

type Env = Context["env"];

/** Variables of other CI systems: the tag; the source of a pull request before the branch, each of which may be a whole ref. */
const others: readonly { tag?: string; branch: readonly string[]; commit: string; repository: string }[] = [
  {
    tag: "BITBUCKET_TAG",
    branch: ["BITBUCKET_BRANCH"],
    commit: "BITBUCKET_COMMIT",
    repository: "BITBUCKET_GIT_HTTP_ORIGIN",
  },
  {
    tag: "CIRCLE_TAG",
    branch: ["CIRCLE_BRANCH"],
    commit: "CIRCLE_SHA1",
    repository: "CIRCLE_REPOSITORY_URL",
  },
  {
    tag: "BUILDKITE_TAG",
    branch: ["BUILDKITE_BRANCH"],
    commit: "BUILDKITE_COMMIT",
    repository: "BUILDKITE_REPO",
  },
  {
    branch: ["SYSTEM_PULLREQUEST_SOURCEBRANCH", "BUILD_SOURCEBRANCH"],
    commit: "BUILD_SOURCEVERSION",
    repository: "BUILD_REPOSITORY_URI",
  },
];

/** Returns what the variables of GitHub Actions, GitLab CI and other CI systems say. */
export const readCiJob = async (env: Env): Promise<CiJob> => {
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  const gitHub = await gitHubJob(read);
  const gitLab = gitLabJob(read);
  const all = [gitHub, gitLab, ...others.map((each) => otherJob(each, read))];
  return all.find(({ branch, tag }) => branch ?? tag) ?? all.find(({ repository }) => repository) ?? gitHub;
};

type Read = (name: string) => string | undefined;

const gitHubJob = async (read: Read): Promise<CiJob> => {
  const [server = "https://github.com", name] = [read("GITHUB_SERVER_URL"), read("GITHUB_REPOSITORY")];
  const repository = name && `${server}/${name}`;
  const source = read("GITHUB_HEAD_REF");
  if (source === undefined) {
    const isTag = read("GITHUB_REF_TYPE") === "tag" || read("GITHUB_REF")?.startsWith(tagPrefix);
    const ref = read("GITHUB_REF_NAME");
    return { ...(isTag ? tagged(ref) : onBranch(ref)), commit: read("GITHUB_SHA"), repository };
  }
  // The variables of a pull request name neither the fork nor the commit: its own commit is a merge that exists nowhere else.
  const head = await pullRequestHead(read("GITHUB_EVENT_PATH"));
  const [commit, fork, owner] = [["sha"], ["repo", "full_name"], ["repo", "owner", "login"]].map((path) =>
    valueAt(head, path),
  );
  const isFork = typeof fork === "string" && name !== undefined && fork.toLowerCase() !== name.toLowerCase();
  return {
    ...onBranch(isFork && typeof owner === "string" ? `${owner}:${source}` : source),
    commit: typeof commit === "string" ? commit : undefined,
    repository,
  };
};

/** Returns the source of the pull request in a file of GitHub Actions that describes the event. */
const pullRequestHead = async (path: string | undefined): Promise<unknown> => {
  if (path === undefined) return undefined;
  try {
    const event: unknown = JSON.parse(await readFile(path, "utf8"));
    return isObject(event) ? valueAt(event, ["pull_request", "head"]) : undefined;
  } catch {
    return undefined;
  }
};

const gitLabJob = (read: Read): CiJob => {
  const source = read("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME");
  const [from, here] = [read("CI_MERGE_REQUEST_SOURCE_PROJECT_PATH"), read("CI_PROJECT_PATH")];
  const isFork = from !== undefined && here !== undefined && from !== here;
  const tag = read("CI_COMMIT_TAG");
  return {
    ...(source !== undefined
      ? onBranch(isFork ? `${ownerOf(from)}:${source}` : source)
      : tag !== undefined
        ? tagged(tag)
        : onBranch(read("CI_COMMIT_BRANCH") ?? read("CI_COMMIT_REF_NAME"))),
    commit: read("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") ?? read("CI_COMMIT_SHA"),
    repository: read("CI_PROJECT_URL"),
  };
};

const ownerOf = (path: string): string => path.split("/").slice(0, -1).join("/");

const otherJob = (names: (typeof others)[number], read: Read): CiJob => {
  const tag = names.tag === undefined ? undefined : read(names.tag);
  const ref = names.branch.map(read).find(Boolean);
  return {
    ...(tag !== undefined
      ? tagged(tag)
      : ref?.startsWith(tagPrefix)
        ? tagged(ref.slice(tagPrefix.length))
        : onBranch(ref?.replace(/^refs\/heads\//, ""))),
    commit: read(names.commit),
    repository: read(names.repository),
  };
};

const tagPrefix = "refs/tags/";

const tagged = (tag: string | undefined): Pick<CiJob, "branch" | "tag"> => ({ branch: undefined, tag });

const onBranch = (branch: string | undefined): Pick<CiJob, "branch" | "tag"> => ({ branch, tag: undefined });

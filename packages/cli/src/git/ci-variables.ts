import { readFile, stat } from "node:fs/promises";
import { isObject, getAtPath } from "../json/json-path.js";
import { createRepositoryKey } from "./repository-key.js";

/** Reads a variable of the environment. Returns undefined if it is empty. */
export type ReadVariable = (name: string) => string | undefined;

/** Whether a pull request comes from a fork. */
interface ForkInformation {
  /** It is undefined if the system does not report it. */
  readonly isFork: boolean | undefined;
  /** It is undefined if it is not known. */
  readonly forkOwner?: string | undefined;
}

/** The information of a CI system about the pull request that a job runs for. */
export interface PullRequest extends ForkInformation {
  readonly number: string | undefined;
  readonly source: string | undefined;
  readonly target: string | undefined;
  readonly commit: string | undefined;
}

/** A CI system, and its variables. */
export interface CiSystem {
  readonly name: string;
  /** Page of its documentation that lists the variables. */
  readonly documentation: string;
  /** Variable that is on in each of its jobs, or has a value. */
  readonly detectedBy: string | readonly [name: string, value: string];
  /** Branch of a job that runs for no pull request, which may be a whole ref. The first one that is set counts. */
  readonly branch: readonly string[];
  readonly tag?: string;
  readonly commit?: string;
  /** URL of the repository. */
  readonly repository?: (read: ReadVariable) => string | undefined;
  readonly defaultBranch?: (read: ReadVariable) => string | undefined | Promise<string | undefined>;
  /** Returns undefined for a job that runs for no pull request. */
  readonly pullRequest?: (read: ReadVariable) => PullRequest | undefined | Promise<PullRequest | undefined>;
}

const createVariableReader =
  (name: string): ((read: ReadVariable) => string | undefined) =>
  (read) =>
    read(name);

/** Names of the variables of a pull request. `number` is absent, or `false`, where there is none. */
interface PullRequestVariables {
  readonly number: string;
  readonly source: string;
  readonly target?: string;
  readonly commit?: string;
  readonly readFork?: (read: ReadVariable) => ForkInformation;
}

const createPullRequestReader =
  ({ number, source, target, commit, readFork }: PullRequestVariables) =>
  (read: ReadVariable): PullRequest | undefined => {
    const pullRequestNumber = read(number);
    if (pullRequestNumber === undefined || pullRequestNumber === "false") return undefined;
    return {
      number: pullRequestNumber,
      source: read(source),
      target: target === undefined ? undefined : read(target),
      commit: commit === undefined ? undefined : read(commit),
      ...(readFork?.(read) ?? { isFork: undefined }),
    };
  };

/** Returns a function that compares the paths of two repositories. One that is not named is a fork. */
const createForkReader =
  (sourceVariable: string, ownVariable: string) =>
  (read: ReadVariable): ForkInformation => {
    const [sourcePath, ownPath] = [read(sourceVariable), read(ownVariable)];
    if (sourcePath === undefined || ownPath === undefined) return { isFork: true };
    if (sourcePath.toLowerCase() === ownPath.toLowerCase()) return { isFork: false };
    return { isFork: true, forkOwner: sourcePath.split("/").slice(0, -1).join("/") || undefined };
  };

/** The systems whose jobs are recognized, the more specific ones first. */
export const ciSystems: readonly CiSystem[] = [
  {
    // Gitea and Forgejo Actions set the same variables.
    name: "GitHub Actions",
    documentation: "https://docs.github.com/en/actions/reference/workflows-and-actions/variables",
    detectedBy: "GITHUB_ACTIONS",
    branch: ["GITHUB_REF", "GITHUB_REF_NAME"],
    commit: "GITHUB_SHA",
    repository: (read) => {
      const name = read("GITHUB_REPOSITORY");
      return name && `${read("GITHUB_SERVER_URL") ?? "https://github.com"}/${name}`;
    },
    defaultBranch: async (read) => readTextAt(await readEvent(read), ["repository", "default_branch"]),
    pullRequest: async (read) => {
      const ref = /^refs\/pull\/(\d+)\//.exec(read("GITHUB_REF") ?? "");
      const source = read("GITHUB_HEAD_REF");
      if (source === undefined && !ref) return undefined;
      // The variables name neither the fork nor the commit: the commit of the job is a merge that exists nowhere else.
      const event = await readEvent(read);
      const ownFullName = read("GITHUB_REPOSITORY") ?? readTextAt(event, ["repository", "full_name"]);
      const head = getAtPath(event, ["pull_request", "head"]);
      const headFullName = readTextAt(head, ["repo", "full_name"]);
      const isOwnRepository =
        headFullName !== undefined && headFullName.toLowerCase() === ownFullName?.toLowerCase();
      const forkOwner = readTextAt(head, ["repo", "owner", "login"]) ?? readTextAt(head, ["user", "login"]);
      return {
        number: ref?.[1] ?? readNumberTextAt(event, ["pull_request", "number"]),
        source: source ?? readTextAt(head, ["ref"]),
        target: read("GITHUB_BASE_REF"),
        commit: readTextAt(head, ["sha"]),
        // A fork that was deleted is null.
        isFork: !isOwnRepository,
        forkOwner,
      };
    },
  },
  {
    name: "Woodpecker CI",
    documentation: "https://woodpecker-ci.org/docs/usage/environment",
    detectedBy: ["CI", "woodpecker"],
    branch: ["CI_COMMIT_BRANCH"],
    tag: "CI_COMMIT_TAG",
    commit: "CI_COMMIT_SHA",
    repository: (read) => read("CI_REPO_CLONE_URL") ?? read("CI_REPO_URL"),
    defaultBranch: createVariableReader("CI_REPO_DEFAULT_BRANCH"),
    pullRequest: createPullRequestReader({
      number: "CI_COMMIT_PULL_REQUEST",
      source: "CI_COMMIT_SOURCE_BRANCH",
      target: "CI_COMMIT_TARGET_BRANCH",
      commit: "CI_COMMIT_SHA",
    }),
  },
  {
    // Harness Open Source sets the same variables.
    name: "Drone",
    documentation: "https://docs.drone.io/pipeline/environment/reference/",
    detectedBy: "DRONE",
    branch: ["DRONE_COMMIT_BRANCH", "DRONE_BRANCH"],
    tag: "DRONE_TAG",
    commit: "DRONE_COMMIT_SHA",
    repository: (read) => read("DRONE_GIT_HTTP_URL") ?? read("DRONE_REMOTE_URL"),
    defaultBranch: createVariableReader("DRONE_REPO_BRANCH"),
    pullRequest: createPullRequestReader({
      number: "DRONE_PULL_REQUEST",
      source: "DRONE_SOURCE_BRANCH",
      target: "DRONE_TARGET_BRANCH",
      commit: "DRONE_COMMIT_SHA",
    }),
  },
  {
    name: "GitLab CI",
    documentation: "https://docs.gitlab.com/ci/variables/predefined_variables/",
    detectedBy: "GITLAB_CI",
    branch: ["CI_COMMIT_BRANCH", "CI_COMMIT_REF_NAME"],
    tag: "CI_COMMIT_TAG",
    commit: "CI_COMMIT_SHA",
    repository: createVariableReader("CI_PROJECT_URL"),
    defaultBranch: createVariableReader("CI_DEFAULT_BRANCH"),
    pullRequest: createPullRequestReader({
      number: "CI_MERGE_REQUEST_IID",
      source: "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
      target: "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
      commit: "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA",
      readFork: createForkReader("CI_MERGE_REQUEST_SOURCE_PROJECT_PATH", "CI_PROJECT_PATH"),
    }),
  },
  {
    // Pipelines of forks run in the forks.
    name: "Bitbucket Pipelines",
    documentation: "https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/",
    detectedBy: "BITBUCKET_BUILD_NUMBER",
    branch: ["BITBUCKET_BRANCH"],
    tag: "BITBUCKET_TAG",
    commit: "BITBUCKET_COMMIT",
    repository: createVariableReader("BITBUCKET_GIT_HTTP_ORIGIN"),
  },
  {
    // The branch of a fork is `pull/7`.
    name: "CircleCI",
    documentation: "https://circleci.com/docs/variables/",
    detectedBy: "CIRCLECI",
    branch: ["CIRCLE_BRANCH"],
    tag: "CIRCLE_TAG",
    commit: "CIRCLE_SHA1",
    repository: createVariableReader("CIRCLE_REPOSITORY_URL"),
    pullRequest: (read) =>
      read("CIRCLE_PR_USERNAME") !== undefined || /^pull\/\d+$/.test(read("CIRCLE_BRANCH") ?? "")
        ? { number: undefined, source: undefined, target: undefined, commit: undefined, isFork: true }
        : undefined,
  },
  {
    name: "Buildkite",
    documentation: "https://buildkite.com/docs/pipelines/configure/environment-variables",
    detectedBy: "BUILDKITE",
    branch: ["BUILDKITE_BRANCH"],
    tag: "BUILDKITE_TAG",
    commit: "BUILDKITE_COMMIT",
    repository: createVariableReader("BUILDKITE_REPO"),
    defaultBranch: createVariableReader("BUILDKITE_PIPELINE_DEFAULT_BRANCH"),
    pullRequest: (read) => {
      const [sourceUrl, ownUrl] = [read("BUILDKITE_PULL_REQUEST_REPO"), read("BUILDKITE_REPO")];
      // A setting of the pipeline puts the owner of a fork before its branch.
      const [, owner, source] = /^([^:]+):(.+)$/.exec(read("BUILDKITE_BRANCH") ?? "") ?? [];
      const isOwnRepository =
        sourceUrl !== undefined && ownUrl !== undefined && isSameRepository(sourceUrl, ownUrl);
      const pullRequest = createPullRequestReader({
        number: "BUILDKITE_PULL_REQUEST",
        source: "BUILDKITE_BRANCH",
        target: "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
        commit: "BUILDKITE_COMMIT",
        readFork: () => ({
          isFork: owner !== undefined || !isOwnRepository,
          forkOwner: owner ?? parseOwner(sourceUrl),
        }),
      })(read);
      return pullRequest && { ...pullRequest, source: source ?? pullRequest.source };
    },
  },
  {
    name: "Azure Pipelines",
    documentation: "https://learn.microsoft.com/en-us/azure/devops/pipelines/build/variables",
    detectedBy: "TF_BUILD",
    branch: ["BUILD_SOURCEBRANCH"],
    commit: "BUILD_SOURCEVERSION",
    repository: createVariableReader("BUILD_REPOSITORY_URI"),
    pullRequest: (read) => {
      const id = read("SYSTEM_PULLREQUEST_PULLREQUESTID");
      if (id === undefined && read("SYSTEM_PULLREQUEST_SOURCEBRANCH") === undefined) return undefined;
      const isForkText = read("SYSTEM_PULLREQUEST_ISFORK")?.toLowerCase();
      return {
        number: read("SYSTEM_PULLREQUEST_PULLREQUESTNUMBER") ?? id,
        source: read("SYSTEM_PULLREQUEST_SOURCEBRANCH"),
        target: read("SYSTEM_PULLREQUEST_TARGETBRANCH"),
        commit: read("SYSTEM_PULLREQUEST_SOURCECOMMITID"),
        isFork: isForkText !== "false",
      };
    },
  },
  {
    name: "Travis CI",
    documentation: "https://docs.travis-ci.com/user/environment-variables/",
    detectedBy: "TRAVIS",
    branch: ["TRAVIS_BRANCH"],
    tag: "TRAVIS_TAG",
    commit: "TRAVIS_COMMIT",
    pullRequest: createPullRequestReader({
      number: "TRAVIS_PULL_REQUEST",
      source: "TRAVIS_PULL_REQUEST_BRANCH",
      target: "TRAVIS_BRANCH",
      commit: "TRAVIS_PULL_REQUEST_SHA",
      readFork: createForkReader("TRAVIS_PULL_REQUEST_SLUG", "TRAVIS_REPO_SLUG"),
    }),
  },
  {
    name: "AppVeyor",
    documentation: "https://www.appveyor.com/docs/environment-variables/",
    detectedBy: "APPVEYOR",
    branch: ["APPVEYOR_REPO_BRANCH"],
    tag: "APPVEYOR_REPO_TAG_NAME",
    commit: "APPVEYOR_REPO_COMMIT",
    pullRequest: createPullRequestReader({
      number: "APPVEYOR_PULL_REQUEST_NUMBER",
      source: "APPVEYOR_PULL_REQUEST_HEAD_REPO_BRANCH",
      target: "APPVEYOR_REPO_BRANCH",
      commit: "APPVEYOR_PULL_REQUEST_HEAD_COMMIT",
      readFork: createForkReader("APPVEYOR_PULL_REQUEST_HEAD_REPO_NAME", "APPVEYOR_REPO_NAME"),
    }),
  },
  {
    name: "Semaphore",
    documentation: "https://docs.semaphore.io/reference/env-vars",
    detectedBy: "SEMAPHORE",
    branch: ["SEMAPHORE_GIT_WORKING_BRANCH", "SEMAPHORE_GIT_BRANCH"],
    tag: "SEMAPHORE_GIT_TAG_NAME",
    commit: "SEMAPHORE_GIT_SHA",
    repository: createVariableReader("SEMAPHORE_GIT_URL"),
    pullRequest: createPullRequestReader({
      number: "SEMAPHORE_GIT_PR_NUMBER",
      source: "SEMAPHORE_GIT_PR_BRANCH",
      target: "SEMAPHORE_GIT_BRANCH",
      commit: "SEMAPHORE_GIT_PR_SHA",
      readFork: createForkReader("SEMAPHORE_GIT_PR_SLUG", "SEMAPHORE_GIT_REPO_SLUG"),
    }),
  },
  {
    // The branch of a fork is `pull/7`, and the branch of another pull request is its source.
    name: "Cirrus CI",
    documentation: "https://cirrus-ci.org/guide/writing-tasks/#environment-variables",
    detectedBy: "CIRRUS_CI",
    branch: ["CIRRUS_BRANCH"],
    tag: "CIRRUS_TAG",
    commit: "CIRRUS_CHANGE_IN_REPO",
    repository: createVariableReader("CIRRUS_REPO_CLONE_URL"),
    defaultBranch: createVariableReader("CIRRUS_DEFAULT_BRANCH"),
    pullRequest: (read) =>
      /^pull\/\d+$/.test(read("CIRRUS_BRANCH") ?? "")
        ? { number: undefined, source: undefined, target: undefined, commit: undefined, isFork: true }
        : undefined,
  },
  {
    name: "Jenkins",
    documentation: "https://www.jenkins.io/doc/book/pipeline/multibranch/",
    detectedBy: "JENKINS_URL",
    branch: ["BRANCH_NAME", "GIT_LOCAL_BRANCH"],
    tag: "TAG_NAME",
    commit: "GIT_COMMIT",
    repository: createVariableReader("GIT_URL"),
    defaultBranch: (read) => (read("BRANCH_IS_PRIMARY") === "true" ? read("BRANCH_NAME") : undefined),
    pullRequest: createPullRequestReader({
      number: "CHANGE_ID",
      source: "CHANGE_BRANCH",
      target: "CHANGE_TARGET",
      // `alice` or `alice/shop`.
      readFork: (read) => {
        const forkOwner = read("CHANGE_FORK")?.split("/")[0];
        return { isFork: forkOwner !== undefined, forkOwner };
      },
    }),
  },
  {
    // The branch is a parameter of the build alone.
    name: "TeamCity",
    documentation: "https://www.jetbrains.com/help/teamcity/predefined-build-parameters.html",
    detectedBy: "TEAMCITY_VERSION",
    branch: [],
  },
  {
    name: "Netlify",
    documentation: "https://docs.netlify.com/build/configure-builds/environment-variables/",
    detectedBy: "NETLIFY",
    branch: ["BRANCH"],
    commit: "COMMIT_REF",
    repository: createVariableReader("REPOSITORY_URL"),
    pullRequest: (read) =>
      read("PULL_REQUEST") === "true"
        ? {
            number: read("REVIEW_ID"),
            source: read("HEAD"),
            target: undefined,
            commit: read("COMMIT_REF"),
            isFork: undefined,
          }
        : undefined,
  },
  {
    name: "Vercel",
    documentation: "https://vercel.com/docs/environment-variables/system-environment-variables",
    detectedBy: "VERCEL",
    branch: ["VERCEL_GIT_COMMIT_REF"],
    commit: "VERCEL_GIT_COMMIT_SHA",
  },
  {
    name: "Cloudflare Pages",
    documentation:
      "https://developers.cloudflare.com/pages/configuration/build-configuration/#environment-variables",
    detectedBy: "CF_PAGES",
    branch: ["CF_PAGES_BRANCH"],
    commit: "CF_PAGES_COMMIT_SHA",
  },
  {
    name: "Workers Builds",
    documentation:
      "https://developers.cloudflare.com/workers/ci-cd/builds/configuration/#environment-variables",
    detectedBy: "WORKERS_CI",
    branch: ["WORKERS_CI_BRANCH"],
    commit: "WORKERS_CI_COMMIT_SHA",
  },
  {
    name: "Render",
    documentation: "https://render.com/docs/environment-variables",
    detectedBy: "RENDER",
    branch: ["RENDER_GIT_BRANCH"],
    commit: "RENDER_GIT_COMMIT",
  },
];

const isSameRepository = (firstUrl: string, secondUrl: string): boolean =>
  createRepositoryKey(firstUrl, "/") === createRepositoryKey(secondUrl, "/");

/** Returns the owner in the URL of a repository: `alice` of `git://github.com/alice/shop.git`. */
const parseOwner = (url: string | undefined): string | undefined =>
  /[/:]([^/:]+)\/[^/]+$/.exec(url ?? "")?.[1];

/** The largest event that GitHub sends, in bytes: https://docs.github.com/en/webhooks/webhook-events-and-payloads#payload-cap. */
const maxEventBytes = 25 * 2 ** 20;

/** Returns the event in the file of GitHub Actions, or undefined if there is none that can be read. */
const readEvent = async (read: ReadVariable): Promise<unknown> => {
  const path = read("GITHUB_EVENT_PATH");
  if (path === undefined) return undefined;
  try {
    const stats = await stat(path);
    if (!stats.isFile() || stats.size > maxEventBytes) return undefined;
    const event: unknown = JSON.parse(await readFile(path, "utf8"));
    return isObject(event) ? event : undefined;
  } catch {
    return undefined;
  }
};

const readTextAt = (value: unknown, path: readonly string[]): string | undefined => {
  const text = getAtPath(value, path);
  return typeof text === "string" && text !== "" ? text : undefined;
};

const readNumberTextAt = (value: unknown, path: readonly string[]): string | undefined => {
  const number = getAtPath(value, path);
  return Number.isSafeInteger(number) ? String(number) : undefined;
};

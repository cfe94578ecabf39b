import { mkdtempSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { readCiJob } from "./ci-job.js";
import { ciSystems } from "./ci-variables.js";
import { temporaryFolder } from "../../test/folders.js";
import {
  type Env,
  azure,
  gitHub,
  gitHubPull,
  gitLab,
  jenkins,
  travis,
  woodpecker,
} from "../../test/git/ci-environments.js";

const root = temporaryFolder();
const sha = "1".repeat(40);
let eventPath: string;
beforeEach(() => {
  eventPath = join(mkdtempSync(join(root, "job-")), "event.json");
});
const drone: Env = { CI: "true", DRONE: "true", DRONE_REPO_BRANCH: "main" };
const azurePull: Env = {
  ...azure,
  SYSTEM_PULLREQUEST_PULLREQUESTID: "70",
  SYSTEM_PULLREQUEST_SOURCEBRANCH: "refs/heads/patch",
  BUILD_SOURCEBRANCH: "refs/pull/7/merge",
};
const buildkite: Env = { BUILDKITE: "true", BUILDKITE_REPO: "git@github.com:acme/shop.git" };
const appVeyor: Env = { APPVEYOR: "True", APPVEYOR_REPO_NAME: "acme/shop", APPVEYOR_REPO_BRANCH: "main" };
const semaphore: Env = {
  SEMAPHORE: "true",
  SEMAPHORE_GIT_REPO_SLUG: "acme/shop",
  SEMAPHORE_GIT_BRANCH: "main",
};
const netlify: Env = { NETLIFY: "true", PULL_REQUEST: "true", BRANCH: "pull/7/head", REVIEW_ID: "7" };

const head = (repo: object | null): object => ({ ref: "patch", sha, repo, user: { login: "alice" } });
const own = { full_name: "acme/shop", owner: { login: "acme" } };
const fork = { full_name: "alice/shop", owner: { login: "alice" } };

describe("the branch of a CI job", () => {
  it.each<[string, Env]>([
    ["GitHub Actions", { ...gitHub, GITHUB_REF: "refs/heads/feature", GITHUB_REF_NAME: "feature" }],
    ["GitHub Actions with a name alone", { ...gitHub, GITHUB_REF_NAME: "feature" }],
    ["Woodpecker", { ...woodpecker, CI_COMMIT_BRANCH: "feature", CI_COMMIT_REF_NAME: "other" }],
    ["Drone", { ...drone, DRONE_BRANCH: "feature", DRONE_COMMIT_BRANCH: "feature" }],
    ["GitLab", { ...gitLab, CI_COMMIT_BRANCH: "feature" }],
    ["GitLab of long ago", { ...gitLab, CI_COMMIT_REF_NAME: "feature" }],
    ["Bitbucket", { BITBUCKET_BUILD_NUMBER: "1", BITBUCKET_BRANCH: "feature" }],
    ["CircleCI", { CIRCLECI: "true", CIRCLE_BRANCH: "feature" }],
    ["Buildkite", { ...buildkite, BUILDKITE_BRANCH: "feature", BUILDKITE_PULL_REQUEST: "false" }],
    ["Azure Pipelines", { ...azure, BUILD_SOURCEBRANCH: "refs/heads/feature" }],
    ["Travis CI", { ...travis, TRAVIS_BRANCH: "feature", TRAVIS_PULL_REQUEST: "false" }],
    ["AppVeyor", { ...appVeyor, APPVEYOR_REPO_BRANCH: "feature" }],
    ["Semaphore", { ...semaphore, SEMAPHORE_GIT_BRANCH: "feature" }],
    ["Cirrus CI", { CIRRUS_CI: "true", CIRRUS_BRANCH: "feature" }],
    ["Jenkins", { ...jenkins, BRANCH_NAME: "feature" }],
    ["Netlify", { NETLIFY: "true", BRANCH: "feature" }],
    ["Vercel", { VERCEL: "1", VERCEL_GIT_COMMIT_REF: "feature" }],
    ["Cloudflare Pages", { CF_PAGES: "1", CF_PAGES_BRANCH: "feature" }],
    ["Workers Builds", { WORKERS_CI: "1", WORKERS_CI_BRANCH: "feature" }],
    ["Render", { RENDER: "true", RENDER_GIT_BRANCH: "feature" }],
  ])("is that of a push: %s", async (_, env) => {
    expect(await readCiJob(env)).toMatchObject({ branch: "feature", problem: undefined });
  });

  it.each<[string, string, Env, object?]>([
    ["GitHub Actions", "patch", gitHubPull, { pull_request: { head: head(own) } }],
    [
      "a review in GitHub Actions, which has no variable for it",
      "patch",
      { ...gitHub, GITHUB_REF: "refs/pull/7/merge", GITHUB_REF_NAME: "7/merge" },
      { pull_request: { head: head(own) } },
    ],
    ["a fork in GitHub Actions", "alice:patch", gitHubPull, { pull_request: { head: head(fork) } }],
    [
      "a fork of the same owner",
      "acme:patch",
      gitHubPull,
      { pull_request: { head: head({ ...own, full_name: "acme/copy" }) } },
    ],
    ["a deleted fork", "alice:patch", gitHubPull, { pull_request: { head: head(null) } }],
    [
      "a deleted fork of a deleted user",
      "pull-7:patch",
      gitHubPull,
      { pull_request: { head: { ref: "patch", repo: null, user: null } } },
    ],
    [
      "Woodpecker, whose CI_COMMIT_BRANCH is the target",
      "patch",
      {
        ...woodpecker,
        CI_PIPELINE_EVENT: "pull_request_closed",
        CI_COMMIT_PULL_REQUEST: "7",
        CI_COMMIT_BRANCH: "develop",
        CI_COMMIT_SOURCE_BRANCH: "patch",
        CI_COMMIT_TARGET_BRANCH: "develop",
      },
    ],
    [
      "a fork in Woodpecker with the name of the target",
      "pull-7:develop",
      {
        ...woodpecker,
        CI_COMMIT_PULL_REQUEST: "7",
        CI_COMMIT_SOURCE_BRANCH: "develop",
        CI_COMMIT_TARGET_BRANCH: "develop",
      },
    ],
    [
      "Drone, whose DRONE_BRANCH is the target",
      "patch",
      {
        ...drone,
        DRONE_PULL_REQUEST: "7",
        DRONE_BRANCH: "develop",
        DRONE_SOURCE_BRANCH: "patch",
        DRONE_TARGET_BRANCH: "develop",
      },
    ],
    [
      "a fork in Drone with the name of the default branch",
      "pull-7:main",
      { ...drone, DRONE_PULL_REQUEST: "7", DRONE_SOURCE_BRANCH: "main", DRONE_TARGET_BRANCH: "develop" },
    ],
    [
      "GitLab",
      "patch",
      {
        ...gitLab,
        CI_MERGE_REQUEST_IID: "7",
        CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "patch",
        CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: "acme/shop",
        CI_COMMIT_REF_NAME: "other",
      },
    ],
    [
      "a fork in GitLab",
      "group/bob:patch",
      {
        ...gitLab,
        CI_MERGE_REQUEST_IID: "7",
        CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "patch",
        CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: "group/bob/shop",
      },
    ],
    [
      "a deleted fork in GitLab",
      "pull-7:patch",
      { ...gitLab, CI_MERGE_REQUEST_IID: "7", CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "patch" },
    ],
    [
      "Bitbucket",
      "patch",
      {
        BITBUCKET_BUILD_NUMBER: "1",
        BITBUCKET_PR_ID: "7",
        BITBUCKET_BRANCH: "patch",
        BITBUCKET_PR_DESTINATION_BRANCH: "main",
      },
    ],
    [
      "Buildkite",
      "patch",
      {
        ...buildkite,
        BUILDKITE_BRANCH: "patch",
        BUILDKITE_PULL_REQUEST: "7",
        BUILDKITE_PULL_REQUEST_REPO: "https://github.com/Acme/shop",
      },
    ],
    [
      "a fork in Buildkite",
      "alice:patch",
      {
        ...buildkite,
        BUILDKITE_BRANCH: "patch",
        BUILDKITE_PULL_REQUEST: "7",
        BUILDKITE_PULL_REQUEST_REPO: "git://github.com/alice/shop.git",
      },
    ],
    [
      "a fork in Buildkite, with its owner",
      "alice:patch",
      {
        ...buildkite,
        BUILDKITE_BRANCH: "alice:patch",
        BUILDKITE_PULL_REQUEST: "7",
        BUILDKITE_PULL_REQUEST_REPO: "git://github.com/alice/shop.git",
      },
    ],
    ["Azure Pipelines", "patch", { ...azurePull, SYSTEM_PULLREQUEST_ISFORK: "False" }],
    [
      "a fork in Azure Pipelines",
      "pull-7:patch",
      { ...azurePull, SYSTEM_PULLREQUEST_ISFORK: "True", SYSTEM_PULLREQUEST_PULLREQUESTNUMBER: "7" },
    ],
    ["Azure Pipelines that do not say whether it is a fork", "pull-70:patch", azurePull],
    [
      "Travis CI, whose TRAVIS_BRANCH is the target",
      "patch",
      {
        ...travis,
        TRAVIS_PULL_REQUEST: "7",
        TRAVIS_PULL_REQUEST_BRANCH: "patch",
        TRAVIS_PULL_REQUEST_SLUG: "acme/shop",
      },
    ],
    [
      "a fork in Travis CI",
      "alice:main",
      {
        ...travis,
        TRAVIS_PULL_REQUEST: "7",
        TRAVIS_PULL_REQUEST_BRANCH: "main",
        TRAVIS_PULL_REQUEST_SLUG: "alice/shop",
      },
    ],
    [
      "a deleted fork in Travis CI",
      "pull-7:patch",
      {
        ...travis,
        TRAVIS_PULL_REQUEST: "7",
        TRAVIS_PULL_REQUEST_BRANCH: "patch",
        TRAVIS_PULL_REQUEST_SLUG: "",
      },
    ],
    [
      "AppVeyor, whose APPVEYOR_REPO_BRANCH is the target",
      "patch",
      {
        ...appVeyor,
        APPVEYOR_PULL_REQUEST_NUMBER: "7",
        APPVEYOR_PULL_REQUEST_HEAD_REPO_BRANCH: "patch",
        APPVEYOR_PULL_REQUEST_HEAD_REPO_NAME: "acme/shop",
      },
    ],
    [
      "a fork in AppVeyor",
      "alice:patch",
      {
        ...appVeyor,
        APPVEYOR_PULL_REQUEST_NUMBER: "7",
        APPVEYOR_PULL_REQUEST_HEAD_REPO_BRANCH: "patch",
        APPVEYOR_PULL_REQUEST_HEAD_REPO_NAME: "alice/shop",
      },
    ],
    [
      "Semaphore, whose SEMAPHORE_GIT_BRANCH is the target",
      "patch",
      {
        ...semaphore,
        SEMAPHORE_GIT_PR_NUMBER: "7",
        SEMAPHORE_GIT_PR_BRANCH: "patch",
        SEMAPHORE_GIT_PR_SLUG: "acme/shop",
      },
    ],
    [
      "a fork in Semaphore",
      "alice:patch",
      {
        ...semaphore,
        SEMAPHORE_GIT_PR_NUMBER: "7",
        SEMAPHORE_GIT_PR_BRANCH: "patch",
        SEMAPHORE_GIT_PR_SLUG: "alice/shop",
      },
    ],
    ["Cirrus CI", "patch", { CIRRUS_CI: "true", CIRRUS_PR: "7", CIRRUS_BRANCH: "patch" }],
    ["Jenkins", "patch", { ...jenkins, CHANGE_ID: "7", CHANGE_BRANCH: "patch", CHANGE_TARGET: "main" }],
    [
      "a fork in Jenkins",
      "alice:patch",
      {
        ...jenkins,
        CHANGE_ID: "7",
        CHANGE_BRANCH: "patch",
        CHANGE_FORK: "alice/shop",
        CHANGE_TARGET: "main",
      },
    ],
    ["Netlify", "patch", { ...netlify, HEAD: "patch" }],
  ])("is the source of a pull request: %s", async (_, branch, env, event = {}) => {
    writeFileSync(eventPath, JSON.stringify(event));
    const job = await readCiJob({ ...env, ...("GITHUB_ACTIONS" in env && { GITHUB_EVENT_PATH: eventPath }) });
    expect(job).toMatchObject({ branch, problem: undefined });
  });

  it.each<[string, (path: string) => void]>([
    ["no JSON", (path) => writeFileSync(path, "{")],
    ["no object", (path) => writeFileSync(path, "[]")],
    ["nested deeply", (path) => writeFileSync(path, "[".repeat(100_000))],
    [
      "other types",
      (path) => writeFileSync(path, JSON.stringify({ pull_request: { head: "a", number: {} } })),
    ],
    ["as large as no event", (path) => (writeFileSync(path, ""), truncateSync(path, 2 ** 31))],
    ["missing", () => undefined],
  ])("is not the repository's own where the event is unusable: %s", async (_, write) => {
    write(eventPath);
    const job = await readCiJob({ ...gitHub, GITHUB_HEAD_REF: "patch", GITHUB_EVENT_PATH: eventPath });
    expect(job.branch).toBeUndefined();
    const merge = { GITHUB_REF: "refs/pull/7/merge", GITHUB_EVENT_PATH: eventPath };
    expect((await readCiJob({ ...gitHubPull, ...merge })).branch).toBe("pull-7:patch");
    // A device or a folder would never end or fail.
    for (const path of ["/dev/zero", root])
      expect((await readCiJob({ ...gitHubPull, GITHUB_EVENT_PATH: path })).branch).toBe("pull-7:patch");
  });
});

it("each CI system has a page that documents its variables", () => {
  const pages = ciSystems.map(({ documentation }) => documentation);
  expect(pages.filter((page) => !URL.canParse(page))).toEqual([]);
  expect(new Set(ciSystems.map(({ name }) => name)).size).toBe(ciSystems.length);
});

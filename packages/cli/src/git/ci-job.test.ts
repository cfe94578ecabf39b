import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { readCiJob } from "./ci-job.js";
import { temporaryFolder } from "../../test/folders.js";
import {
  type Env,
  azure,
  gitHub,
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

describe("the branch of a CI job", () => {
  it.each<[string, string, Env]>([
    [
      "a tag in GitHub Actions",
      "the tag v1",
      { ...gitHub, GITHUB_REF: "refs/tags/v1", GITHUB_REF_NAME: "v1" },
    ],
    ["a tag in GitLab", "the tag v1", { ...gitLab, CI_COMMIT_TAG: "v1", CI_COMMIT_REF_NAME: "v1" }],
    ["a tag in Woodpecker", "the tag v1", { ...woodpecker, CI_COMMIT_TAG: "v1" }],
    ["a tag in Azure Pipelines", "the tag v1", { ...azure, BUILD_SOURCEBRANCH: "refs/tags/v1" }],
    ["a tag in Travis CI", "the tag v1", { ...travis, TRAVIS_TAG: "v1", TRAVIS_BRANCH: "v1" }],
    ["a merge that is no branch", "refs/pull/7/merge", { ...azure, BUILD_SOURCEBRANCH: "refs/pull/7/merge" }],
    ["a pull request without its event", "does not say which", { ...gitHub, GITHUB_HEAD_REF: "patch" }],
    [
      "a fork in CircleCI",
      "does not say which",
      { CIRCLECI: "true", CIRCLE_BRANCH: "pull/7", CIRCLE_PR_USERNAME: "alice" },
    ],
    ["a fork in Cirrus CI", "does not say which", { CIRRUS_CI: "true", CIRRUS_BRANCH: "pull/7" }],
    ["TeamCity", "TeamCity does not name the branch", { TEAMCITY_VERSION: "2026.1" }],
    ["another system", "not one whose variables are known", { CI: "true", CI_COMMIT_BRANCH: "feature" }],
    ["another system without CI", "not one whose variables are known", { CODEBUILD_BUILD_ID: "1" }],
    [
      "variables of other systems",
      "GitLab CI does not name",
      { GITLAB_CI: "true", GITHUB_REF_NAME: "feature" },
    ],
    [
      "a control character",
      "it contains a control character",
      { ...gitLab, CI_COMMIT_BRANCH: "a\u001b[2Jb" },
    ],
    [
      "a second line",
      "it contains a control character",
      { ...gitLab, CI_COMMIT_BRANCH: "a\n::set-env name=A::b" },
    ],
    ["an option", "it starts with -", { ...gitLab, CI_COMMIT_BRANCH: "--upload-pack=touch" }],
    [
      "a fork's owner that is none",
      "of the fork",
      { ...jenkins, CHANGE_ID: "7", CHANGE_BRANCH: "patch", CHANGE_FORK: "a\u001b b" },
    ],
  ])("is not known, and the command says why: %s", async (_, problem, env) => {
    const job = await readCiJob(env);
    expect(job).toMatchObject({ branch: undefined, problem: expect.stringContaining(problem) });
    expect(job.problem).not.toMatch(/[\u0000-\u001f]/);
  });

  it("comes with the commit, the repository, and its default branch", async () => {
    writeFileSync(eventPath, JSON.stringify({ repository: { default_branch: "develop" } }));
    const push = { ...gitHub, GITHUB_REF: "refs/heads/a", GITHUB_SHA: sha, GITHUB_EVENT_PATH: eventPath };
    expect(await readCiJob(push)).toEqual({
      branch: "a",
      problem: undefined,
      commit: sha,
      repository: "https://github.com/acme/shop",
      defaultBranch: "develop",
    });
    expect(await readCiJob({ ...push, GITHUB_SHA: "HEAD" })).toMatchObject({ commit: undefined });
    expect(await readCiJob({ ...gitLab, CI_COMMIT_BRANCH: "a" })).toMatchObject({ defaultBranch: "main" });
    expect(await readCiJob({ CI: "false" })).toMatchObject({ branch: undefined, problem: undefined });
    expect(await readCiJob({})).toMatchObject({ branch: undefined, problem: undefined });
  });
});

/** The variables of jobs of CI systems. */
export type Env = Record<string, string>;
export const gitHub: Env = { GITHUB_ACTIONS: "true", GITHUB_REPOSITORY: "acme/shop" };
export const gitHubPull: Env = { ...gitHub, GITHUB_HEAD_REF: "patch", GITHUB_REF: "refs/pull/7/merge" };
export const woodpecker: Env = { CI: "woodpecker", CI_REPO_CLONE_URL: "https://git.example/o/r.git" };
export const gitLab: Env = { GITLAB_CI: "true", CI_PROJECT_PATH: "acme/shop", CI_DEFAULT_BRANCH: "main" };
export const azure: Env = { TF_BUILD: "True" };
export const travis: Env = { TRAVIS: "true", TRAVIS_REPO_SLUG: "acme/shop", TRAVIS_BRANCH: "main" };
export const jenkins: Env = { JENKINS_URL: "https://ci.example/", BRANCH_NAME: "PR-7" };

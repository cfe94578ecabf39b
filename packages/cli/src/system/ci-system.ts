/** A system that runs commands in jobs and keeps their output in a log. */
export interface CiSystem {
  /** Returns the line that makes the system hide a string in the rest of the log. Absent if it has no such command. */
  readonly maskLine?: (text: string) => string;
  /** Whether the system carries out lines of the log as commands. Default: false. */
  readonly runsCommands?: boolean;
}

/** Systems with variables of their own, and the variable that identifies each of them. Most systems also set CI. */
const knownCiSystems: readonly (CiSystem & { readonly variable: string })[] = [
  // Gitea and Forgejo Actions set the same variable.
  {
    variable: "GITHUB_ACTIONS",
    runsCommands: true,
    maskLine: (text) => `::add-mask::${escapeCommandValue(text, "%25")}`,
  },
  // Azure Pipelines.
  {
    variable: "TF_BUILD",
    runsCommands: true,
    maskLine: (text) => `##vso[task.setsecret]${escapeCommandValue(text, "%AZP25")}`,
  },
  { variable: "TEAMCITY_VERSION", runsCommands: true },
  { variable: "CI" },
  { variable: "GITLAB_CI" },
  { variable: "BUILDKITE" },
  { variable: "CODEBUILD_BUILD_ID" },
  { variable: "JENKINS_URL" },
];

/** Returns the system whose job runs this command, or undefined if none does. */
export const detectCiSystem = (env: NodeJS.ProcessEnv): CiSystem | undefined =>
  knownCiSystems.find(({ variable }) => isVariableOn(env[variable]));

/** Returns whether the environment indicates CI, where no user reads the terminal. */
export const isCi = (env: NodeJS.ProcessEnv): boolean => isVariableOn(env["CI"]);

/** Returns whether an environment variable is set, and not to a value that means no, such as `CI=false`. */
export const isVariableOn = (value = ""): boolean =>
  !["", "0", "false", "no", "off"].includes(value.trim().toLowerCase());

const escapeCommandValue = (text: string, percent: string): string =>
  text.replaceAll("%", percent).replaceAll("\r", "%0D").replaceAll("\n", "%0A");

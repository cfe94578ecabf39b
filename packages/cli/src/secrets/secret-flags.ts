/** Flags that set a variable to the secret of a result, in a file that the CI system reads after the step. */
export interface VariableFlags {
  /** Variable of the following steps of a job in GitHub Actions. */
  readonly githubEnv?: string;
  /** Output of the step in GitHub Actions. */
  readonly githubOutput?: string;
  /** Path of a dotenv report of GitLab, after the name of the variable and `=` unless that is DATABASE_URL. */
  readonly gitlabDotenv?: string;
}

/** Flags that write secrets into files. */
export interface SecretFileFlags extends VariableFlags {
  /** Path of a file for the result with its secrets; `-` prints it. */
  readonly secretFile?: string;
}

/** Flags that specify where the secrets in a result go. */
export interface SecretFlags extends SecretFileFlags {
  /** Print secrets that would be masked. */
  readonly showSecrets?: boolean;
}

/** Returns whether a flag sets a variable. */
export const setsCiVariable = ({ githubEnv, githubOutput, gitlabDotenv }: VariableFlags): boolean =>
  githubEnv !== undefined || githubOutput !== undefined || gitlabDotenv !== undefined;

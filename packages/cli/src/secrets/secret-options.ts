import { type Command, Option } from "commander";

/**
 * Adds the flags that specify where secrets in the result go.
 *
 * @param setsVariables whether the result has one secret that a variable can be set to. Default: it has.
 * @param secretFile whether the result can be written to a file. Default: it can.
 */
export const addSecretOptions = (
  command: Command,
  { setsVariables = true, secretFile = true } = {},
): void => {
  command
    .addOption(
      new Option(
        "--show-secrets",
        "print secrets that would be masked: existing ones, and in CI or for a coding agent",
      ),
    )
    .addOption(new Option("--reveal").hideHelp().implies({ showSecrets: true }));
  if (secretFile) {
    const help =
      "write the result with its secrets to a new file that only you can read, and print it masked; - for standard output";
    command.addOption(new Option("--secret-file <path>", help));
  }
  if (!setsVariables) return;
  command
    .addOption(
      new Option("--github-env <name>", "set a variable of the job in GitHub Actions to the new secret"),
    )
    .addOption(
      new Option("--github-output <name>", "set an output of the step in GitHub Actions to the new secret"),
    )
    .addOption(
      new Option(
        "--gitlab-dotenv <name=path>",
        "set a variable to the new secret in a dotenv report of GitLab; the name defaults to DATABASE_URL",
      ),
    );
};

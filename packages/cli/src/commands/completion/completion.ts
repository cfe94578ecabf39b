import { Argument } from "commander";
import { usageError } from "../../errors/usage-errors.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { scripts, shells } from "./scripts.js";

export const completionCommand: HandwrittenCommand = {
  commandPath: "completion",
  helpGroup: "about",
  order: 60,
  summary: "Print a completion script for bash, zsh, fish or PowerShell",
  description: "Prints a script that completes commands, flags and allowed values in your shell.",
  examples: [
    "source <(mgmt completion bash)",
    "mgmt completion zsh > ~/.zfunc/_mgmt",
    "mgmt completion fish | source",
    "mgmt completion powershell | Out-String | Invoke-Expression",
  ],
  globalOptions: "hidden",
  define: (command, { output }) => {
    command.addArgument(new Argument("<shell>", shells.join(", "))).action((name: string) => {
      const shell = shells.find((shellName) => shellName === name);
      if (!shell)
        throw usageError(`<shell> cannot be ${JSON.stringify(name)}`, `Allowed: ${shells.join(", ")}.`);
      output.writeText(scripts[shell]);
    });
    command.completeArgument = ({ earlierArguments }) => (earlierArguments.length === 0 ? shells : []);
  },
};

import { Argument, type Command } from "commander";
import { usageError } from "../errors.js";
import type { MgmtCommand } from "../program/command.js";
import { addSections } from "../program/help.js";
import type { Context } from "../run/context.js";

const shells = ["bash", "zsh", "fish"] as const;

/** Scripts that ask `mgmt complete` for what could come next. */
const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `_mgmt() {
  local IFS=$'\\n'
  COMPREPLY=($(mgmt complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _mgmt mgmt`,
  zsh: `#compdef mgmt
_mgmt() {
  local -a candidates
  candidates=("\${(@f)$(mgmt complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a candidates
}
compdef _mgmt mgmt`,
  fish: `complete -c mgmt -f -a '(mgmt complete -- (commandline -opc)[2..-1] (commandline -ct))'`,
};

/** What a shell needs to complete command lines. */
export const defineCompletion = (command: Command, { output }: Context): void => {
  command
    .summary("Completion for bash, zsh and fish")
    .description("Prints a script that makes the shell complete commands, flags and allowed values.")
    .addArgument(new Argument("<shell>", shells.join(", ")))
    .action((name: string) => {
      const shell = shells.find((each) => each === name);
      if (!shell)
        throw usageError(`<shell> cannot be ${JSON.stringify(name)}`, `Allowed: ${shells.join(", ")}.`);
      output.text(scripts[shell]);
    });
  addSections(command, {
    Examples: () => [
      "source <(mgmt completion bash)",
      "mgmt completion zsh > ~/.zfunc/_mgmt",
      "mgmt completion fish | source",
    ],
  });
};

/** Asked by those scripts: prints what the last of the words could become, one a line. */
export const defineComplete = (command: Command, program: MgmtCommand, { output }: Context): void => {
  command.argument("[words...]").action(async (words: string[]) => {
    const { candidatesFor } = await import("./candidates.js");
    const candidates = await candidatesFor(program, words);
    if (candidates.length > 0) output.text(candidates.join("\n"));
  });
};

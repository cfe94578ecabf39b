import { Argument } from "commander";
import { usageError } from "../../errors/usage-errors.js";
import { printable } from "../../output/printable.js";
import { MgmtCommand, rootOf } from "../../program/command.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

const shells = ["bash", "zsh", "fish", "powershell"] as const;

/** Scripts that call `mgmt complete` for the candidates. */
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
if [ "\${funcstack[1]}" = _mgmt ]; then _mgmt "$@"; else compdef _mgmt mgmt; fi`,
  fish: `complete -c mgmt -f -a '(mgmt complete -- (commandline -opc)[2..-1] (commandline -ct))'`,
  powershell: `Register-ArgumentCompleter -Native -CommandName mgmt -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '""' }
  mgmt complete -- @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`,
};

/** `mgmt completion`. */
export const defineCompletion: DefineCommand = (command, { output }) => {
  command
    .description("Prints a script that completes commands, flags and allowed values in your shell.")
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
      "mgmt completion powershell | Out-String | Invoke-Expression",
    ],
  });
};

/** `mgmt complete`, called by those scripts: prints the candidates for the last word, one per line. */
export const defineComplete: DefineCommand = (command, context) => {
  command.argument("[words...]").action(async (words: string[]) => {
    const { candidatesFor } = await import("./candidates.js");
    const root = rootOf(command);
    const candidates = root instanceof MgmtCommand ? await candidatesFor(root, words, context) : [];
    if (candidates.length > 0) context.output.text(candidates.map(printable).join("\n"));
  });
};

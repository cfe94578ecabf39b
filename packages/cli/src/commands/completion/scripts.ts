/** The shells that `mgmt completion` prints a script for. */
export const shells = ["bash", "zsh", "fish", "powershell"] as const;

const bashScript = `_mgmt() {
  local line=\${COMP_LINE:0:COMP_POINT} words=() last=-1 rest word i
  # Bash also splits words at =, : and @.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    rest=\${line#"\${line%%[![:space:]]*}"}
    word=\${COMP_WORDS[i]:0:\${#rest}}
    if [[ $i -eq 0 || $rest != "$line" ]]; then words[++last]=$word; else words[last]+=$word; fi
    line=\${rest:\${#word}}
  done
  local current=\${words[last]} breaks=\${COMP_WORDBREAKS//[!=:@]/} kept=
  [[ -n $breaks ]] && kept=\${current%"\${current##*[$breaks]}"}
  local IFS=$'\\n'
  COMPREPLY=($(mgmt complete -- "\${words[@]:1}" 2>/dev/null))
  COMPREPLY=("\${COMPREPLY[@]#"$kept"}")
  [[ \${#COMPREPLY[@]} -eq 1 && $COMPREPLY == */ ]] && compopt -o nospace 2>/dev/null
}
complete -o default -F _mgmt mgmt`;

const zshScript = `#compdef mgmt
_mgmt() {
  local -a candidates
  candidates=(\${(f)"$(mgmt complete -- "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"})
  if (( $#candidates )); then
    compadd -- \${candidates:#*/}
    compadd -S '' -- \${(M)candidates:#*/}
  else
    _files
  fi
}
if [ "\${funcstack[1]}" = _mgmt ]; then _mgmt "$@"; else compdef _mgmt mgmt; fi`;

const fishScript = `function __mgmt_complete
  set -l words (commandline -opc)
  set -e words[1]
  set -l candidates (mgmt complete -- $words (commandline -ct) 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\\n' $candidates
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c mgmt -f -a '(__mgmt_complete)'`;

const powershellScript = `Register-ArgumentCompleter -Native -CommandName mgmt -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '""' }
  mgmt complete -- @words 2>$null | ForEach-Object {
    $text = if ($_ -match '^[@{]') { "'$_'" } else { $_ }
    [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
  }
}`;

/** Scripts that call `mgmt complete` for the completions of a word. They complete files where it prints nothing. */
export const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

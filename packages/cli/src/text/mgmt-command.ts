/**
 * Returns the command that starts `mgmt` again in a shell: `npx @mgmt/cli` if npx started it, because the shell may then have no
 * `mgmt`. `npx mgmt` would install a package of another user in a folder without the CLI.
 */
export const getMgmtCommand = (env: NodeJS.ProcessEnv): readonly [string, ...string[]] => {
  // Programs that npx started pass its variables on, but the command in them is theirs.
  const isNpx =
    env["npm_lifecycle_event"] === "npx" && /^["']?mgmt(?=["'\s]|$)/.test(env["npm_lifecycle_script"] ?? "");
  return isNpx ? ["npx", "@mgmt/cli"] : ["mgmt"];
};

/**
 * Matches the parts of a message that must not change, and the name of this command at the start of a command line: at the start of a sentence, in
 * backticks, and after words such as `Run`. `mgmt dev` in "mgmt dev is not running" is a service, not a call.
 */
const callPattern =
  /"(?:[^"\\]|\\.)*"|(?<=\s)'[^']*'(?=[\s.,;)]|$)|Did you mean [^?]*\?|\((?!mgmt )[^()]*\)|(?<=^|[`(]|[.:;,?] |\b(?:and|as|by|does|next|or|[Rr]estart|[Rr]un|same|[Ss]tart|that|then|to|[Uu]se|with) )mgmt(?= [a-z-])(?! prints| dev(?:'| (?:\(|cannot|is|needs|of|refused|runs|then)))/g;

/** Returns a message in which the commands to run start with the command that starts `mgmt` again. */
export const replaceMgmtCommand = (message: string, env: NodeJS.ProcessEnv): string => {
  const program = getMgmtCommand(env).join(" ");
  return program === "mgmt"
    ? message
    : message.replaceAll(callPattern, (match) => (match === "mgmt" ? program : match));
};

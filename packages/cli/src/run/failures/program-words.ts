/**
 * Returns the words that call this command again in a shell: `npx @mgmt/cli` if npx started it, because the shell may then have no
 * `mgmt`. `npx mgmt` would install a package of somebody else in a folder without the CLI.
 */
export const programWords = (env: NodeJS.ProcessEnv): readonly [string, ...string[]] => {
  // Programs that npx started pass its variables on, but the command in them is theirs.
  const isNpx =
    env["npm_lifecycle_event"] === "npx" && /^["']?mgmt(?=["'\s]|$)/.test(env["npm_lifecycle_script"] ?? "");
  return isNpx ? ["npx", "@mgmt/cli"] : ["mgmt"];
};

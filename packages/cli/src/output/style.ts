/** How words are emphasized on a terminal. */
export interface Style {
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  busy(text: string): string;
  bad(text: string): string;
}

const same = (text: string): string => text;
const plain: Style = { strong: same, faint: same, good: same, busy: same, bad: same };

/** Colors are for terminals. `NO_COLOR` turns them off everywhere, `FORCE_COLOR` turns them on everywhere. */
export const wantsColor = (stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean => {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"] && env["FORCE_COLOR"] !== "0") return true;
  return stream.isTTY === true && env["TERM"] !== "dumb";
};

/** Loads chalk only if colors are wanted. */
export const loadStyle = async (color: boolean): Promise<Style> => {
  if (!color) return plain;
  const { Chalk } = await import("chalk");
  const chalk = new Chalk({ level: 1 });
  return { strong: chalk.bold, faint: chalk.dim, good: chalk.green, busy: chalk.yellow, bad: chalk.red };
};

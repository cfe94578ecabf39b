/**
 * Emphasizes a string, and accepts nothing else. The compiler rejects it as the callback of `map` and the like, which pass more arguments:
 * chalk would print them all.
 */
export type Emphasize = (text: string, ...nothing: never[]) => string;

/** How words are emphasized on a terminal. */
export interface Style {
  readonly strong: Emphasize;
  readonly faint: Emphasize;
  readonly good: Emphasize;
  readonly busy: Emphasize;
  readonly bad: Emphasize;
}

/** Emphasizes nothing. */
export const same: Emphasize = (text) => text;
export const plain: Style = { strong: same, faint: same, good: same, busy: same, bad: same };

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
  return {
    strong: (text) => chalk.bold(text),
    faint: (text) => chalk.dim(text),
    good: (text) => chalk.green(text),
    busy: (text) => chalk.yellow(text),
    bad: (text) => chalk.red(text),
  };
};

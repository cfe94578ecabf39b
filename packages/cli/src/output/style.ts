import { detectCodingAgent } from "../system/coding-agent.js";

/**
 * Emphasizes a string, and accepts nothing else. The compiler rejects it as the callback of `map` and the like, which pass more arguments:
 * chalk would print them all.
 */
export type TextStyle = (text: string, ...extraArguments: never[]) => string;

/** How words are emphasized on a terminal. */
export interface Style {
  readonly strong: TextStyle;
  readonly faint: TextStyle;
  readonly good: TextStyle;
  readonly busy: TextStyle;
  readonly bad: TextStyle;
}

/** Emphasizes nothing. */
export const leaveUnstyled: TextStyle = (text) => text;
/** The style of output without colors: returns each text unchanged. */
export const plainStyle: Style = {
  strong: leaveUnstyled,
  faint: leaveUnstyled,
  good: leaveUnstyled,
  busy: leaveUnstyled,
  bad: leaveUnstyled,
};

/** Colors are only for terminals. `NO_COLOR` turns them off everywhere, `FORCE_COLOR` turns them on everywhere. */
export const wantsColor = (stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean => {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"] && env["FORCE_COLOR"] !== "0") return true;
  return stream.isTTY === true && env["TERM"] !== "dumb" && detectCodingAgent(env) === undefined;
};

/** Loads chalk only if colors are enabled. */
export const loadStyle = async (usesColor: boolean): Promise<Style> => {
  if (!usesColor) return plainStyle;
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

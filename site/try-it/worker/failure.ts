import type { Failure } from "../messages.js";
import { printedText } from "./printed-text.js";

/**
 * Describes what a program threw.
 *
 * @param url of the module of the program.
 * @param mistakeAt the first line that is not JavaScript.
 */
export const failureOf = (error: unknown, url: string, mistakeAt: number | undefined): Failure => {
  if (!(error instanceof Error)) return { name: "Thrown", message: printedText(error) };
  const { name, message, stack = "" } = error;
  // The innermost line of the program. The stack of an error of its syntax has none.
  const place = stack.indexOf(`${url}:`);
  const found = place === -1 ? undefined : Number.parseInt(stack.slice(place + url.length + 1), 10);
  const line = found ?? (error instanceof SyntaxError ? mistakeAt : undefined);
  return {
    name,
    message,
    ...("code" in error && typeof error.code === "string" && { code: error.code }),
    ...("hint" in error && typeof error.hint === "string" && { hint: error.hint }),
    ...(line !== undefined && { line }),
  };
};

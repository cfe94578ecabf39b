import type { Context } from "./context.js";
import { CliError } from "../errors/cli-error.js";
import type { Field } from "../contract/row.js";
import { printable } from "../output/printable.js";
import { ask } from "./ask.js";
import { choose } from "./choose.js";
import { parseValue } from "./parse-value.js";
import { flagOf } from "./read-input.js";

/** Asks for the value of a field: a secret without showing it, one of the allowed values, a yes or no, or a text. */
export const askForField = async (field: Field, title: string, context: Context): Promise<unknown> => {
  const message = `${title}:`;
  const { sources } = context;
  if (field.secret) {
    const validate = (text: string): true | string => text.trim() !== "" || "It must not be empty.";
    return (await ask(context, ({ password }, terminal) => password({ message, validate }, terminal))).trim();
  }
  if (field.enum) {
    const choices = field.enum.map((value) => ({ value: String(value), texts: [String(value)] }));
    const chosen = await choose({ title, choices }, context);
    return field.enum.find((value) => String(value) === chosen);
  }
  if (field.type === "boolean") {
    return ask(context, ({ confirm }, terminal) => confirm({ message: `${title}?` }, terminal));
  }
  const parse = (text: string): Promise<unknown> => parseValue(field, text, flagOf(field), sources);
  const validate = async (text: string): Promise<true | string> => {
    // A prompt reads standard input already.
    if (field.type === "json" && text === "-") return "Type JSON, or @file.";
    try {
      await parse(text);
      return true;
    } catch (error) {
      if (error instanceof CliError) return printable(error.message);
      throw error;
    }
  };
  return parse(await ask(context, ({ input }, terminal) => input({ message, validate }, terminal)));
};

import { type Command, Option } from "commander";
import { createRejectedSecretOption } from "../command-line/global-options.js";
import type { Field } from "../contract/generated-command.js";

/**
 * Adds the flag of a field: a switch for a boolean, a file for a secret, else a value.
 *
 * @param defaultText the default, if it is not the one of the API.
 */
export const addFieldOption = (command: Command, field: Field, defaultText?: string): void => {
  const { flag } = field;
  if (field.secret) {
    const help = `${renderFieldHelp(field, defaultText)} Path of a file, or - for standard input.`;
    command.addOption(new Option(`--${flag}-file <path>`, help));
    command.addOption(createRejectedSecretOption(flag, `Pass --${flag}-file PATH (- for standard input).`));
    return;
  }
  const help = renderFieldHelp(field, defaultText);
  if (field.type === "boolean") {
    command.addOption(new Option(`--${flag}`, help));
    command.addOption(new Option(`--no-${flag}`, `turn off --${flag}`).hideHelp(field.default !== true));
    return;
  }
  command.addOption(new Option(`--${flag} <${choosePlaceholder(field)}>`, help));
};

/** Returns the value of a field on the command line: the string, or the state of the switch. */
export const readOptionValue = (command: Command, field: Field): string | boolean | undefined => {
  const option = new Option(`--${field.flag}${field.secret ? "-file" : ""} <value>`);
  const value: unknown = command.getOptionValue(option.attributeName());
  return typeof value === "string" || typeof value === "boolean" ? value : undefined;
};

const choosePlaceholder = (field: Field): string => {
  if (field.type === "json") return "json";
  if (field.type !== "string") return "number";
  if (field.prefix !== undefined) return "id";
  return field.enum ? "value" : field.format === "date-time" ? "time" : "text";
};

const renderFieldHelp = (field: Field, defaultText = formatDefault(field.default)): string => {
  const helpDetails = [
    field.deprecated ? "deprecated" : "",
    field.enum ? `one of: ${field.enum.join(", ")}` : "",
    renderBounds(field),
    defaultText === "" ? "" : `default: ${defaultText}`,
  ].filter(Boolean);
  // The API's own default is part of its description.
  const help =
    defaultText === formatDefault(field.default)
      ? field.help
      : field.help.replace(/ Defaults to [^.]*\./, "");
  const requiredPrefix = field.required === "always" ? "(required) " : "";
  return `${requiredPrefix}${stripBackticks(help)}${helpDetails.length > 0 ? ` (${helpDetails.join("; ")})` : ""}`.trim();
};

/** Returns the default of a flag for the help. Empty for a switch that is off, which users expect. */
const formatDefault = (value: unknown): string =>
  value === undefined || value === false ? "" : JSON.stringify(value).replaceAll('"', "");

/** Removes the backticks of Markdown around words, and quotes anything that is not a word. */
export const stripBackticks = (text: string): string =>
  text.replaceAll(/`([\w][^`]*)`/g, "$1").replaceAll(/`([^`]+)`/g, '"$1"');

const renderBounds = ({ minimum, maximum, maxLength, prefix }: Field): string => {
  // Users copy ids, so their maximum length does not matter.
  if (prefix !== undefined) return "";
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  return maxLength === undefined ? "" : `at most ${maxLength} characters`;
};

import type { Form } from "../contract/combinations.js";
import { comment } from "./comments.js";
import { pascal } from "./names.js";

/** A field of a printed interface. */
export interface Field {
  name: string;
  required: boolean;
  type: string;
  text: string[];
  /** Whether programs send it. They may pass undefined to leave it out, which `exactOptionalPropertyTypes` allows only if its type does. */
  isInput: boolean;
}

export const printField = ({ name, required, type, text, isInput }: Field, indent: string): string => {
  const optional = isInput && !required ? " | undefined" : "";
  return `${comment(text, indent)}${indent}${name}${required ? "" : "?"}: ${type}${optional};\n`;
};

/** Returns the name of the interface of a form, such as `CreateAppWithBranchId`. */
export const formName = (name: string, { names }: Form): string =>
  `${name}With${names.map(pascal).join("And")}`;

/**
 * Prints a union of named interfaces, one for each form of the input, which extend an interface with the common fields.
 * Editors show the name of the union, and compiler errors the name of the closest form.
 */
export const printForms = (name: string, text: string, fields: Field[], forms: Form[]): string => {
  const [first] = forms;
  const shared = fields.filter((field) => !first?.open.has(field.name) && !first?.closed.has(field.name));
  const base = shared.length > 0 ? ` extends ${name}Fields` : "";
  const parts = forms.map((form) => {
    const own = fields.flatMap((field) => formField(field, form)).map((field) => printField(field, "  "));
    return `${comment([`{@link ${name}} ${opened(form)}.`])}export interface ${formName(name, form)}${base} {\n${own.join("")}}\n`;
  });
  if (base !== "") {
    const lines = shared.map((field) => printField(field, "  "));
    parts.unshift(
      `${comment([`Fields of every {@link ${name}}.`])}export interface ${name}Fields {\n${lines.join("")}}\n`,
    );
  }
  const members = forms.map((form) => formName(name, form));
  return [...parts, `${text}export type ${name} = ${members.join(" | ")};\n`].join("\n");
};

const formField = (field: Field, { open, closed }: Form): Field[] => {
  const needed = open.get(field.name);
  if (needed !== undefined) return [{ ...field, required: field.required || needed }];
  const refusal = closed.get(field.name);
  if (refusal === undefined) return [];
  const type = refusal.mayBeNull ? "null" : "never";
  // Editors strike out a field only if it is deprecated in all forms.
  const tags = field.text.filter((line) => line.startsWith("@deprecated"));
  const text = [`Cannot be combined with ${listed(refusal.by)}.`, ...tags];
  return [{ ...field, required: false, type, text }];
};

const opened = ({ open, closed }: Form): string =>
  `with ${listed([...open.keys()])}, without ${listed([...closed.keys()])}`;

export const listed = (names: string[]): string => {
  const quoted = [...new Set(names)].map((name) => `\`${name}\``);
  const last = quoted.pop() ?? "";
  return quoted.length > 0 ? `${quoted.join(", ")} or ${last}` : last;
};

/** Text that is already HTML and is not escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type TemplateValue = string | Html | readonly Html[];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeValue = (value: TemplateValue): string => {
  if (value instanceof Html) return value.text;
  if (typeof value === "string") return value.replace(/[&<>"']/g, (character) => entities[character] ?? "");
  return value.map(escapeValue).join("");
};

/** Builds HTML from a template. String values are escaped for use in content and in quoted attributes. */
export const html = (parts: TemplateStringsArray, ...values: TemplateValue[]): Html =>
  new Html(parts.reduce((text, part, index) => text + escapeValue(values[index - 1] ?? "") + part));

import { type FormatConfig, format as formatFile } from "oxfmt";

const endings = { json: "json", markdown: "md", typescript: "ts" } as const;

/** Formats a text like the other files of the repository. */
export const format = async (
  language: keyof typeof endings,
  text: string,
  options: FormatConfig = {},
): Promise<string> => {
  const file = `text.${endings[language]}`;
  const { code, errors } = await formatFile(file, text, { printWidth: 110, ...options });
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  return code;
};

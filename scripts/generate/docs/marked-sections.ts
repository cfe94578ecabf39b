import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "../format.js";
import { root } from "../contract/contract.js";

/**
 * Returns a page with new texts in its marked sections, which start with `<!-- generated: NAME -->`.
 *
 * @throws Error if the page lacks a section or has an unknown one.
 */
export const withMarkedSections = async (
  page: string,
  texts: ReadonlyMap<string, string>,
): Promise<Map<string, string>> => {
  const unused = new Set(texts.keys());
  const text = readFileSync(join(root, page), "utf8").replaceAll(
    /(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) => {
      const section = texts.get(name);
      if (section === undefined) throw new Error(`${page} has an unknown section ${name}`);
      unused.delete(name);
      return `${start}\n${section}\n\n${end}`;
    },
  );
  if (unused.size > 0) throw new Error(`${page} lacks the sections ${[...unused].join(", ")}`);
  return new Map([[page, await format("markdown", text)]]);
};

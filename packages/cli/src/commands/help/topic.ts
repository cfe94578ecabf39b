/** A part of a text. Words in backticks are what the user types. */
export type Block =
  | { readonly heading: string }
  | { readonly text: string }
  | { readonly rows: readonly (readonly [term: string, meaning: string])[] }
  | { readonly commands: readonly string[] };

/** A text about something that all commands have in common: `mgmt help output`. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly blocks: readonly Block[];
}

/** A topic as data: what `mgmt help TOPIC --output json` prints. */
export interface PrintedTopic extends Topic {
  /** What is shown on a terminal. */
  readonly text: string;
}

/** Renders a topic for a terminal. */
export const renderTopic = ({ summary, blocks }: Topic, columns: number): string =>
  [{ text: `${summary}.` }, ...blocks].map((block) => `${renderBlock(block, columns)}\n`).join("\n");

const renderBlock = (block: Block, columns: number): string => {
  if ("heading" in block) return `${block.heading}:`;
  if ("text" in block) return wrap(withoutBackticks(block.text), columns).join("\n");
  if ("commands" in block) return block.commands.map((line) => `  ${line}`).join("\n");
  const width = Math.max(...block.rows.map(([term]) => term.length));
  return block.rows
    .map(([term, meaning]) => {
      const lines = wrap(withoutBackticks(meaning), Math.max(20, columns - width - 4));
      return `  ${term.padEnd(width)}  ${lines.join(`\n${" ".repeat(width + 4)}`)}`;
    })
    .join("\n");
};

const withoutBackticks = (text: string): string => text.replaceAll("`", "");

/** Breaks a text into lines between words. */
const wrap = (text: string, columns: number): string[] => {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
};

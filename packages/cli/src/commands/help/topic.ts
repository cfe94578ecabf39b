import { renderTerms, wrapText, wrapCommand } from "../../output/wrap.js";

/** A part of a topic. Words in backticks are what the user types. */
export type TopicBlock =
  | { readonly heading: string }
  | { readonly text: string }
  | {
      /** The heads of the table in the documentation. A terminal does not show them. */
      readonly columns: readonly [term: string, meaning: string];
      readonly rows: readonly (readonly [term: string, meaning: string])[];
    }
  | { readonly commands: readonly string[] };

/** A text about something that all commands have in common: `mgmt help output`. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly blocks: readonly TopicBlock[];
}

/** A topic as data: what `mgmt help TOPIC --output json` prints. */
export interface PrintedTopic extends Topic {
  /** What is shown on a terminal. */
  readonly text: string;
}

/** Renders a topic for a terminal. */
export const renderTopic = ({ summary, blocks }: Topic, columns: number): string =>
  [{ text: `${summary}.` }, ...blocks].map((block) => `${renderBlock(block, columns)}\n`).join("\n");

const renderBlock = (block: TopicBlock, columns: number): string => {
  if ("heading" in block) return `${block.heading}:`;
  if ("text" in block) return wrapText(removeBackticks(block.text), columns).join("\n");
  if ("commands" in block) {
    const lines = block.commands.flatMap((line) => wrapCommand(line, columns - 2));
    return lines.map((line) => `  ${line}`).join("\n");
  }
  const rows = block.rows.map(([term, meaning]) => [term, removeBackticks(meaning)] as const);
  return renderTerms(rows, columns).join("\n");
};

const removeBackticks = (text: string): string => text.replaceAll("`", "");

import { type Cell, type Look, type Row, type Screen, textOf } from "./emulator.js";

const colors = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** The mark of each look, by its name. Letters of bold text are capital. */
const marks: Readonly<Record<string, string>> = {
  plain: " ",
  bold: "B",
  dim: "d",
  italic: "i",
  underline: "u",
  inverse: "v",
  "bold underline": "U",
  "dim italic": "j",
  red: "r",
  green: "g",
  yellow: "y",
  blue: "l",
  magenta: "m",
  cyan: "c",
  gray: "a",
  "bold red": "R",
  "bold green": "G",
  "bold yellow": "Y",
  "bold blue": "L",
  "bold magenta": "M",
  "bold cyan": "C",
  "underline cyan": "k",
};

/** Explains the marks that screens use, for the head of a file. */
export const legendOf = (screens: readonly Screen[]): string[] => {
  const used = new Set(screens.flatMap(({ rows }) => rows.flatMap(({ cells }) => cells.map(markOf))));
  const names = Object.entries(marks).filter(([, mark]) => mark !== " " && used.has(mark));
  return [
    'Rows of the terminal start with "|", and rows that continue a line that is too long for one with ">".',
    ...(names.length === 0
      ? []
      : [
          `Below a row, "'" shows how its characters look: ${names.map(([name, mark]) => `${mark} ${name}`).join(", ")}.`,
        ]),
  ];
};

export const nameOf = ({ color, bold, dim, italic, underline, inverse }: Look): string => {
  const names = [
    bold && "bold",
    dim && "dim",
    italic && "italic",
    underline && "underline",
    inverse && "inverse",
    color !== undefined && (color === 8 ? "gray" : (colors[color % 8] ?? `color ${String(color)}`)),
  ];
  return names.filter(Boolean).join(" ") || "plain";
};

const markOf = ({ look, text }: Cell): string => {
  // An empty cell looks the same in most ways.
  const visible = text.trim() === "" ? { ...look, color: undefined, bold: false, dim: false } : look;
  const name = nameOf(visible);
  const mark = marks[name];
  if (mark === undefined) throw new Error(`The notation has no mark for text that is ${name}`);
  return mark;
};

/** Writes a screen as lines of text that a reviewer can read and that a comparison shows well. */
export const written = ({ rows }: Screen): string[] => rows.flatMap(writtenRow);

const writtenRow = (row: Row): string[] => {
  const text = `${row.isWrapped ? ">" : "|"}${textOf(row)}`.trimEnd();
  const looks = row.cells.map(markOf).join("").trimEnd();
  return looks === "" ? [text] : [text, `'${looks}`];
};

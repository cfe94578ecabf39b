import type { Cell, Row, Screen } from "./emulator.js";
import { nameOf } from "./notation.js";

const [cellWidth, rowHeight, margin, fontSize] = [8.4, 20, 16, 14];

/** Colors on a light and on a dark background, by the names of the notation. All have a contrast of at least 4.5 to 1. */
const colors: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  red: ["#a40e26", "#ff7b72"],
  green: ["#116329", "#7ee787"],
  yellow: ["#7d4e00", "#e3b341"],
  blue: ["#0550ae", "#79c0ff"],
  magenta: ["#8250df", "#d2a8ff"],
  cyan: ["#0f5c63", "#76e3ea"],
  gray: ["#57606a", "#9198a1"],
  dim: ["#57606a", "#9198a1"],
};

const styleOf = (theme: 0 | 1): string => {
  const [background, border, text] =
    theme === 0 ? ["#f6f8fa", "#d0d7de", "#1f2328"] : ["#0d1117", "#3d444d", "#e6edf3"];
  const named = Object.entries(colors).map(([name, each]) => `.${name}{fill:${each[theme]}}`);
  return [`rect{fill:${background};stroke:${border}}`, `text{fill:${text}}`, ...named].join("");
};

const style =
  `text{font:${String(fontSize)}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}` +
  `.bold{font-weight:700}.italic{font-style:italic}.underline{text-decoration:underline}` +
  `${styleOf(0)}@media(prefers-color-scheme:dark){${styleOf(1)}}`;

/** Characters that look alike, beside each other. */
interface Run {
  readonly column: number;
  readonly look: string;
  readonly text: string;
  readonly width: number;
}

/** Draws what a terminal shows as an SVG that is the same in every run, and readable on light and dark pages. */
export const pictureOf = ({ rows, columns }: Screen, command: string, description: string): string => {
  const width = Math.ceil(columns * cellWidth + 2 * margin);
  const height = (rows.length + 1) * rowHeight + 2 * margin;
  const lines = [
    runText({ column: 0, look: "dim", text: "$", width: 1 }, 0),
    runText({ column: 2, look: "bold", text: command, width: command.length }, 0),
  ];
  for (const [index, row] of rows.entries()) lines.push(...runsOf(row).map((run) => runText(run, index + 1)));
  const size = `width="${String(width)}" height="${String(height)}" viewBox="0 0 ${String(width)} ${String(height)}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escaped(description)}">`,
    `<style>${style}</style>`,
    `<rect x="0.5" y="0.5" width="${String(width - 1)}" height="${String(height - 1)}" rx="8"/>`,
    ...lines,
    "</svg>",
    "",
  ].join("\n");
};

const runsOf = ({ cells }: Row): Run[] => {
  const runs: Run[] = [];
  for (const [column, cell] of cells.entries()) {
    const look = nameOf(cell.look);
    const last = runs.at(-1);
    if (last?.look === look)
      runs[runs.length - 1] = { ...last, text: last.text + cell.text, width: last.width + widthOf(cell) };
    else runs.push({ column, look, text: cell.text, width: widthOf(cell) });
  }
  return runs.flatMap(withoutSpaces);
};

/** A wide character has the width of two cells, and an empty one after it. */
const widthOf = ({ width }: Cell): number => width;

/** Splits a run at spaces of any number, because viewers disagree about them. */
const withoutSpaces = (run: Run): Run[] =>
  [...run.text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => ({
    ...run,
    text,
    column: run.column + index,
    width: run.text.length === run.width ? text.length : run.width,
  }));

const runText = ({ column, look, text, width }: Run, row: number): string => {
  const x = (margin + column * cellWidth).toFixed(1);
  const y = margin + row * rowHeight + fontSize;
  const names = look === "plain" ? "" : ` class="${look}"`;
  // Every font has its own width, and columns have to stay aligned.
  return `<text x="${x}" y="${String(y)}"${names} textLength="${(width * cellWidth).toFixed(1)}">${escaped(text)}</text>`;
};

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

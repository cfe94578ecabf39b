/** A horizontal bar. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  /** The value with its unit. */
  readonly text: string;
  readonly isOurs: boolean;
}

/** Bars with one scale. */
export interface Chart {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const width = 800;
const characterWidth = 7.2;
const rowHeight = 22;
const titleHeight = 34;
const margin = 16;
/** Between a bar and the texts beside it. */
const gap = 8;

/** For light pages and, where the system prefers it, dark ones. */
const style = [
  'text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#1f2328}',
  ".title{font-weight:700}.frame{fill:#f6f8fa;stroke:#d0d7de}.ours{fill:#0969da}.other{fill:#818b98}",
  "@media(prefers-color-scheme:dark){",
  "text{fill:#e6edf3}.frame{fill:#0d1117;stroke:#3d444d}.ours{fill:#4493f8}.other{fill:#6e7681}}",
].join("");

/** Draws charts below each other, as an SVG. */
export const plot = (charts: readonly Chart[], description: string): string => {
  const lines: string[] = [];
  const all = charts.flatMap(({ bars }) => bars);
  const barStart = Math.ceil(margin + widthOf(all.map(({ name }) => name)) + gap);
  const barWidth = Math.floor(width - margin - widthOf(all.map(({ text: label }) => label)) - gap - barStart);
  let y = margin - 8;
  for (const { title, bars } of charts) {
    lines.push(text(title, margin, y + 22, "title"));
    y += titleHeight;
    const most = Math.max(...bars.map(({ value }) => value), Number.EPSILON);
    for (const { name, value, text: label, isOurs } of bars) {
      // A value of zero, or below it where a cost is a difference, has a line.
      const length = Math.max(1, Math.round((value / most) * barWidth));
      const kind = isOurs ? "ours" : "other";
      lines.push(
        text(name, margin, y + 15),
        `<rect x="${String(barStart)}" y="${String(y + 4)}" width="${String(length)}" height="14" class="${kind}"/>`,
        text(label, barStart + length + gap, y + 15),
      );
      y += rowHeight;
    }
  }
  const height = y + margin;
  const size = `width="${String(width)}" height="${String(height)}" viewBox="0 0 ${String(width)} ${String(height)}"`;
  const frame = `<rect x="0.5" y="0.5" width="${String(width - 1)}" height="${String(height - 1)}" rx="8" class="frame"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escape(description)}">`,
    `<style>${style}</style>`,
    frame,
    ...lines,
    "</svg>\n",
  ].join("\n");
};

/** Returns the width of the longest text. */
const widthOf = (texts: readonly string[]): number =>
  Math.max(0, ...texts.map((each) => each.length)) * characterWidth;

const text = (content: string, x: number, y: number, kind?: string): string => {
  const length = (content.length * characterWidth).toFixed(1);
  const attribute = kind === undefined ? "" : ` class="${kind}"`;
  return `<text x="${String(x)}" y="${String(y)}"${attribute} textLength="${length}">${escape(content)}</text>`;
};

const escape = (content: string): string =>
  content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

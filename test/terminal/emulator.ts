import xterm, { type IBufferCell, type IBufferLine } from "@xterm/headless";

/** How a character looks. */
export interface Look {
  /** Number in the palette of 16 colors; undefined for the default color. */
  readonly color: number | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
}

export interface Cell {
  /** A character with its combining marks. Empty for the second cell of a wide character. */
  readonly text: string;
  readonly width: number;
  readonly look: Look;
}

export interface Row {
  /** Without the empty cells at the end. */
  readonly cells: readonly Cell[];
  /** Whether the terminal broke the line here, because it is longer than a row. */
  readonly isWrapped: boolean;
}

/** What a terminal shows, with the rows that have scrolled out of it. */
export class Screen {
  constructor(
    readonly columns: number,
    readonly rows: readonly Row[],
  ) {}

  /** The text, with the lines that the terminal broke as one line each. */
  get lines(): readonly string[] {
    const lines: string[] = [];
    for (const row of this.rows) {
      const text = textOf(row);
      if (row.isWrapped) lines.push((lines.pop() ?? "") + text);
      else lines.push(text);
    }
    return lines;
  }

  get text(): string {
    return this.lines.map((line) => line.trimEnd()).join("\n");
  }
}

export const textOf = ({ cells }: Row): string => cells.map(({ text }) => text).join("");

/** Reads what a program writes, as a terminal does. */
export class Emulator {
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  #isCursorShown = true;

  /** @param answer is called with what the terminal answers to questions of the program. */
  constructor(columns: number, rows: number, answer: (text: string) => void = () => undefined) {
    const options = { cols: columns, rows, scrollback: 20_000, allowProposedApi: true };
    this.#terminal = new xterm.Terminal(options);
    this.#terminal.onData(answer);
    const { parser } = this.#terminal;
    const onMode = (isShown: boolean) => (modes: (number | number[])[]) => {
      if (modes.includes(25)) this.#isCursorShown = isShown;
      return false;
    };
    parser.registerCsiHandler({ prefix: "?", final: "h" }, onMode(true));
    parser.registerCsiHandler({ prefix: "?", final: "l" }, onMode(false));
  }

  get isCursorShown(): boolean {
    return this.#isCursorShown;
  }

  /** Whether the program has asked for marks around pasted text. */
  get marksPastes(): boolean {
    return this.#terminal.modes.bracketedPasteMode;
  }

  /** Resolves when the text is on the screen. */
  write(text: string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(text, resolve));
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
  }

  screen(): Screen {
    const { buffer, cols } = this.#terminal;
    const rows: Row[] = [];
    for (let y = 0; y < buffer.active.length; y += 1) {
      const line = buffer.active.getLine(y);
      if (line) rows.push({ cells: cellsOf(line, cols), isWrapped: line.isWrapped });
    }
    while (rows.length > 0 && rows.at(-1)?.cells.length === 0) rows.pop();
    return new Screen(cols, rows);
  }
}

const cellsOf = (line: IBufferLine, columns: number): Cell[] => {
  const cells: Cell[] = [];
  let used = 0;
  let read: IBufferCell | undefined;
  for (let x = 0; x < columns; x += 1) {
    const cell = line.getCell(x, read);
    if (!cell) break;
    read = cell;
    const width = cell.getWidth();
    const chars = cell.getChars();
    const text = width === 0 ? "" : chars || " ";
    cells.push({ text, width, look: lookOf(cell) });
    if (chars !== "" || cell.isInverse() !== 0) used = x + 1;
  }
  return cells.slice(0, used);
};

/** Characters that look the same share one object, which makes screens fast to read. */
const looks = new Map<string, Look>();

const lookOf = (cell: IBufferCell): Look => {
  const color = cell.isFgDefault() ? undefined : cell.getFgColor();
  const attributes = [cell.isBold(), cell.isDim(), cell.isItalic(), cell.isUnderline(), cell.isInverse()];
  const key = `${String(color)} ${attributes.join(" ")}`;
  const known = looks.get(key);
  if (known) return known;
  const [bold = false, dim = false, italic = false, underline = false, inverse = false] = attributes.map(
    (attribute) => attribute !== 0,
  );
  const look = { color, bold, dim, italic, underline, inverse };
  looks.set(key, look);
  return look;
};

/** Returns the screen of a terminal that a text was written to. */
export const screenOf = async (raw: string, columns: number, rows = 50): Promise<Screen> => {
  const emulator = new Emulator(columns, rows);
  await emulator.write(raw);
  return emulator.screen();
};

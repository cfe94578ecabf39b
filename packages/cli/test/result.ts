/** How a run of the command ended, and what it printed. */
export interface Result {
  status: number | null;
  stdout: string;
  stderr: string;
  /** Standard output, parsed as JSON. */
  readonly json: unknown;
  /** Standard error, parsed as one JSON object per line. */
  readonly errors: readonly Record<string, unknown>[];
}

export const resultOf = (status: number | null, stdout: string, stderr: string): Result => ({
  status,
  stdout,
  stderr,
  get json(): unknown {
    return JSON.parse(stdout);
  },
  get errors() {
    const lines = stderr.trim().split("\n").filter(Boolean);
    // With --output json every line is an object.
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  },
});

/** A tagged template for command lines: mgmt`projects get ${id}`. */
export type Mgmt = (strings: TemplateStringsArray, ...values: readonly string[]) => Promise<Result>;

/** Splits a template at spaces. Inserted values stay whole. */
export const words = (strings: TemplateStringsArray, values: readonly string[]): string[] => {
  // Marks inserted values with a character that no command line contains.
  const mark = (index: number): string => `\u0000${String(index)}\u0000`;
  const text = strings.reduce((left, part, index) => `${left}${mark(index - 1)}${part}`);
  return text
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replaceAll(/\u0000(\d+)\u0000/g, (_, index: string) => values[Number(index)] ?? ""));
};

/** Runs a command line of which each word is known. */
export const runLine = (mgmt: Mgmt, line: readonly string[]): Promise<Result> => {
  // Each word is passed as an inserted value, which stays whole.
  const blanks = Object.assign([...line.map(() => " "), ""], { raw: [] });
  return mgmt(blanks, ...line);
};

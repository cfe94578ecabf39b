/**
 * Collects the lines of a log, and writes all lines of one turn of the event loop together. Writing a line is a system call, which would
 * take a fifth of the time of a short request.
 */
export class LogLines {
  readonly #write: (lines: string) => void;
  #lines = "";

  constructor(write: (lines: string) => void) {
    this.#write = write;
  }

  /** @param line has its line break. */
  add(line: string): void {
    if (this.#lines === "") setImmediate(() => this.flush());
    this.#lines += line;
  }

  /** Writes the collected lines now. */
  flush(): void {
    const lines = this.#lines;
    this.#lines = "";
    if (lines !== "") this.#write(lines);
  }
}

import type { Failure } from "../errors/failure.js";
import { envOfListError } from "../errors/usage-errors.js";
import { isObject } from "../json/json-path.js";
import { detectCiSystem } from "../system/ci-system.js";
import type { Interruption } from "../system/interruption.js";
import type { ListLayout } from "./list-writer.js";
import { hasLogCommand, escapeLogCommands } from "./log-commands.js";
import { Messages } from "./messages.js";
import type { OutputFormat } from "./output-format.js";
import { toPrintable, toPrintableTable, toSafeJson, escapeJsonText } from "./printable.js";
import { requireShallow } from "./require-shallow.js";
import { computeHelpWidth, isFileStream, type Streams, writeText } from "./streams.js";
import { loadStyle, type Style, wantsColor } from "./style.js";
import { wrapMessage } from "./wrap.js";

/** How results are printed, according to global flags. */
export interface Presentation {
  /** Paths of the fields to print, dotted. */
  readonly fields?: readonly string[] | undefined;
  /** Selects a part of the result to print. */
  readonly query?: OutputQuery | undefined;
  /** Whether a long list may be shown in a pager. */
  readonly pager?: boolean | undefined;
}

/** Returns the part of a result that a query selects, or `SelectedText`. */
export type OutputQuery = (result: unknown) => unknown;

/** The text that a query selects, which is printed as it is. */
export class SelectedText {
  constructor(readonly text: string) {}
}

/** The outcome for one item of a command that accepts several. */
export interface ItemResult {
  /** Line of the input that describes it. */
  readonly line?: number;
  /** It is null if it was not created. */
  readonly id: string | null;
  readonly status: "created" | "existed" | "deleted" | "failed";
  /** What was created or existed. */
  readonly resource?: unknown;
  readonly error?: Omit<Failure, "exitCode">;
}

/** The pages of a list. */
export type ListPages = AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>;

/** Everything that a run prints. Standard output gets the result and nothing else; standard error gets the messages. */
export class Output extends Messages {
  presentation: Presentation = {};
  /** Whether every request is printed. */
  isDebugging = false;
  /** Whether a request that takes long or is sent again is announced. False for a command that polls. */
  announcesDelays = true;

  constructor(
    format: OutputFormat,
    streams?: Streams,
    env?: NodeJS.ProcessEnv,
    private readonly interruption?: Interruption,
    /** Milliseconds after which a pending request is announced. Default: 1,000. */
    readonly slowRequestMs = 1_000,
  ) {
    super(format, streams, env);
  }

  /** Standard output, for a command that speaks a protocol on it. */
  get stdout(): Streams["stdout"] {
    return this.streams.stdout;
  }

  /** Prints text of our own that is itself the result, unchanged: help, the version, a completion script. */
  writeText(text: string): void {
    writeText(text, this.streams);
  }

  /** Prints a string that is itself the result: unchanged for a program, and safe on a terminal. */
  writeExact(text: string): void {
    this.writeText(this.isTerminal ? toPrintable(text) : this.#escapeLogCommands(text));
  }

  /** Prints lines that are themselves the result: unchanged for a program, and safe on a terminal. */
  writeExactLines(text: string): void {
    this.writeText(this.isTerminal ? toPrintableTable(text) : this.#escapeLogCommands(text));
  }

  /** Prints text of our own that is itself the result. A terminal would break its lines inside words. */
  writeWrapped(text: string): void {
    this.writeText(this.isTerminal ? wrapMessage(text, this.helpWidth) : text);
  }

  /** Returns how words are emphasized in text of our own. */
  loadStyle(): Promise<Style> {
    return loadStyle(wantsColor(this.streams.stdout, this.env));
  }

  /** Whether standard output is a terminal, rather than a file or a pipe. */
  get isTerminal(): boolean {
    return this.streams.stdout.isTTY === true;
  }

  /** Whether standard output may end up in the log of a CI job, as a pipe in a CI system does unless a program reads it. */
  get mightBeJobLog(): boolean {
    return detectCiSystem(this.env) !== undefined && !this.isTerminal && !isFileStream(this.streams.stdout);
  }

  /** Number of columns that help is wrapped to. */
  get helpWidth(): number {
    return computeHelpWidth(this.streams.stdout);
  }

  /** Number of columns that a table must fit into, or undefined if it may have any width. */
  get tableWidth(): number | undefined {
    const { stdout } = this.streams;
    return stdout.isTTY ? stdout.columns || Number(this.env["COLUMNS"]) || undefined : undefined;
  }

  /** Prints a resource or a list. `resource` is the component schema, which determines the columns of a table. */
  async writeResult(value: unknown, resource?: string): Promise<void> {
    if (value === undefined) return;
    requireShallow(value);
    const { query } = this.presentation;
    if (query) return this.#writeQueryResult(await this.#selectOrPrintAll(query, value));
    if (Array.isArray(value)) return this.writeList([value], resource);
    const { fields } = this.presentation;
    const pickedFields = fields ? (await import("./pick-fields.js")).pickFields(value, fields) : value;
    await this.writeValue(pickedFields, resource);
  }

  /**
   * Prints a list page by page. JSON and YAML are printed only when the list is complete, so that a failure leaves no
   * incomplete document.
   */
  async writeList(pages: ListPages, resource?: string): Promise<void> {
    const { format } = this;
    if (format === "env") throw envOfListError();
    const { query, fields } = this.presentation;
    if (query || format === "json" || format === "yaml") {
      const items: unknown[] = [];
      for await (const page of pages) for (const item of page) items.push(requireShallow(item));
      if (query) return this.#writeQueryResult(await query(items));
      const pickedFields = fields ? (await import("./pick-fields.js")).pickFields(items, fields) : items;
      return this.writeText(await this.#renderDocument(pickedFields));
    }
    await this.#writePages(pages, resource, format);
  }

  /** Prints a result for each item as it comes. With a table, prints nothing: the messages about the items report the same. */
  async writeItemResults(results: AsyncIterable<ItemResult> | Iterable<ItemResult>): Promise<void> {
    const yieldPages = async function* (): AsyncGenerator<ItemResult[]> {
      for await (const result of results) yield [result];
    };
    if (this.format !== "table" || this.presentation.query) return this.writeList(yieldPages());
    const iterator = yieldPages();
    while (!(await iterator.next()).done);
  }

  /** Returns whether the format can print a list. Throws before a request is sent if not. */
  assertPrintsLists(): void {
    if (this.format === "env" && !this.presentation.query) throw envOfListError();
  }

  async #writePages(
    pages: ListPages,
    resource: string | undefined,
    format: "table" | "csv" | "ndjson" | "name",
  ): Promise<void> {
    const [layout, { loadListWriter }] = await Promise.all([
      this.#buildLayout(resource),
      import("./load-list-writer.js"),
    ]);
    const writer = await loadListWriter(format, layout);
    let isEmpty = true;
    const renderPages = async function* (): AsyncGenerator<string> {
      for await (const page of pages) {
        isEmpty &&= page.length === 0;
        yield writer.renderPage(page.map(requireShallow));
      }
    };
    await this.writeParts(renderPages(), format);
    if (isEmpty) this.info("Nothing found.");
    const hiddenTitles = writer.hiddenTitles ?? [];
    if (hiddenTitles.length > 0)
      this.info(`Not shown, because the terminal is too narrow: ${hiddenTitles.join(", ")}.`);
  }

  /** Prints a result part by part, and waits while the reader is slow. A long table may be shown in a pager, which the user can leave early. */
  async writeParts(parts: AsyncIterable<string>, format: OutputFormat): Promise<void> {
    const { PagedOutput } = await import("./paged-output.js");
    const { stdout } = this.streams;
    const { env, interruption } = this;
    const isPagerEnabled = (this.presentation.pager ?? true) && format === "table";
    const pagedOutput = new PagedOutput({ stdout, env, isPagerEnabled, interruption });
    try {
      for await (const text of parts)
        if (!(await pagedOutput.write(format === "csv" ? this.#escapeLogCommands(text) : text))) break;
    } finally {
      await pagedOutput.close();
    }
  }

  /** Calls `listener` when the output is no longer read (`mgmt … | head`), instead of exiting immediately. */
  onReaderGone(listener: () => void): void {
    const { stdout } = this.streams;
    const otherListeners = stdout.listeners("error");
    stdout.removeAllListeners("error").on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") return listener();
      for (const otherListener of otherListeners) Reflect.apply(otherListener, stdout, [error]);
    });
  }

  /** Prints a string that a query selected: unchanged for a program, and safe on a terminal. */
  writeSelected({ text }: SelectedText): void {
    if (text !== "") this.writeExactLines(text);
  }

  /**
   * Returns a string without commands that the CI system would carry out, if it reads the output of this run. A pipe may end in the log of
   * the job or in a program, which cannot be distinguished. A file is not read by the CI system.
   */
  #escapeLogCommands(text: string): string {
    if (!hasLogCommand(text)) return text;
    if (!detectCiSystem(this.env)?.runsCommands || isFileStream(this.streams.stdout)) return text;
    this.noticeOnce({
      code: "output:log_commands",
      message:
        "Part of the result would be a command of the log of this job, so its start is escaped. Redirect the output to a file, " +
        "or use --output json, to get it unchanged.",
    });
    return escapeLogCommands(text);
  }

  /** Selects from a resource. It may have secrets that are shown only once, so all of it is printed if that fails. */
  async #selectOrPrintAll(query: OutputQuery, value: unknown): Promise<unknown> {
    try {
      return await query(value);
    } catch (error) {
      this.writeText(toSafeJson(value, 2));
      throw error;
    }
  }

  /** Prints the result of a query: strings and numbers as lines, unless the format has its own form for them. */
  async #writeQueryResult(value: unknown): Promise<void> {
    const { format } = this;
    if (value instanceof SelectedText) {
      this.writeSelected(value);
      return;
    }
    if (format === "json" || format === "yaml") return this.writeValue(value);
    const items: unknown[] = Array.isArray(value) ? value : [value];
    if (format === "ndjson") return this.#writePages([items], undefined, format);
    if (!items.every(isObject)) return this.#writePages([items], undefined, "name");
    if (!Array.isArray(value)) return this.writeValue(value);
    if (format === "env") throw envOfListError();
    await this.#writePages([items], undefined, format);
  }

  private async writeValue(value: unknown, resource?: string): Promise<void> {
    const { format } = this;
    if (format === "json" || format === "yaml") return this.writeText(await this.#renderDocument(value));
    const layout = await this.#buildLayout(resource);
    if (format === "table") {
      const { renderDetails } = await import("./tables.js");
      return this.writeText(renderDetails(value, layout));
    }
    if (format === "env") {
      const { renderEnv } = await import("./env-writer.js");
      return this.writeText(renderEnv(value, layout.isTerminal));
    }
    const { loadListWriter } = await import("./load-list-writer.js");
    const text = (await loadListWriter(format, layout)).renderPage([value]);
    this.writeText(format === "csv" ? this.#escapeLogCommands(text) : text);
  }

  async #renderDocument(value: unknown): Promise<string> {
    if (this.format === "json") return toSafeJson(value, 2);
    const { renderYaml } = await import("./yaml.js");
    return renderYaml(value);
  }

  async #buildLayout(resource: string | undefined): Promise<ListLayout> {
    const { isTerminal, tableWidth: width } = this;
    const style = await this.loadStyle();
    const columns = this.presentation.fields?.map((path) => ({ title: path, path }));
    return { resource, columns, style, isTerminal, width };
  }

  /** Prints one line of JSON in any format: the ready line of a server. */
  writeJsonLine(value: unknown): void {
    this.streams.stdout.write(`${toSafeJson(value)}\n`);
  }

  /** Prints lines of JSON of a log, in any format. They have their line breaks. */
  writeLogLines(lines: string): void {
    this.streams.stdout.write(escapeJsonText(lines));
  }

  /** Continues when the output is no longer read, or the disk is full: a server answers requests although its log is lost. */
  ignoreStreamErrors(): void {
    // The other listeners exit the process.
    for (const stream of [this.streams.stdout, this.streams.stderr])
      stream.removeAllListeners("error").on("error", () => undefined);
  }
}

import { type Failure, toFailure } from "../errors/failure.js";
import { envOfListError } from "../errors/usage-errors.js";
import type { Interruption } from "../system/interruption.js";
import { isObject } from "../json/json-path.js";
import { requireShallow } from "./require-shallow.js";
import { detectCiSystem } from "../system/ci-system.js";
import { isUnattended } from "../system/reader.js";
import type { ListLayout } from "./list-writer.js";
import { hasLogCommand, escapeLogCommands } from "./log-commands.js";
import { toPrintable, toPrintableLines, toPrintableTable, toSafeJson, escapeJsonText } from "./printable.js";
import { UsedSettings } from "./used-settings.js";
import { wrapMessage } from "./wrap.js";
import { replaceProgramWords } from "../text/program-words.js";
import { startSpinner } from "./spinner.js";
import { computeHelpWidth, isFileStream, type Streams, writeText } from "./streams.js";
import { loadStyle, type Style, wantsColor } from "./style.js";

/** The values of `--output`. */
export const outputFormats = ["table", "json", "yaml", "csv", "ndjson", "env", "name"] as const;
/** How results are printed. `env` prints lines of the form `NAME=value`, and `name` prints ids only. */
export type OutputFormat = (typeof outputFormats)[number];

/** Something worth knowing beside the result. */
export interface Notice {
  /** `noun:reason`. Stable. */
  code: string;
  message: string;
  [detail: string]: unknown;
}

/** How results are printed, as global flags say. */
export interface Presentation {
  /** Paths of the fields to print, dotted. */
  readonly fields?: readonly string[] | undefined;
  /** Selects a part of the result to print. */
  readonly query?: Query | undefined;
  /** Whether a long list may be shown in a pager. */
  readonly pager?: boolean | undefined;
}

/** Returns the part of a result that a query selects, or `SelectedText`. */
export type Query = (result: unknown) => unknown;

/** The text that a query selects, which is printed as it is. */
export class SelectedText {
  constructor(readonly text: string) {}
}

/** What became of one item of a command that accepts several. */
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

/** Adds to an error the commands that help after it. `id` is the id of the resource that failed. */
type AddNextCommands = (failure: Failure, id?: string) => Promise<Failure>;

/** The pages of a list. */
export type ListPages = AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>;

/**
 * Everything that a run prints. Standard output gets the result and nothing else. Everything else goes to standard error:
 * as text, or with `--output json` and `ndjson` as one JSON object per line.
 */
export class Output {
  presentation: Presentation = {};
  /** Set when the command line is known. */
  addNext: AddNextCommands = (failure) => Promise.resolve(failure);
  /** Whether every request is printed. */
  isDebugging = false;
  /** Whether it is always said which profile and project are used. */
  isVerbose = false;
  /** What the command uses because of a link. */
  readonly usedSettings = new UsedSettings({
    isAtTerminal: () => this.#isAtTerminal,
    wantsAll: () => this.isVerbose,
    notice: (notice) => this.noticeOnce(notice),
  });
  /** Whether a spinner is shown, which other lines would break. */
  isSpinning = false;
  /** Whether a request that takes long or is sent again is announced. Not by a command that asks again and again. */
  announcesDelays = true;
  readonly #printedMessages = new Set<string>();
  readonly #ciCommands = new Set<string>();

  constructor(
    public format: OutputFormat,
    private readonly streams: Streams = process,
    private readonly env: NodeJS.ProcessEnv = process.env,
    private readonly interruption?: Interruption,
    /** Milliseconds after which a pending request is announced; a second if absent. */
    readonly slowRequestMs = 1_000,
  ) {}

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

  /** Whether a person reads standard output, rather than a file or a program. */
  get isTerminal(): boolean {
    return this.streams.stdout.isTTY === true;
  }

  /** Whether standard output may lead to the log of a job, which a pipe in a CI system does unless a program reads it. */
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
    const pickedFields = fields ? (await import("./selection.js")).pickFields(value, fields) : value;
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
      const pickedFields = fields ? (await import("./selection.js")).pickFields(items, fields) : items;
      return this.writeText(await this.#renderDocument(pickedFields));
    }
    await this.#writePages(pages, resource, format);
  }

  /** Prints a result for each item as it comes. A table has none: the messages about the items say the same. */
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
    const isPagerWanted = (this.presentation.pager ?? true) && format === "table";
    const pagedOutput = new PagedOutput({ stdout, env, isPagerWanted, interruption });
    try {
      for await (const text of parts)
        if (!(await pagedOutput.write(format === "csv" ? this.#escapeLogCommands(text) : text))) break;
    } finally {
      await pagedOutput.end();
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
   * Returns a string without commands that the CI system would carry out, if it reads the output of this run. A pipe may lead to its log or
   * to a program, which cannot be told; a file does not.
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
  async #selectOrPrintAll(query: Query, value: unknown): Promise<unknown> {
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

  /** Prints one line of JSON in any format: the ready line of a program that keeps running. */
  writeJsonLine(value: unknown): void {
    this.streams.stdout.write(`${toSafeJson(value)}\n`);
  }

  /** Prints lines of JSON of a log, in any format. They have their line breaks. */
  writeLogLines(lines: string): void {
    this.streams.stdout.write(escapeJsonText(lines));
  }

  /** Continues when the output is no longer read, or the disk is full: a server answers requests although its log is lost. */
  ignoreStreamErrors(): void {
    // The others end the process.
    for (const stream of [this.streams.stdout, this.streams.stderr])
      stream.removeAllListeners("error").on("error", () => undefined);
  }

  /** Prints a message for people. Omitted with every format but `table`. */
  info(message: string): void {
    if (this.format === "table") this.writeMessage(toPrintable(replaceProgramWords(message, this.env)));
  }

  /** Prints lines of our own for people, which are safe on a terminal. Omitted with every format but `table`. */
  async report(render: (style: Style) => readonly string[]): Promise<void> {
    if (this.format !== "table") return;
    const style = await loadStyle(wantsColor(this.streams.stderr, this.env));
    for (const line of render(style)) this.writeMessage(line);
  }

  /** Prints a message that programs need as well. Its line breaks are printed only if it is `multiline`. */
  notice(notice: Notice, { multiline = false } = {}): void {
    const message = replaceProgramWords(notice.message, this.env);
    if (this.#isJson) return this.#writeErrorLine({ notice: { ...notice, message } });
    this.writeMessage(multiline ? toPrintableLines(message) : toPrintable(message));
  }

  /** Does the same unless this run has printed the message before. */
  noticeOnce(notice: Notice): void {
    if (this.#printedMessages.has(notice.message)) return;
    this.#printedMessages.add(notice.message);
    this.notice(notice);
  }

  /** Whether a person reads the messages, who has not asked for all of them. */
  get isForPerson(): boolean {
    return this.#isAtTerminal && !this.isVerbose;
  }

  get #isAtTerminal(): boolean {
    return this.streams.stderr.isTTY === true;
  }

  /**
   * Prints a line for the CI system, which reads it from standard error, unless this run has printed it before. Its commands are not
   * shown in the log.
   */
  writeCiCommand(line: string): void {
    if (this.#ciCommands.has(line)) return;
    this.#ciCommands.add(line);
    this.streams.stderr.write(`${line}\n`);
  }

  /** Prints a warning, with its `hint` if it has one. */
  async warn(warning: Notice): Promise<void> {
    const message = replaceProgramWords(warning.message, this.env);
    const hint =
      typeof warning["hint"] === "string" ? replaceProgramWords(warning["hint"], this.env) : undefined;
    if (this.#isJson)
      return this.#writeErrorLine({ warning: { ...warning, message, ...(hint !== undefined && { hint }) } });
    const style = await loadStyle(wantsColor(this.streams.stderr, this.env));
    const lines = [`${style.busy("warning:")} ${toPrintable(message)}`];
    if (hint !== undefined) lines.push(`${style.strong("hint:")} ${toPrintable(hint)}`);
    this.writeMessage(lines.join("\n"));
  }

  /**
   * Prints an error.
   *
   * @param target the item that failed, for one of several errors.
   * @returns The exit code for it.
   */
  async fail(
    caughtError: unknown,
    target?: { readonly label: string; readonly id?: string },
  ): Promise<number> {
    const { exitCode, ...failure } = await this.describeFailure(caughtError, target?.id);
    const message = target ? `${target.label}: ${failure.message}` : failure.message;
    const error = { ...failure, message };
    if (this.#isJson) this.#writeErrorLine({ error });
    else await this.#writeErrorText(error);
    return exitCode;
  }

  /** Describes an error, with the next steps. */
  async describeFailure(caughtError: unknown, id?: string): Promise<Failure> {
    return this.addNext(await toFailure(caughtError), id);
  }

  async #writeErrorText(error: Omit<Failure, "exitCode">): Promise<void> {
    const style = await loadStyle(wantsColor(this.streams.stderr, this.env));
    const lines = [
      `${style.bad("error:")} ${toPrintable(error.message)} ${style.faint(`(${toPrintable(error.code)})`)}`,
    ];
    const formatDetail = (name: string, text: string): string =>
      `  ${toPrintable(name)}: ${toPrintable(text)}`;
    for (const { path, message } of error.issues ?? []) {
      // The message of an error with a single issue usually contains it.
      if (!error.message.includes(message)) lines.push(formatDetail(path, message));
    }
    for (const [name, value] of Object.entries(error.details ?? {})) {
      lines.push(formatDetail(name, typeof value === "string" ? value : JSON.stringify(value)));
    }
    if (error.hint !== undefined) lines.push(`${style.strong("hint:")} ${toPrintable(error.hint)}`);
    if (error.retryAfter !== undefined) lines.push(`try again in: ${error.retryAfter} s`);
    if (error.requestId !== undefined) lines.push(style.faint(`request id: ${toPrintable(error.requestId)}`));
    this.writeMessage(lines.join("\n"));
  }

  /** Prints text for people. A terminal would break its lines inside words. */
  private writeMessage(text: string): void {
    const { stderr } = this.streams;
    stderr.write(`${stderr.isTTY && stderr.columns ? wrapMessage(text, stderr.columns) : text}\n`);
  }

  /** Whether a spinner can be shown: on a terminal, to people, and not in CI. */
  get canAnimate(): boolean {
    const { stderr } = this.streams;
    return (
      stderr.isTTY === true &&
      this.format === "table" &&
      this.env["TERM"] !== "dumb" &&
      !isUnattended(this.env)
    );
  }

  /** Shows a spinner where one can be shown. Returns a function that removes it. */
  startSpinner(text: () => string): () => void {
    if (!this.canAnimate) return () => undefined;
    const stop = startSpinner(this.streams.stderr, () => toPrintable(text()));
    this.isSpinning = true;
    return () => {
      this.isSpinning = false;
      stop();
    };
  }

  /** Whether messages are JSON as well. */
  get #isJson(): boolean {
    return this.format === "json" || this.format === "ndjson";
  }

  #writeErrorLine(value: unknown): void {
    this.streams.stderr.write(`${toSafeJson(value)}\n`);
  }
}

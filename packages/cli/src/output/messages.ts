import { type Failure, toFailure } from "../errors/failure.js";
import { isUnattended } from "../system/reader.js";
import { replaceMgmtCommand } from "../text/mgmt-command.js";
import { formatFailure } from "./format-failure.js";
import type { OutputFormat } from "./output-format.js";
import { toPrintable, toPrintableLines, toSafeJson } from "./printable.js";
import { startSpinner } from "./spinner.js";
import type { Streams } from "./streams.js";
import { loadStyle, type Style, wantsColor } from "./style.js";
import { ImplicitSettingsReporter } from "./implicit-settings.js";
import { wrapMessage } from "./wrap.js";

/** A message beside the result. */
export interface Notice {
  /** `noun:reason`. Stable. */
  code: string;
  message: string;
  [detail: string]: unknown;
}

/** Adds commands that may help to the description of an error. `id` is the id of the resource that failed. */
type AddNextCommands = (failure: Failure, id?: string) => Promise<Failure>;

/**
 * Everything that a run prints to standard error: as text, or with `--output json` and `ndjson` as one JSON object per line.
 */
export class Messages {
  /** Set once the command line is parsed. Default: adds nothing. */
  addNext: AddNextCommands = (failure) => Promise.resolve(failure);
  /** Whether to always report which profile and project are used. */
  isVerbose = false;
  /** The settings that the command uses because of a link. */
  readonly implicitSettings = new ImplicitSettingsReporter({
    isAtTerminal: () => this.#isAtTerminal,
    wantsAll: () => this.isVerbose,
    notice: (notice) => this.noticeOnce(notice),
  });
  /** Whether a spinner is shown, which other lines would break. */
  isSpinning = false;
  readonly #printedMessages = new Set<string>();
  readonly #ciCommands = new Set<string>();

  constructor(
    public format: OutputFormat,
    protected readonly streams: Streams = process,
    protected readonly env: NodeJS.ProcessEnv = process.env,
  ) {}

  /** Prints an informational message. Omitted with every format but `table`. */
  info(message: string): void {
    if (this.format === "table") this.writeMessage(toPrintable(replaceMgmtCommand(message, this.env)));
  }

  /** Prints informational lines that contain no foreign text, so they are safe on a terminal. Omitted with every format but `table`. */
  async report(render: (style: Style) => readonly string[]): Promise<void> {
    if (this.format !== "table") return;
    const style = await this.#loadStyle();
    for (const line of render(style)) this.writeMessage(line);
  }

  /** Prints a message that programs need as well. Its line breaks are printed only if it is `multiline`. */
  notice(notice: Notice, { multiline = false } = {}): void {
    const message = replaceMgmtCommand(notice.message, this.env);
    if (this.#isJson) return this.#writeErrorLine({ notice: { ...notice, message } });
    this.writeMessage(multiline ? toPrintableLines(message) : toPrintable(message));
  }

  /** Prints a message that programs need as well, unless this run has printed it before. */
  noticeOnce(notice: Notice): void {
    if (this.#printedMessages.has(notice.message)) return;
    this.#printedMessages.add(notice.message);
    this.notice(notice);
  }

  /** Whether messages go to a terminal, and the user has not asked for all of them. */
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
    const message = replaceMgmtCommand(warning.message, this.env);
    const hint =
      typeof warning["hint"] === "string" ? replaceMgmtCommand(warning["hint"], this.env) : undefined;
    if (this.#isJson)
      return this.#writeErrorLine({ warning: { ...warning, message, ...(hint !== undefined && { hint }) } });
    const style = await this.#loadStyle();
    const lines = [`${style.busy("warning:")} ${toPrintable(message)}`];
    if (hint !== undefined) lines.push(`${style.strong("hint:")} ${toPrintable(hint)}`);
    this.writeMessage(lines.join("\n"));
  }

  /**
   * Prints an error.
   *
   * @param target the item that failed, for one of several errors.
   * @returns the exit code for the error.
   */
  async fail(
    caughtError: unknown,
    target?: { readonly label: string; readonly id?: string },
  ): Promise<number> {
    const { exitCode, ...failure } = await this.describeFailure(caughtError, target?.id);
    const message = target ? `${target.label}: ${failure.message}` : failure.message;
    const error = { ...failure, message };
    if (this.#isJson) this.#writeErrorLine({ error });
    else this.writeMessage(formatFailure(error, await this.#loadStyle()));
    return exitCode;
  }

  /** Describes an error, with the next steps. */
  async describeFailure(caughtError: unknown, id?: string): Promise<Failure> {
    return this.addNext(await toFailure(caughtError), id);
  }

  /** Prints readable text. A terminal would break its lines inside words. */
  private writeMessage(text: string): void {
    const { stderr } = this.streams;
    stderr.write(`${stderr.isTTY && stderr.columns ? wrapMessage(text, stderr.columns) : text}\n`);
  }

  /** Whether a spinner can be shown: on a terminal, with readable output, and not in CI. */
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

  /** Returns how words are emphasized in messages. */
  #loadStyle(): Promise<Style> {
    return loadStyle(wantsColor(this.streams.stderr, this.env));
  }

  /** Whether messages are JSON as well. */
  get #isJson(): boolean {
    return this.format === "json" || this.format === "ndjson";
  }

  #writeErrorLine(value: unknown): void {
    this.streams.stderr.write(`${toSafeJson(value)}\n`);
  }
}

import { type Failure, failureOf } from "../errors/failure.js";
import { printable, printableLines, toJson } from "./printable.js";
import { startSpinner } from "./spinner.js";
import { type Streams, writeText } from "./streams.js";
import { loadStyle, wantsColor } from "./style.js";

export const formats = ["table", "json", "yaml"] as const;
export type Format = (typeof formats)[number];

/** Something worth knowing beside the result. */
export interface Notice {
  /** `noun:reason`. Stable. */
  code: string;
  message: string;
  [detail: string]: unknown;
}

/**
 * Everything that a run prints. Standard output gets the result and nothing else. Everything else goes to standard error:
 * as text, or with `--output json` as one JSON object per line.
 */
export class Output {
  constructor(
    public format: Format,
    private readonly streams: Streams = process,
    private readonly env: NodeJS.ProcessEnv = process.env,
  ) {}

  /** Prints text of our own that is itself the result, unchanged: help, the version, a completion script. */
  text(text: string): void {
    writeText(text, this.streams);
  }

  /** Prints a resource or a list. `resource` is the component schema, which determines the columns of a table. */
  async result(value: unknown, resource?: string): Promise<void> {
    if (value === undefined) return;
    if (this.format === "json") return this.text(toJson(value, 2));
    if (this.format === "yaml") {
      const { renderYaml } = await import("./yaml.js");
      return this.text(renderYaml(value));
    }
    const style = await loadStyle(wantsColor(this.streams.stdout, this.env));
    const { renderDetails, renderList } = await import("./tables.js");
    if (!Array.isArray(value)) return this.text(renderDetails(value, resource, style));
    if (value.length > 0) return this.text(renderList(value, resource, style));
    this.info("Nothing found.");
  }

  /** Prints one line of JSON in any format: the ready line of a program that keeps running. */
  jsonLine(value: unknown): void {
    this.streams.stdout.write(`${toJson(value)}\n`);
  }

  /** Prints a message for people. Omitted with `--output json` and `yaml`. */
  info(message: string): void {
    if (this.format === "table") this.streams.stderr.write(`${printable(message)}\n`);
  }

  /** Prints a message that programs need as well. Its line breaks are printed only if it is `multiline`. */
  notice(notice: Notice, { multiline = false } = {}): void {
    if (this.format === "json") return this.errorLine({ notice });
    const message = multiline ? printableLines(notice.message) : printable(notice.message);
    this.streams.stderr.write(`${message}\n`);
  }

  async warn(warning: Notice): Promise<void> {
    if (this.format === "json") return this.errorLine({ warning });
    const style = await loadStyle(wantsColor(this.streams.stderr, this.env));
    this.streams.stderr.write(`${style.busy("warning:")} ${printable(warning.message)}\n`);
  }

  /**
   * Prints an error.
   *
   * @param about What it happened to, for one of several errors.
   * @returns The exit code for it.
   */
  async fail(thrown: unknown, about?: string): Promise<number> {
    const { exitCode, ...failure } = await failureOf(thrown);
    const message = about === undefined ? failure.message : `${about}: ${failure.message}`;
    const error = { ...failure, message };
    if (this.format === "json") this.errorLine({ error });
    else await this.errorText(error);
    return exitCode;
  }

  private async errorText(error: Omit<Failure, "exitCode">): Promise<void> {
    const style = await loadStyle(wantsColor(this.streams.stderr, this.env));
    const lines = [
      `${style.bad("error:")} ${printable(error.message)} ${style.faint(`(${printable(error.code)})`)}`,
    ];
    const detail = (name: string, text: string): string => `  ${printable(name)}: ${printable(text)}`;
    for (const { path, message } of error.issues ?? []) {
      // The message of an error with a single issue usually contains it.
      if (!error.message.includes(message)) lines.push(detail(path, message));
    }
    for (const [name, value] of Object.entries(error.details ?? {})) {
      lines.push(detail(name, typeof value === "string" ? value : JSON.stringify(value)));
    }
    if (error.hint !== undefined) lines.push(`${style.strong("hint:")} ${printable(error.hint)}`);
    if (error.retryAfter !== undefined) lines.push(`try again in: ${error.retryAfter} s`);
    if (error.requestId !== undefined) lines.push(style.faint(`request id: ${printable(error.requestId)}`));
    this.streams.stderr.write(`${lines.join("\n")}\n`);
  }

  /** Whether a spinner can be shown: on a terminal, to people, and not in CI. */
  get canAnimate(): boolean {
    const { stderr } = this.streams;
    return stderr.isTTY && this.format === "table" && this.env["TERM"] !== "dumb" && !this.env["CI"];
  }

  /** Shows a spinner where one can be shown. Returns a function that removes it. */
  startSpinner(text: () => string): () => void {
    return this.canAnimate ? startSpinner(this.streams.stderr, () => printable(text())) : () => undefined;
  }

  private errorLine(value: unknown): void {
    this.streams.stderr.write(`${toJson(value)}\n`);
  }
}

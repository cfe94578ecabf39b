import type { Failure } from "./failure.js";
import { type Streams, writeText } from "./streams.js";
import { loadStyle, printable, wantsColour } from "./style.js";

export const formats = ["table", "json", "yaml"] as const;
export type Format = (typeof formats)[number];

/** Something worth knowing beside the answer. */
export interface Notice {
  code: string;
  message: string;
  [detail: string]: unknown;
}

/**
 * The only place that writes. Standard output carries the answer and nothing else; everything said about it goes to
 * standard error: as lines for people, or, under `--output json`, as one JSON object a line.
 */
export class Output {
  constructor(
    public format: Format,
    private readonly streams: Streams = process,
    private readonly env: NodeJS.ProcessEnv = process.env,
  ) {}

  /** Text that was asked for as such: help, the version, a completion script. */
  text(text: string): void {
    writeText(text, this.streams);
  }

  /** The answer: a resource, a list, or nothing when it is undefined. `resource` names the schema, for its columns. */
  async answer(value: unknown, resource?: string): Promise<void> {
    if (value === undefined) return;
    if (this.format === "json") return this.text(JSON.stringify(value, null, 2));
    if (this.format === "yaml") {
      const { renderYaml } = await import("./render-yaml.js");
      return this.text(renderYaml(value));
    }
    const style = await loadStyle(wantsColour(this.streams.stdout, this.env));
    const { renderDetails, renderList } = await import("./render-table.js");
    if (!Array.isArray(value)) return this.text(renderDetails(value, resource, style));
    if (value.length > 0) return this.text(renderList(value, resource, style));
    this.say("Nothing found.");
  }

  /** One line of JSON, whatever reads it: the ready line of a program that goes on running. */
  jsonLine(value: unknown): void {
    this.streams.stdout.write(`${JSON.stringify(value)}\n`);
  }

  /** For people only; a program that reads JSON or YAML does not miss it. */
  say(message: string): void {
    if (this.format === "table") this.streams.stderr.write(`${message}\n`);
  }

  notice(notice: Notice): void {
    if (this.format === "json") return this.errorLine({ notice });
    this.streams.stderr.write(`${notice.message}\n`);
  }

  async warn(warning: Notice): Promise<void> {
    if (this.format === "json") return this.errorLine({ warning });
    const style = await loadStyle(wantsColour(this.streams.stderr, this.env));
    this.streams.stderr.write(`${style.busy("warning:")} ${warning.message}\n`);
  }

  async fail({ exitCode: _, ...error }: Failure): Promise<void> {
    if (this.format === "json") return this.errorLine({ error });
    const style = await loadStyle(wantsColour(this.streams.stderr, this.env));
    const lines = [
      `${style.bad("error:")} ${printable(error.message)} ${style.faint(`(${printable(error.code)})`)}`,
    ];
    const said = (name: string, text: string): string => `  ${printable(name)}: ${printable(text)}`;
    for (const { path, message } of error.issues ?? []) lines.push(said(path, message));
    for (const [name, value] of Object.entries(error.details ?? {})) {
      lines.push(said(name, typeof value === "string" ? value : JSON.stringify(value)));
    }
    if (error.hint !== undefined) lines.push(`${style.strong("hint:")} ${printable(error.hint)}`);
    if (error.retryAfter !== undefined) lines.push(`try again in: ${error.retryAfter} s`);
    if (error.requestId !== undefined) lines.push(style.faint(`request id: ${printable(error.requestId)}`));
    this.streams.stderr.write(`${lines.join("\n")}\n`);
  }

  private errorLine(value: unknown): void {
    this.streams.stderr.write(`${JSON.stringify(value)}\n`);
  }
}

import { once } from "node:events";
import type { Interruption } from "../system/interruption.js";
import { canRunPager, type Pager, findPagerCommand, startPager } from "./pager.js";
import type { OutputStream } from "./streams.js";

/** Where help and tables are printed, and when the user reads them in a pager. */
export interface PagedOutputOptions {
  readonly stdout: OutputStream;
  readonly env: NodeJS.ProcessEnv;
  /** Whether to show output that does not fit on the terminal in a pager. */
  readonly isPagerEnabled: boolean;
  /** Gets the signals that arrive while the pager is open. */
  readonly interruption?: Interruption | undefined;
}

/** Writes a long text to standard output, and through a pager if it does not fit on the terminal. */
export class PagedOutput {
  private pager: Pager | undefined;
  /** Text that is not written yet, because it may fit on the terminal. */
  private unwrittenText = "";
  private pagerCommand: string | undefined;

  constructor(private readonly options: PagedOutputOptions) {
    const { stdout, env, isPagerEnabled } = options;
    this.pagerCommand = findPagerCommand(stdout, env, isPagerEnabled);
  }

  /** Writes text, and waits while the reader is slow. Returns false when the user has left the pager. */
  async write(text: string): Promise<boolean> {
    const { stdout, env, interruption } = this.options;
    if (this.pager) return this.pager.write(text);
    if (this.pagerCommand === undefined) {
      if (text !== "" && !stdout.write(text)) await once(stdout, "drain");
      return true;
    }
    this.unwrittenText += text;
    if (this.unwrittenText.split("\n").length <= (stdout.rows || defaultTerminalRows)) return true;
    const command = this.pagerCommand;
    this.pagerCommand = undefined;
    if (canRunPager(command, env)) this.pager = await startPager(command, env, interruption);
    const pendingText = this.unwrittenText;
    this.unwrittenText = "";
    return this.write(pendingText);
  }

  /** Writes the rest, and waits until the user leaves the pager. */
  async close(): Promise<void> {
    const { stdout } = this.options;
    if (this.unwrittenText !== "") stdout.write(this.unwrittenText);
    const unpagedText = await this.pager?.close();
    if (unpagedText !== undefined) stdout.write(unpagedText);
  }
}

const defaultTerminalRows = 24;

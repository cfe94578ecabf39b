import type { Context } from "./context.js";

/** How long a picture of the spinner stands, in milliseconds. */
const beat = 120;
const pictures = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const usualWidth = 80;
const clearLine = "\r\u001b[K";

/** How far the wait for a sponsor has come. */
export interface ApprovalSeen {
  approvalId: string;
  status: string;
  /** Until when the sponsor can decide. ISO 8601. */
  expiresAt: string;
  /** Milliseconds until the wait itself ends. */
  remainingMs: number;
  /** Where the sponsor decides; absent when only the approval itself was asked for. */
  approvalUrl?: string;
}

/** Shows a wait for a sponsor: a spinner with the time left on a terminal, else a line for each change. */
export class ApprovalProgress {
  private known = "";
  private ends = 0;
  private turns = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly context: Pick<Context, "output" | "stderr" | "env">) {}

  /** For the SDK's `onProgress`. */
  readonly tell = ({ approvalId, approvalUrl, status, expiresAt, remainingMs }: ApprovalSeen): void => {
    const now = Date.now();
    const expiry = Date.parse(expiresAt);
    // By a clock that goes ahead of the service's it may be over already, which the service would have said.
    this.ends = Math.min(now + remainingMs, expiry > now ? expiry : Number.POSITIVE_INFINITY);
    const seen = `${approvalId} ${status}`;
    if (seen === this.known) return;
    this.known = seen;
    this.end();
    const { output } = this.context;
    if (status !== "pending") return output.say(`Approval ${approvalId} is ${status}.`);
    output.notice({
      code: "approval:waiting",
      message:
        `Waiting for the sponsor's approval ${approvalId}` +
        (this.turnsHere ? "" : `, ${this.timeLeft()} left`) +
        (approvalUrl === undefined ? "" : `: ${approvalUrl}`),
      approvalId,
      ...(approvalUrl !== undefined && { approvalUrl }),
      expiresAt,
    });
    if (this.turnsHere) this.timer = setInterval(() => this.draw(), beat).unref();
  };

  /** Takes the spinner away. */
  end(): void {
    if (!this.timer) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.context.stderr.write(clearLine);
  }

  private get turnsHere(): boolean {
    const { stderr, env, output } = this.context;
    return stderr.isTTY && output.format === "table" && env["TERM"] !== "dumb" && !env["CI"];
  }

  private draw(): void {
    const picture = pictures[this.turns++ % pictures.length] ?? "";
    const line = `${picture} pending, ${this.timeLeft()} left`;
    // A line that is broken could not be cleared. Some terminals do not say how wide they are.
    const width = this.context.stderr.columns || usualWidth;
    this.context.stderr.write(clearLine + line.slice(0, Math.max(1, width - 1)));
  }

  private timeLeft(): string {
    const seconds = Math.max(0, Math.round((this.ends - Date.now()) / 1_000));
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }
}

import { insecureUrlError } from "../errors/access-errors.js";
import type { Output } from "../output/output.js";

/** Refuses to send credentials to another machine unencrypted, unless the user allows it for this run. */
export class InsecureUrlGuard {
  /** Whether `--insecure` was passed. */
  isAllowed = false;
  private readonly warnedHosts = new Set<string>();

  constructor(private readonly output: Output) {}

  /**
   * Call it before a credential is sent. Throws `connection:insecure` for an `http:` URL of another machine. With
   * `--insecure`, warns once for each host.
   */
  async assertAllowed({ value, from }: { value: string; from: string }): Promise<void> {
    if (!URL.canParse(value)) return;
    const { protocol, hostname, host } = new URL(value);
    if (protocol !== "http:") return;
    const { isLoopbackHostname } = await import("../sdk/sdk.js");
    if (isLoopbackHostname(hostname)) return;
    if (!this.isAllowed) throw insecureUrlError(from, host);
    if (this.warnedHosts.has(host)) return;
    this.warnedHosts.add(host);
    const message = `Credentials are sent to ${host} unencrypted, because of --insecure`;
    await this.output.warn({ code: "connection:insecure", message });
  }
}

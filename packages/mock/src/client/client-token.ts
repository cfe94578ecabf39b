import type { MemoryServer } from "@mgmt/engine";

/** How long a token is used, in milliseconds of the mock's clock. It expires after an hour. */
const maxTokenAgeMs = 1_800_000;

interface SignedToken {
  readonly token: Promise<string>;
  /** The rows that it was signed for. `reset` and `load` replace them. */
  readonly rows: object;
  readonly owner: string;
  readonly signedAt: number;
}

/** A token of the first user for the clients of a mock. Signing and verifying one takes longer than the rest of a request. */
export class ClientToken {
  #lastToken: SignedToken | undefined;

  constructor(private readonly engine: Pick<MemoryServer, "tokens" | "clock" | "rows" | "defaults">) {}

  /**
   * Returns the token of earlier requests while it is valid, or else a new one.
   *
   * @param rejectedToken the token that the mock has just rejected.
   */
  async get(rejectedToken?: string): Promise<string> {
    const { tokens, clock, rows, defaults } = this.engine;
    const { user, workspace } = defaults;
    const owner = [user.id, user.email, workspace.id].join(" ");
    const now = clock.now();
    const lastToken = this.#lastToken;
    const isUsable =
      lastToken?.rows === rows &&
      lastToken.owner === owner &&
      now >= lastToken.signedAt &&
      now - lastToken.signedAt < maxTokenAgeMs;
    if (isUsable && (await lastToken.token) !== rejectedToken) return lastToken.token;
    const token = tokens.user();
    this.#lastToken = { token, rows, owner, signedAt: now };
    return token;
  }
}

import type { MemoryServer } from "@mgmt/engine";

/** How long a token is used, in milliseconds of the mock's clock. It expires after an hour. */
const maxAge = 1_800_000;

interface Signed {
  readonly token: Promise<string>;
  /** The rows that it was signed for. `reset` and `load` replace them. */
  readonly store: object;
  readonly owner: string;
  readonly at: number;
}

/** A token of the first user for the clients of a mock. Signing and verifying one takes longer than the rest of a request. */
export class ClientToken {
  #last: Signed | undefined;

  constructor(private readonly engine: Pick<MemoryServer, "tokens" | "clock" | "store" | "defaults">) {}

  /**
   * Returns the token of earlier requests while it is valid, or else a new one.
   *
   * @param rejected the token that the mock has just refused.
   */
  async get(rejected?: string): Promise<string> {
    const { tokens, clock, store, defaults } = this.engine;
    const { user, workspace } = defaults;
    const owner = [user.id, user.email, workspace.id].join(" ");
    const at = clock.now();
    const last = this.#last;
    const isUsable = last?.store === store && last.owner === owner && at >= last.at && at - last.at < maxAge;
    if (isUsable && (await last.token) !== rejected) return last.token;
    const token = tokens.user();
    this.#last = { token, store, owner, at };
    return token;
  }
}

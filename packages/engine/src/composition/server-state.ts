import { AccessTokens } from "../oauth/access-tokens.js";
import { oauthServer } from "../oauth/oauth-server.js";
import { PageGuard, newCookie } from "../oauth/page-guard.js";
import type { SignInGate } from "../oauth/sign-in-gate.js";
import { SigningKeys } from "../oauth/signing-keys.js";
import { SealedCursors } from "../request/cursors.js";
import type { Endpoint } from "../request/endpoint.js";
import { type RateLimit, readRateLimit } from "../request/limit.js";
import type { Settings } from "../request/settings.js";
import type { ServerRow } from "../request/server-rows.js";
import { VirtualClock } from "../time/clock.js";

/** What a process derives from the row that all servers of a store share. */
export interface ServerState {
  readonly row: ServerRow;
  /** The version of the row. */
  readonly version: string;
  readonly clock: VirtualClock;
  readonly cursors: SealedCursors;
  readonly tokens: AccessTokens;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Null for no limit. */
  readonly rateLimit: RateLimit | null;
}

export interface StateParts {
  readonly settings: Settings;
  /** Undefined when browsers need no key to sign in. */
  readonly gate: SignInGate | undefined;
  readonly onDefect: (error: unknown) => void;
}

/** @param previous a state whose parts are reused if the row has the same keys. */
export const serverStateOf = (
  row: ServerRow,
  version: string,
  parts: StateParts,
  previous?: ServerState,
): ServerState => {
  const limit = row.rateLimit === undefined ? parts.settings.rateLimit : row.rateLimit;
  const keyed = previous && hasSameKeys(previous.row, row) ? previous : keyedPartsOf(row, parts);
  const { cursors, tokens, endpoints } = keyed;
  return {
    row,
    version,
    clock: new VirtualClock(row.clock),
    cursors,
    tokens,
    endpoints,
    rateLimit: limit && readRateLimit(limit),
  };
};

const keyedPartsOf = (
  row: ServerRow,
  { settings, gate, onDefect }: StateParts,
): Pick<ServerState, "cursors" | "tokens" | "endpoints"> => {
  const keys = new SigningKeys(row.signingKeys);
  const tokens = new AccessTokens(keys, settings);
  const guard = new PageGuard(Buffer.from(row.formKey, "base64url"), settings.authUrl, newCookie);
  return {
    cursors: new SealedCursors(Buffer.from(row.cursorKey, "base64url")),
    tokens,
    endpoints: oauthServer({ keys, tokens, guard, gate, onDefect }),
  };
};

const hasSameKeys = (left: ServerRow, right: ServerRow): boolean =>
  left.cursorKey === right.cursorKey &&
  left.formKey === right.formKey &&
  left.signingKeys.map(({ kid }) => kid).join() === right.signingKeys.map(({ kid }) => kid).join();

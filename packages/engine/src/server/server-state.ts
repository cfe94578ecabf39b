import { AccessTokens } from "../oauth/access-tokens.js";
import { oauthServer } from "../oauth/oauth-server.js";
import { PageGuard, newCookie } from "../oauth/page-guard.js";
import type { SignInGate } from "../oauth/sign-in-gate.js";
import { SigningKeys } from "../oauth/signing-keys.js";
import { SealedCursors } from "../values/cursors.js";
import type { Endpoint } from "../context/endpoint.js";
import { type RateLimit, readRateLimit } from "../request/limit.js";
import type { Settings } from "../values/settings.js";
import type { Installed, ServerRow } from "../context/server-rows.js";
import { VirtualClock } from "../values/clock.js";

/** The values that a process derives from the row that all servers of a store share. */
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
  const keyed = previous && hasSameKeys(previous.row, row) ? previous : keyedPartsOf(row, parts);
  const { cursors, tokens, endpoints } = keyed;
  return {
    row,
    version,
    clock: new VirtualClock(row.clock),
    cursors,
    tokens,
    endpoints,
    rateLimit: rateLimitOf(row, parts.settings),
  };
};

/** Returns the limit that the control surface has set, or that of the settings; null for none. */
export const rateLimitOf = ({ rateLimit }: Installed, settings: Settings): RateLimit | null => {
  const limit = rateLimit === undefined ? settings.rateLimit : rateLimit;
  return limit && readRateLimit(limit);
};

/** The values that a process derives from the keys of a server. */
export type KeyedParts = Pick<ServerState, "cursors" | "tokens" | "endpoints">;

export const keyedPartsOf = (
  row: Pick<ServerRow, "signingKeys" | "cursorKey" | "formKey">,
  { settings, gate, onDefect }: StateParts,
): KeyedParts => {
  const keys = new SigningKeys(row.signingKeys);
  const tokens = new AccessTokens(keys, settings);
  const guard = new PageGuard(row.formKey, settings.authUrl, newCookie);
  return {
    cursors: new SealedCursors(row.cursorKey),
    tokens,
    endpoints: oauthServer({ keys, tokens, guard, gate, onDefect }),
  };
};

const hasSameKeys = (left: ServerRow, right: ServerRow): boolean =>
  left.cursorKey === right.cursorKey &&
  left.formKey === right.formKey &&
  left.signingKeys.map(({ kid }) => kid).join() === right.signingKeys.map(({ kid }) => kid).join();

import { AccessTokenService } from "../oauth/access-token-service.js";
import type { SignIn } from "../oauth/sign-in.js";
import { SigningKeys } from "../oauth/signing-keys.js";
import { SealedCursorCodec } from "../values/cursors.js";
import type { Endpoint } from "../context/endpoint.js";
import { type ResolvedRateLimit, resolveRateLimit } from "../request/rate-limit.js";
import type { Settings } from "../values/settings.js";
import type { ControlSettings, ServerRow } from "../context/server-rows.js";
import { VirtualClock } from "../values/clock.js";

/** The values that a process derives from the row that all servers of a store share. */
export interface ServerState {
  readonly row: ServerRow;
  /** The version of the row. */
  readonly version: string;
  readonly clock: VirtualClock;
  readonly cursorCodec: SealedCursorCodec;
  readonly accessTokenService: AccessTokenService;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Null means no limit. */
  readonly rateLimit: ResolvedRateLimit | null;
}

/** The dependencies for deriving the state of a server from its row. */
export interface StateDependencies {
  readonly settings: Settings;
  readonly signIn: SignIn;
  /** Returns milliseconds since 1970. Default: the clock of this machine. */
  readonly readSystemTime?: (() => number) | undefined;
  readonly onDefect: (error: unknown) => void;
}

/**
 * Creates the values that depend on the row of the server.
 *
 * @param previous a state whose parts are reused if the row has the same keys.
 */
export const deriveServerState = (
  row: ServerRow,
  version: string,
  services: StateDependencies,
  previous?: ServerState,
): ServerState => {
  const keyedParts = previous && hasSameKeys(previous.row, row) ? previous : deriveKeyedParts(row, services);
  const { cursorCodec, accessTokenService, endpoints } = keyedParts;
  return {
    row,
    version,
    clock: new VirtualClock(row.clock, services.readSystemTime),
    cursorCodec,
    accessTokenService,
    endpoints,
    rateLimit: resolveCurrentRateLimit(row, services.settings),
  };
};

/** Returns the limit that the control surface has set, or else the limit of the settings; null for none. */
export const resolveCurrentRateLimit = (
  { rateLimit }: ControlSettings,
  settings: Settings,
): ResolvedRateLimit | null => {
  const limit = rateLimit === undefined ? settings.rateLimit : rateLimit;
  return limit && resolveRateLimit(limit);
};

/** The values that a process derives from the keys of a server. */
export type KeyedParts = Pick<ServerState, "cursorCodec" | "accessTokenService" | "endpoints">;

/** Creates the parts of a server that depend on its keys. */
export const deriveKeyedParts = (
  row: Pick<ServerRow, "signingKeys" | "cursorKey" | "formKey">,
  { settings, signIn, onDefect }: StateDependencies,
): KeyedParts => {
  const keys = new SigningKeys(row.signingKeys);
  const accessTokenService = new AccessTokenService(keys, settings);
  return {
    cursorCodec: new SealedCursorCodec(row.cursorKey),
    accessTokenService,
    endpoints: signIn.createEndpoints({ keys, accessTokenService, formKey: row.formKey, settings, onDefect }),
  };
};

/** Returns whether two rows of the server have the same keys. Compares signing keys by their ids, because the id is a digest of the key. */
const hasSameKeys = (left: ServerRow, right: ServerRow): boolean =>
  left.cursorKey === right.cursorKey &&
  left.formKey === right.formKey &&
  left.signingKeys.map(({ kid }) => kid).join() === right.signingKeys.map(({ kid }) => kid).join();

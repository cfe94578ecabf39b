import type { VerifiedToken } from "./authenticate.js";
import type { AuthorizedRequest } from "./authorize.js";
import type { AnyBehavior } from "./behavior.js";
import { callOf } from "./call.js";
import type { ServerWorld } from "./server-world.js";

/** Results of the asynchronous work that the synchronous steps need. */
export interface Prepared {
  /** Access tokens in the body, by field; undefined for a token that this server did not issue. */
  readonly tokens: Readonly<Record<string, VerifiedToken | undefined>>;
  /** The result of the behavior's own preparation. */
  readonly result: unknown;
}

const nothing: Prepared = { tokens: {}, result: undefined };

/** Runs the asynchronous work of a request, so that `check` and `act` are synchronous. */
export const prepare = (
  world: ServerWorld,
  behavior: AnyBehavior,
  request: AuthorizedRequest,
): Prepared | Promise<Prepared> =>
  request.operation.secretFields.length === 0 && !behavior.prepare
    ? nothing
    : prepareAll(world, behavior, request);

const prepareAll = async (
  world: ServerWorld,
  behavior: AnyBehavior,
  request: AuthorizedRequest,
): Promise<Prepared> => {
  const tokens = await verifyTokens(world, request);
  if (!behavior.prepare) return { tokens, result: undefined };
  const plan = behavior.prepare.plan(callOf(world, request, tokens));
  return { tokens, result: await behavior.prepare.work(world.services, plan) };
};

const verifyTokens = async (
  { authenticator }: ServerWorld,
  { operation, valid }: AuthorizedRequest,
): Promise<Prepared["tokens"]> => {
  const verified = operation.secretFields.map(async (field) => {
    const token = valid.body[field];
    return [field, typeof token === "string" ? await authenticator.verify(token) : undefined] as const;
  });
  return Object.fromEntries(await Promise.all(verified));
};

import type { VerifiedToken } from "../context/authenticator.js";
import type { AuthorizedRequest } from "./authorize.js";
import type { AnyOperationHandler } from "../context/operation-handler.js";
import { createOperationCall } from "./operation-call.js";
import type { OperationEntry } from "../generated/operations.js";
import type { RequestContext } from "../context/request-context.js";

/** Results of the asynchronous work that the synchronous steps need. */
export interface Prepared {
  /** Access tokens in the body, by field; undefined for a token that this server did not issue. */
  readonly tokens: Readonly<Record<string, VerifiedToken | undefined>>;
  /** The result of the handler's own preparation. */
  readonly result: unknown;
}

/** The preparation of a request that has no asynchronous work. */
export const nothingPrepared: Prepared = { tokens: {}, result: undefined };

/** Returns whether requests to the operation have asynchronous work. */
export const needsPreparation = ({ secretFields }: OperationEntry, handler: AnyOperationHandler): boolean =>
  secretFields.length > 0 || handler.prepare !== undefined;

/** Runs the asynchronous work of a request, so that `check` and `act` are synchronous. */
export const prepare = async (
  server: RequestContext,
  handler: AnyOperationHandler,
  request: AuthorizedRequest,
): Promise<Prepared> => {
  const tokens = await verifyTokens(server, request);
  const { prepare: preparation } = handler;
  if (!preparation) return { tokens, result: undefined };
  const access = { mode: "read", locks: [request.principal.workspaceId] } as const;
  const plan = await server.transact(access, (context) =>
    preparation.plan(createOperationCall(server.authenticator, context, request, tokens)),
  );
  return { tokens, result: await preparation.work(server.services, plan) };
};

const verifyTokens = async (
  { authenticator }: RequestContext,
  { operation, valid }: AuthorizedRequest,
): Promise<Prepared["tokens"]> => {
  const verified = operation.secretFields.map(async (field) => {
    const token = valid.body[field];
    return [field, typeof token === "string" ? await authenticator.verify(token) : undefined] as const;
  });
  return Object.fromEntries(await Promise.all(verified));
};

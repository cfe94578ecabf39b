import type { VerifiedToken } from "../context/authenticator.js";
import type { AuthorizedRequest } from "./authorize.js";
import type { AnyOperationHandler } from "../context/operation-handler.js";
import { createOperationCall } from "./operation-call.js";
import type { OperationEntry } from "../generated/operations.js";
import type { RequestContext } from "../context/request-context.js";

/** Results of the asynchronous work that the synchronous steps need. */
export interface PreparationResults {
  /** Access tokens in the body, by field; undefined for a token that this server did not issue. */
  readonly tokens: Readonly<Record<string, VerifiedToken | undefined>>;
  /** The result of the handler's own preparation. */
  readonly handlerResult: unknown;
}

/** The preparation of a request that has no asynchronous work. */
export const noPreparation: PreparationResults = { tokens: {}, handlerResult: undefined };

/** Returns whether requests to the operation have asynchronous work. */
export const needsPreparation = ({ secretFields }: OperationEntry, handler: AnyOperationHandler): boolean =>
  secretFields.length > 0 || handler.prepare !== undefined;

/** Runs the asynchronous work of a request, so that `check` and `execute` are synchronous. */
export const runPreparation = async (
  requestContext: RequestContext,
  handler: AnyOperationHandler,
  request: AuthorizedRequest,
): Promise<PreparationResults> => {
  const verifiedTokens = await verifyTokens(requestContext, request);
  const { prepare: preparation } = handler;
  if (!preparation) return { tokens: verifiedTokens, handlerResult: undefined };
  const transactionOptions = { mode: "read", locks: [request.principal.workspaceId] } as const;
  const plan = await requestContext.transact(transactionOptions, (context) =>
    preparation.plan(createOperationCall(requestContext.authenticator, context, request, verifiedTokens)),
  );
  return { tokens: verifiedTokens, handlerResult: await preparation.work(requestContext.services, plan) };
};

const verifyTokens = async (
  { authenticator }: RequestContext,
  { operation, validRequest }: AuthorizedRequest,
): Promise<PreparationResults["tokens"]> => {
  const verifiedEntries = operation.secretFields.map(async (field) => {
    const token = validRequest.body[field];
    return [field, typeof token === "string" ? await authenticator.verify(token) : undefined] as const;
  });
  return Object.fromEntries(await Promise.all(verifiedEntries));
};

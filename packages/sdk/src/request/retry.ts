import { observe } from "@mgmt/internal/observers/observe";
import { createApiError } from "./error-from.js";
import { ConnectionError, removeQuery } from "../errors/local-errors.js";
import type { TransportResponse } from "../transport/transport.js";
import { authorize } from "./authorize.js";
import type { CallContext, Outcome } from "./context.js";
import type { Message } from "./encode.js";
import { pause } from "../deadlines/pause.js";
import { findFetchRejectionError } from "./rejected-by-fetch.js";
import { isCertainlyUnprocessed, canRetry, computePauseMs } from "./retry-policy.js";
import { unwrapResponse } from "./round-trip.js";
import { sendAttempt } from "./send.js";

/**
 * Continues after a first attempt that did not succeed: refreshes the credential after a 401, and sends again while that is
 * safe, can help, and the deadline allows it. `sentMessage` is the message with its credential.
 */
export const retry = async (
  context: CallContext,
  sentMessage: Message,
  firstOutcome: Outcome,
): Promise<TransportResponse> => {
  const { settings, message, attempts, deadline } = context;
  const { signal } = context.limit;
  const { maxRetries, maxRetryAfterMs, onRetry, timers } = settings;
  let outcome = await resendIfUnauthorized(context, sentMessage, firstOutcome);
  let mightBeProcessed = false;
  const rejectionError = outcome instanceof ConnectionError ? findFetchRejectionError(outcome) : undefined;
  if (rejectionError) throw rejectionError;
  for (let retryIndex = 0; retryIndex < maxRetries && canRetry(message.method, outcome); retryIndex += 1) {
    const pauseMs = computePauseMs(retryIndex, outcome, maxRetryAfterMs);
    if (pauseMs === undefined || timers.performance.now() + pauseMs >= deadline) break;
    mightBeProcessed ||= !isCertainlyUnprocessed(outcome);
    signal.throwIfAborted();
    const requestSummary = { method: message.method, url: removeQuery(message.url) };
    observe("onRetry", onRetry, { ...requestSummary, attempts: [...attempts], pauseMs });
    await pause(pauseMs, signal, timers);
    const authorizedMessage = await authorize(context);
    outcome = await resendIfUnauthorized(
      context,
      authorizedMessage,
      await sendAttempt(context, authorizedMessage, pauseMs),
    );
    // An earlier attempt whose response was lost has deleted it.
    if (mightBeProcessed && isAlreadyDeleted(message, outcome)) return { status: 204, headers: {}, body: "" };
  }
  return unwrapResponse(outcome instanceof ConnectionError ? replaceHintByReason(outcome) : outcome);
};

/** After a 401, which means that nothing was done, asks for another credential and sends once more if there is one. */
const resendIfUnauthorized = async (
  context: CallContext,
  sentMessage: Message,
  outcome: Outcome,
): Promise<Outcome> => {
  const { settings, message } = context;
  if (outcome instanceof ConnectionError || outcome.status !== 401) return outcome;
  // `authorize` returns the message itself when it adds no credential.
  if (typeof settings.token !== "function" || message === sentMessage) return outcome;
  const { authorization } = sentMessage.headers;
  const refreshedMessage = await authorize(context, authorization?.slice("Bearer ".length));
  if (refreshedMessage.headers["authorization"] === authorization) return outcome;
  return sendAttempt(context, refreshedMessage, 0);
};

const isAlreadyDeleted = (message: Message, outcome: Outcome): boolean =>
  message.method === "DELETE" &&
  !(outcome instanceof ConnectionError) &&
  outcome.status === 404 &&
  // Excludes an unknown route and a 404 of a proxy.
  /^(?!route:)\w+:not_found$/.test(createApiError(message, outcome).code);

/** Replaces the hint of an error whose reason calls for another one. */
const replaceHintByReason = (error: ConnectionError): ConnectionError => {
  const hint = findConnectionHint(error);
  return hint === undefined ? error : Object.assign(error, { hint });
};

const findConnectionHint = ({ url, reason }: ConnectionError): string | undefined => {
  // No name server knows the address of `@mgmt/mock`.
  if (/^https:\/\/[\w-]+\.mgmt\.test\//.test(url) && /^(ENOTFOUND|EAI_AGAIN)$/.test(reason)) {
    return "Nothing intercepts the requests to the mock: call mock.listen(), or create the client with mock.client().";
  }
  // The codes in https://nodejs.org/api/tls.html#x509-certificate-error-codes for an authority that is not trusted.
  if (/SELF_SIGNED_CERT|UNABLE_TO_(VERIFY_LEAF|GET_ISSUER)/.test(reason)) {
    return (
      "The authority of the certificate is not trusted. If you trust it, start the program with NODE_EXTRA_CA_CERTS set to a file with " +
      "the certificate of the authority in PEM, or pass that certificate as ca to nodeTransport()."
    );
  }
  return undefined;
};

import { errors } from "../values/errors.js";
import type { Exchange } from "./exchange.js";
import type { Fault } from "../context/fault.js";
import { type PipelineOutcome, toErrorOutcome } from "../values/message.js";
import { replaceWithPublicCode } from "./public-codes.js";
import { RequestError } from "../values/request-error.js";

/** Applies a fault to a request. `proceed` handles the request, unless the fault replaces the response. */
export const applyFault = async (
  fault: Fault,
  exchange: Exchange,
  proceed: () => PipelineOutcome | Promise<PipelineOutcome>,
): Promise<PipelineOutcome> => {
  const { latency = 0, status } = fault;
  const { cut, pause } = exchange.request;
  const isConnectionCut =
    latency > 0 && !(await (pause ? pause(latency).then(() => true) : waitUnlessCut(latency, cut)));
  if (isConnectionCut || fault.drop === "before") return { status: 0, code: null, dropped: "unsent" };
  if (status !== undefined) return createFaultOutcome({ ...fault, status }, exchange);
  const outcome = await proceed();
  if (fault.drop === undefined) return outcome;
  return { ...outcome, dropped: fault.drop === "midway" ? "midway" : "unsent" };
};

/** Waits. Returns false if the server does not wait any longer. */
const waitUnlessCut = (latency: number, cut: AbortSignal | undefined): Promise<boolean> =>
  new Promise((resolve) => {
    if (cut?.aborted) return resolve(false);
    const onCut = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      cut?.removeEventListener("abort", onCut);
      resolve(true);
    }, latency);
    cut?.addEventListener("abort", onCut, { once: true });
  });

const faultDescription = "An installed fault caused this error";

/**
 * Returns the error response of a fault. An error of the authorization server has the format of RFC 6749 section 5.2
 * (https://www.rfc-editor.org/rfc/rfc6749#section-5.2).
 */
const createFaultOutcome = (fault: Fault & { status: number }, exchange: Exchange): PipelineOutcome => {
  const { status, code, body, contentType = "text/html" } = fault;
  const { operation } = exchange;
  if (body !== undefined) {
    exchange.isOutsideContract = true;
    return { status, code: null, rawBody: { text: body, contentType } };
  }
  if (operation === undefined) {
    const bodyText = JSON.stringify({ error: code ?? "server_error", error_description: faultDescription });
    return { status, code: null, rawBody: { text: bodyText, contentType: "application/json" } };
  }
  const error = createFaultError(status, code);
  exchange.isOutsideContract = code !== undefined || !operation.responses[status]?.includes(error.code);
  // A code that the fault does not name follows the settings, as the codes of all other rejections do.
  const isPublic =
    code === undefined && exchange.isOutsideContract && exchange.context.settings.errorCodes === "public";
  return isPublic ? replaceWithPublicCode(toErrorOutcome(error), operation.id) : toErrorOutcome(error);
};

const createFaultError = (status: number, code: string | undefined): RequestError => {
  if (code !== undefined) return new RequestError({ status, code, message: faultDescription });
  if (status === 429) return errors["rate_limit:exceeded"]({ seconds: 1 });
  if (status === 500) return errors["internal:error"]();
  if (status === 503) return errors.unavailable();
  return new RequestError({ status, code: `fault:${String(status)}`, message: faultDescription });
};

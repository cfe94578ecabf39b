import { loadOnDemand } from "../load-on-demand.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Message } from "./encode.js";
import type { Open } from "./request.js";

/** What `open` finds in the body of a good answer. Throws the `ApiError` of any other answer. */
export const decode = <T>(message: Message, answer: TransportResponse, open: Open<T>): T | Promise<never> => {
  const { status, body } = answer;
  if (status < 200 || status > 299) return fail(({ errorFrom }) => errorFrom(message, answer));
  let json: unknown;
  try {
    json = body === "" ? undefined : JSON.parse(body);
  } catch {
    return fail(({ invalidResponse }) => invalidResponse(message, answer, "not JSON"));
  }
  const opened = open(json, answer);
  return opened ? opened.value : fail(({ invalidResponse }) => invalidResponse(message, answer));
};

const fail = async (make: (rest: typeof import("../on-demand.js")) => Error): Promise<never> => {
  throw make(await loadOnDemand());
};

import { loadOnDemand } from "../load-on-demand.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Message } from "./encode.js";
import type { Open } from "./request.js";

/** What `open` finds in the body of a good answer. Throws the `ApiError` of any other answer. */
export const decode = async <T>(message: Message, answer: TransportResponse, open: Open<T>): Promise<T> => {
  const { status, headers, body } = answer;
  if (status < 200 || status > 299) throw (await loadOnDemand()).errorFrom(message, answer);
  let json: unknown;
  try {
    json = body === "" ? undefined : JSON.parse(body);
  } catch {
    throw (await loadOnDemand()).invalidResponse(message, answer, "not JSON");
  }
  const opened = open(json, headers["x-request-id"]);
  if (opened) return opened.value;
  throw (await loadOnDemand()).invalidResponse(message, answer);
};

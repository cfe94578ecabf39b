import type { TransportResponse } from "../transport/transport.js";
import type { Message } from "./encode.js";
import type { Open } from "./request.js";

/** The classes of error answers come with the first such answer: the network is there, and most calls go well. */
export const loadErrors = (): Promise<typeof import("../errors/error-from.js")> =>
  import("../errors/error-from.js");

/** What `open` finds in the body of a good answer. Throws the `ApiError` of any other answer. */
export const decode = async <T>(message: Message, answer: TransportResponse, open: Open<T>): Promise<T> => {
  const { status, headers, body } = answer;
  if (status < 200 || status > 299) throw (await loadErrors()).errorFrom(message, answer);
  let json: unknown;
  let problem = body === "" ? "empty" : "not what the contract says";
  try {
    json = body === "" ? undefined : JSON.parse(body);
  } catch {
    problem = "not JSON";
  }
  const opened = problem === "not JSON" ? undefined : open(json, headers["x-request-id"]);
  if (opened) return opened.value;
  throw (await loadErrors()).invalidResponse(message, answer, problem);
};

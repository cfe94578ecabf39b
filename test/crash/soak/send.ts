import { type Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import type { ReceivedResponse } from "./check.js";
import type { GeneratedRequest } from "./requests.js";

/** Sends a request as it is, also when it is not valid. */
export const send = (base: string, { method, path, headers, body }: GeneratedRequest, agent: Agent) =>
  new Promise<ReceivedResponse>((resolve, reject) => {
    const { hostname: host, port } = new URL(base);
    // Node.js sends the body of some methods without its length unless it is given.
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const sent = request(
      { host, port, method, path, headers: { ...headers, ...length }, agent },
      (response) => {
        const { statusCode: status = 0, headers: received } = response;
        const mediaType = received["content-type"] ?? "";
        text(response).then((all) => resolve({ status, mediaType, text: all }), reject);
      },
    );
    sent.on("error", reject).end(body);
  });

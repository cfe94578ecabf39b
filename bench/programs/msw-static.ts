import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { type InProcessServer, type RecordedResponse, serveCalls } from "./calls.js";
import { processorTime } from "./processor-time.js";
import { send } from "./send.js";
import { timeRequests } from "./time-requests.js";

const baseUrl = "https://api.mgmt.test";

/** The minimum for MSW: one handler that returns the same bytes for every request. */
serveCalls<InProcessServer>({
  start: (response?: RecordedResponse) => {
    if (!response) throw new Error("The static server needs a response");
    const { status, headers, body } = response;
    setupServer(http.all(`${baseUrl}/*`, () => new HttpResponse(body, { status, headers }))).listen({
      onUnhandledRequest: "bypass",
    });
    return { baseUrl, token: "" };
  },
  send,
  time: timeRequests,
  processorTime,
});

import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { type InProcessServer, type RecordedAnswer, answerCalls } from "./calls.js";
import { processorTime } from "./processor-time.js";
import { send } from "./send.js";
import { timeRequests } from "./time-requests.js";

const baseUrl = "https://api.mgmt.test";

/** The least that MSW can do: one handler, the same bytes for every request. */
answerCalls<InProcessServer>({
  start: (answer?: RecordedAnswer) => {
    if (!answer) throw new Error("The static server needs an answer");
    const { status, headers, body } = answer;
    setupServer(http.all(`${baseUrl}/*`, () => new HttpResponse(body, { status, headers }))).listen({
      onUnhandledRequest: "bypass",
    });
    return { baseUrl, token: "" };
  },
  send,
  time: timeRequests,
  processorTime,
});

import { setupMock } from "@mgmt/mock";
import { type InProcessServer, serveCalls } from "./calls.js";
import { processorTime } from "./processor-time.js";
import { send } from "./send.js";
import { timeRequests } from "./time-requests.js";

/** The reference server as tests use it, with responses validated against the contract. */
serveCalls<InProcessServer>({
  start: async () => {
    const mock = setupMock();
    mock.listen();
    return { baseUrl: mock.baseUrl, token: await mock.tokens.user() };
  },
  send,
  time: timeRequests,
  processorTime,
});

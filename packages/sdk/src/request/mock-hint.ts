import type { ConnectionError } from "../errors/local-errors.js";

/** Says in the hint what a test lacks if the address of `@mgmt/mock`, which no name server knows, was looked up. */
export const withMockHint = (error: ConnectionError): ConnectionError =>
  /^https:\/\/[\w-]+\.mgmt\.test\//.test(error.url) && /^(ENOTFOUND|EAI_AGAIN)$/.test(error.reason)
    ? Object.assign(error, {
        hint: "Nothing intercepts the requests to the mock: call mock.listen(), or create the client with mock.client().",
      })
    : error;

import type { LoggedRequest, MemoryServer } from "@mgmt/engine";

/** Fewer equal requests in a row may have another reason. */
const minPolls = 3;

/** Returns the advice for a test that polls while the clock of its mock stands still; undefined if it does not poll. */
export const describeFrozenClock = (
  { clock }: Pick<MemoryServer, "clock">,
  requests: readonly LoggedRequest[],
): string | undefined => {
  const lastRequest = requests.at(-1);
  if (!clock.frozen || lastRequest?.method !== "GET") return undefined;
  const lastOtherIndex = requests.findLastIndex(
    ({ path, at }) => path !== lastRequest.path || at !== lastRequest.at,
  );
  const pollCount = requests.length - 1 - lastOtherIndex;
  if (pollCount < minPolls) return undefined;
  return (
    `The clock is frozen: at the end, the test sent GET ${lastRequest.path} ${String(pollCount)} times at the same time of the mock. ` +
    "Call mock.clock.advance(ms) or mock.clock.run(), or create the client with mock.client()."
  );
};

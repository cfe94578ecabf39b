import type { LoggedRequest, MemoryServer } from "@mgmt/engine";

/** Fewer equal requests in a row may have another reason. */
const minPolls = 3;

/** Returns the advice for a test that polls while the clock of its mock stands still; undefined if it does not poll. */
export const frozenClockNote = (
  { clock }: Pick<MemoryServer, "clock">,
  requests: readonly LoggedRequest[],
): string | undefined => {
  const last = requests.at(-1);
  if (!clock.frozen || last?.method !== "GET") return undefined;
  const other = requests.findLastIndex(({ path, at }) => path !== last.path || at !== last.at);
  const polls = requests.length - 1 - other;
  if (polls < minPolls) return undefined;
  return (
    `The clock is frozen: at the end, the test sent GET ${last.path} ${String(polls)} times at the same time of the mock. ` +
    "Call mock.clock.advance(ms) or mock.clock.run(), or create the client with mock.client()."
  );
};

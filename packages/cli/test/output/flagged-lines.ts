import type { Fixture } from "../operation-lines.js";
import { type Mgmt, type Result, runLine, words } from "../result.js";
import type { Session } from "../terminal.js";

/** Returns a fixture whose command lines have another flag. */
export const withFlag = (fixture: Fixture, flag: string): Fixture => {
  const flagged =
    (mgmt: Mgmt): Mgmt =>
    (strings, ...values) =>
      runLine(mgmt, [...words(strings, values), flag]);
  return { ...fixture, mgmt: flagged(fixture.mgmt), as: (...about) => flagged(fixture.as(...about)) };
};

/** Returns the requests that a run sends. */
export const recordRequests = async (
  run: () => Promise<Result>,
  { server }: Session,
): Promise<[Result, Record<string, unknown>[]]> => {
  const before = server.engine.requests.length;
  const result = await run();
  return [result, server.engine.requests.slice(before).map((request) => ({ ...request }))];
};

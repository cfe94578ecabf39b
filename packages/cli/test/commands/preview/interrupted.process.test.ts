import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../bin.js";
import { run } from "../../terminal.js";
import { type Place, usePlace } from "./place.js";

beforeAll(ensureBuilt);

// A copy does not become ready.
const place = usePlace({ settings: { lifecycle: { provisioning: 3_600_000 } } });

/** Resolves when a command that has created the copy waits for it: from then on it knows that the copy exists. */
const copyWaitedFor = async ({ session }: Place): Promise<void> => {
  const isWaitedFor = (): boolean => {
    const sent = session.server.engine.requests.map(({ operationId }) => operationId);
    const created = sent.indexOf("databases.create");
    return created >= 0 && sent.includes("databases.get", created);
  };
  while (!isWaitedFor()) await nextTurn();
};

describe("an interrupted preview", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("says so on %s, and continues later", async (signal, status) => {
    const words = ["preview", "up", "--branch", "a", "--output", "json"];
    const interrupted = await run(words, {
      env: place.env,
      cwd: place.folder,
      onStart: (child) =>
        void (async () => {
          await copyWaitedFor(place);
          child.kill(signal);
        })(),
    });
    const [, copy] = await place.databases();
    expect(interrupted).toMatchObject({ status, stdout: "" });
    expect(interrupted.stderr).toContain("preview:interrupted");
    expect(interrupted.stderr).toContain(`Database ${copy?.id ?? ""} of a exists`);
    await place.session.server.engine.states.setDatabaseStatus(copy?.id ?? "", "ready");
    const again = await place.mgmt`preview up --branch a -o json`;
    expect({ status: again.status, stderr: again.stderr }).toMatchObject({ status: 0 });
    expect(again.json).toMatchObject({ databaseId: copy?.id });
  });
});

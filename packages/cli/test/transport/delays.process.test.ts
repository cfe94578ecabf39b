import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureBuilt } from "../bin.js";
import { inPty } from "../pty.js";
import { type Session, startSession } from "../terminal.js";

let session: Session;
beforeEach(async () => {
  session = await startSession();
});
afterEach(() => session.close());

describe("standard input", () => {
  it("says what it is read for when it is a terminal", async () => {
    await ensureBuilt();
    const { seed } = session.server.engine;
    const { id } = await seed.project();
    const step = { when: /--body is read from standard input\. Type it/, type: '{"name":"typed"}\n\u0004' };
    const words = ["projects", "update", id, "--body", "-"];
    const { status } = await inPty(words, [step], session.env);
    expect({ status, name: session.server.engine.rows.projects.get(id)?.name }).toEqual({
      status: 0,
      name: "typed",
    });
  });
});

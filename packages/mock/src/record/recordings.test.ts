import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Mock, setupMock } from "@mgmt/mock";
import { record, startUpstream } from "../../test/record/recorded-service.js";

const folder = mkdtempSync(join(tmpdir(), "mgmt-record-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a recording", () => {
  it("lets the mock respond again after it ends", async () => {
    const { mock, recording, token } = await record(await startUpstream());
    await expect(mock.replay(recording.recording())).rejects.toMatchObject({ code: "mock:recording" });
    recording.stop();
    const response = await mock.fetch(`${mock.baseUrl}/v1/me`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(401);
    expect(await mock.replay(recording.recording())).toEqual([]);
  });
});

describe("a file that cannot be replayed", () => {
  const replayOf = (mock: Mock, text: string): Promise<unknown> => {
    const path = join(folder, "bad.json");
    writeFileSync(path, text);
    return mock.replay(path);
  };
  it.each([
    ["is truncated", '{"format":"mgmt-recording","ver', "it may have been truncated"],
    ["is something else", "{}", "it is not a recording"],
    ["is null", "null", "it is not a recording"],
    [
      "has another version",
      '{"format":"mgmt-recording","version":2}',
      "its version is 2, and this one reads 1",
    ],
    ["lacks its exchanges", '{"format":"mgmt-recording","version":1}', "it has no exchanges or no seeds"],
  ])("%s", async (_name, text, message) => {
    await expect(replayOf(setupMock(), text)).rejects.toMatchObject({
      code: "mock:bad_recording",
      message: expect.stringContaining(message),
    });
  });

  it("does not exist", async () => {
    await expect(setupMock().replay("nowhere.json")).rejects.toMatchObject({ code: "mock:bad_recording" });
  });
});

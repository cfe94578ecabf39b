import { describe, expect, it } from "vitest";
import { formatFault, parseFault } from "./fault.js";

describe("a fault of a rehearsal", () => {
  it.each([
    ["databases.create:503", { operation: "databases.create", status: 503, nth: 1 }],
    ["databases.create:400:12", { operation: "databases.create", status: 400, nth: 12 }],
    ["projects.list:599:1", { operation: "projects.list", status: 599, nth: 1 }],
    ["databases.create:lost:2", { operation: "databases.create", status: "lost", nth: 2 }],
  ])("is %s", async (text, fault) => {
    expect(await parseFault(text)).toEqual(fault);
    expect(formatFault(await parseFault(text))).toBe(text.split(":").length === 3 ? text : `${text}:1`);
  });

  it.each([
    ["databases.create", "operation:status"],
    ["databases.create:", "operation:status"],
    ["databases.create:503:1:1", "operation:status"],
    ["databases.creat:503", "There is no operation databases.creat."],
    ["databases.create:399", "from 400 to 599"],
    ["databases.create:600", "from 400 to 599"],
    ["databases.create:5030", "from 400 to 599"],
    ["databases.create:503:0", "at least 1"],
    ["databases.create:503:", "at least 1"],
    ["databases.create:503:1.5", "at least 1"],
  ])("is not %s", async (text, hint) => {
    await expect(parseFault(text)).rejects.toMatchObject({
      code: "usage:invalid",
      message: expect.stringContaining(JSON.stringify(text)),
      hint: expect.stringContaining(hint),
    });
  });
});

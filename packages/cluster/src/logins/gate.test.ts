import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { LoginRejectedError, loginRejections } from "../connection/login-rejected.js";
import { Gate } from "./gate.js";

const never = new AbortController().signal;
const createGate = (): Gate => new Gate("db_shop", loginRejections.creating);
const wait = (gate: Gate, { timeoutMs = 60_000, signal = never } = {}): Promise<string> =>
  gate.wait({ timeoutMs, signal });

describe("a client that waits at a gate", () => {
  it("gets the name of the database once the gate opens, and the next client waits again", async () => {
    const gate = createGate();
    const clients = [wait(gate), wait(gate)];
    gate.open();
    expect(await Promise.all(clients)).toEqual(["db_shop", "db_shop"]);
    const next = wait(gate).catch((error: unknown) => error);
    expect(await Promise.race([next, nextTurn("waits")])).toBe("waits");
    gate.reject(loginRejections.notCreated("db_shop"));
    expect(await next).toMatchObject({ code: "3D000" });
  });

  it("is refused with the error of its database when that takes too long", async () => {
    await expect(wait(createGate(), { timeoutMs: 1 })).rejects.toEqual(loginRejections.creating("db_shop"));
  });

  it.each([true, false])("ends with its own reason when it leaves, before it waits: %s", async (isEarly) => {
    const gate = createGate();
    const reason = new Error("The client has closed the connection");
    const client = new AbortController();
    if (isEarly) client.abort(reason);
    const waiting = expect(wait(gate, { signal: client.signal })).rejects.toBe(reason);
    client.abort(reason);
    await waiting;
  });

  it("makes room for the hundredth that comes later, but not for those that have left", async () => {
    const gate = createGate();
    const client = new AbortController();
    const left = wait(gate, { signal: client.signal }).catch(() => "left");
    const waiting = Array.from({ length: 99 }, () => wait(gate));
    client.abort();
    expect(await left).toBe("left");
    waiting.push(wait(gate));
    const tooMany = expect(waiting[0]).rejects.toMatchObject({ code: "53300" });
    waiting.push(wait(gate));
    await tooMany;
    gate.open();
    expect(await Promise.all(waiting.slice(1))).toEqual(Array.from({ length: 100 }, () => "db_shop"));
  });
});

it("refuses nobody at a gate without clients", () => {
  expect(() => createGate().reject(new LoginRejectedError("57P03", "closed"))).not.toThrow();
});

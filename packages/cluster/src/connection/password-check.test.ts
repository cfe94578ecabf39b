import { once } from "node:events";
import { type AddressInfo, type Socket, createServer } from "node:net";
import { DatabaseUnavailableError } from "@mgmt/engine";
import { describe, expect, it, onTestFinished } from "vitest";
import { acceptsPassword } from "./password-check.js";
import { Rejection } from "../../../platform/src/proxy/rejection.js";

// See https://www.postgresql.org/docs/current/protocol-message-formats.html
const askPassword = Buffer.from("R\0\0\0\x08\0\0\0\x03", "latin1");
const letIn = Buffer.from("R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I", "latin1");
const reject = (code: string): Buffer => new Rejection(code, "refused").encode();
/** What a server sends, or that it closes the connection. */
type Answer = Buffer | "hang up";

/**
 * Checks a password with a server that sends these answers: the first to the start of a session, the second to the password.
 * Waits until the connection is closed.
 */
const check = async (...answers: Answer[]): Promise<{ accepted: Promise<boolean>; passwords: string[] }> => {
  const passwords: string[] = [];
  const serve = (socket: Socket): void => {
    let received = 0;
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      if (bytes.toString("latin1", 0, 1) === "p") passwords.push(bytes.toString("utf8", 5, bytes.length - 1));
      const answer = answers[received];
      received += 1;
      if (answer === "hang up") socket.destroy();
      else if (answer !== undefined) socket.write(answer);
    });
  };
  const server = createServer(serve).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const connected = once(server, "connection");
  const { port } = server.address() as AddressInfo;
  const address = { host: "127.0.0.1", port, ssl: false, connectionTimeoutMillis: 30_000 };
  const accepted = acceptsPassword(address, { user: "tenant", password: "secret", database: "db" });
  const [socket] = (await connected) as [Socket];
  await Promise.all([once(socket, "close"), accepted.catch(() => undefined)]);
  return { accepted, passwords };
};

describe("a password", () => {
  it("is accepted when Postgres asks for it and starts a session", async () => {
    const { accepted, passwords } = await check(askPassword, letIn);
    expect(await accepted).toBe(true);
    expect(passwords).toEqual(["secret"]);
  });

  it("is not checked when Postgres lets the role in without asking for it", async () => {
    const { accepted, passwords } = await check(letIn);
    expect(await accepted).toBe(false);
    expect(passwords).toEqual([]);
  });

  it.each([
    ["the role has too many sessions", "53300"],
    ["the database is closed", "55000"],
    ["the database does not exist", "3D000"],
  ])("is accepted when Postgres then refuses the session because %s (%s)", async (_, code) => {
    expect(await (await check(askPassword, reject(code))).accepted).toBe(true);
  });

  it.each([
    ["the password is wrong", "28P01"],
    ["the role may not log in", "28000"],
    ["the server shuts down", "57P01"],
    ["the server starts", "57P03"],
  ])("is not accepted when Postgres then refuses the session because %s (%s)", async (_, code) => {
    expect(await (await check(askPassword, reject(code))).accepted).toBe(false);
  });

  it("is not accepted when the connection is lost before the answer", async () => {
    expect(await (await check(askPassword, "hang up")).accepted).toBe(false);
  });

  it("is not accepted from an address for which Postgres has no rule", async () => {
    expect(await (await check(reject("28000"))).accepted).toBe(false);
  });

  it.each<[string, Answer]>([
    ["starts", reject("57P03")],
    ["has no connections left", reject("53300")],
    ["hangs up", "hang up"],
  ])("cannot be checked when Postgres %s before it asks for it", async (_, answer) => {
    const { accepted } = await check(answer);
    await expect(accepted).rejects.toBeInstanceOf(DatabaseUnavailableError);
  });
});

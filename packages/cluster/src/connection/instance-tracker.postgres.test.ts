import { Socket } from "node:net";
import { Client } from "pg";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Cluster, adminPassword } from "../../../platform/test/cluster.js";
import { InstanceTracker } from "./instance-tracker.js";

const clusters = [new Cluster(), new Cluster()] as const;
let replaced: string[];
let instances: InstanceTracker;

beforeEach(() => {
  replaced = [];
  instances = new InstanceTracker((address) => replaced.push(address));
});

/** Connects to a cluster at an address that leads to it now. */
const connect = async (cluster: Cluster, port = 5432): Promise<Client> => {
  const socket = new Socket();
  const connectTo = socket.connect.bind(socket);
  socket.connect = () => connectTo(cluster.options.port, "127.0.0.1");
  const client = new Client({
    ...{ host: "127.0.0.1", port, user: "postgres", password: adminPassword, database: "postgres" },
    stream: () => socket,
  });
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
};

describe("the connections of a server", () => {
  it("end when their address leads to another instance, also those that wait for a response", async () => {
    const [idle, waiting] = [await connect(clusters[0]), await connect(clusters[0])];
    expect([await instances.register(idle), await instances.register(waiting)]).toEqual([false, false]);
    const isEnded = Promise.all(
      [idle, waiting].map((client) => new Promise((end) => client.once("end", end))),
    );
    const response = waiting.query("select pg_sleep(600)").catch((error: unknown) => String(error));
    const next = await connect(clusters[1]);
    expect(await instances.register(next)).toBe(true);
    await isEnded;
    expect(await response).toMatch("Connection terminated");
    expect(replaced).toEqual(["127.0.0.1:5432"]);
    expect((await next.query("select")).rowCount).toBe(1);
    expect(await instances.register(await connect(clusters[1]))).toBe(false);
  });

  it("do not go back to an instance that was replaced", async () => {
    await instances.register(await connect(clusters[0]));
    const next = await connect(clusters[1]);
    await instances.register(next);
    await expect(instances.register(await connect(clusters[0]))).rejects.toThrow("has replaced");
    expect((await next.query("select")).rowCount).toBe(1);
  });

  it("are refused when their instance does not respond", async () => {
    const client = await connect(clusters[0]);
    client.connection.stream.pause();
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const isRejected = expect(instances.register(client)).rejects.toThrow("timeout");
    await vi.advanceTimersByTimeAsync(5_000);
    await isRejected;
  });

  it("may lead to different instances at different addresses", async () => {
    const first = await connect(clusters[0], 5432);
    await instances.register(first);
    expect(await instances.register(await connect(clusters[1], 5433))).toBe(false);
    expect((await first.query("select")).rowCount).toBe(1);
    expect(replaced).toEqual([]);
  });
});

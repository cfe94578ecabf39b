import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, type Server, type Socket, createServer } from "node:net";
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bin, ensureBuilt } from "../../test/bin.js";
import { type Collector, startCollector } from "../../test/collector.js";
import { type Result, type RunOptions, run, useSession } from "../../test/terminal.js";

const session = useSession();
beforeAll(ensureBuilt);

const json = { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentSpanId = "b7ad6b7169203331";

const open = async (...options: Parameters<typeof startCollector>): Promise<Collector> => {
  const collector = await startCollector(...options);
  onTestFinished(() => collector.close());
  return collector;
};

const mgmt = (line: string, env: NodeJS.ProcessEnv, options: RunOptions = {}): Promise<Result> =>
  run(line.split(" "), { ...options, env: { ...session.env, ...env } });

describe("a traced command", { timeout: 25_000 }, () => {
  it("sends a span for itself and one for each request", async () => {
    const collector = await open();
    const env = { ...json, OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/otlp` };
    const { status, stdout } = await mgmt("projects create traced --no-create-database -o name", env);
    expect(status).toBe(0);
    const { path, spans, resource } = await collector.exported;
    expect(path).toBe("/otlp/v1/traces");
    expect(resource).toMatchObject({ "service.name": "mgmt", "service.version": expect.any(String) });
    const [command, ...requests] = spans;
    expect(command).toMatchObject({
      name: "mgmt projects create",
      kind: 1,
      status: { code: 0 },
      attributes: {
        "process.executable.name": "mgmt",
        "process.exit.code": 0,
        "process.command_args": expect.arrayContaining(["create", "--output", "--no-create-database"]),
      },
    });
    expect(requests.find(({ name }) => name.startsWith("POST"))).toMatchObject({
      traceId: command?.traceId,
      parentSpanId: command?.spanId,
      name: "POST /v1/projects",
      kind: 3,
      attributes: {
        "http.request.method": "POST",
        "http.response.status_code": 201,
        "url.full": `${session.server.baseUrl}/v1/projects`,
      },
    });
    expect(JSON.stringify(spans)).not.toContain("traced");
    expect(stdout).toMatch(/^proj_\w+\n$/);
  });

  it("continues the trace of a CI system, and has the code of its error as status", async () => {
    const collector = await open();
    const { status } = await mgmt("projects get proj_000000000000000000000000", {
      ...json,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/custom`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-sentry-auth=sentry sentry_key=abc,authorization=Basic%20abc%3D%3D",
      OTEL_SERVICE_NAME: "shop-ci",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=ci",
      TRACEPARENT: `00-${traceId}-${parentSpanId}-01`,
      TRACESTATE: "vendor=1",
    });
    const { path, headers, spans, resource } = await collector.exported;
    expect([status, path]).toEqual([6, "/custom"]);
    expect(headers).toMatchObject({ "x-sentry-auth": "sentry sentry_key=abc", authorization: "Basic abc==" });
    expect(resource).toMatchObject({ "service.name": "shop-ci", "deployment.environment.name": "ci" });
    expect(spans[0]).toMatchObject({
      ...{ traceId, parentSpanId, traceState: "vendor=1" },
      status: { code: 2, message: expect.stringMatching(/:not_found$/) },
      attributes: { "process.exit.code": 6, "error.type": expect.stringMatching(/:not_found$/) },
    });
    expect(spans).toContainEqual(expect.objectContaining({ traceId, status: { code: 2, message: "404" } }));
  });

  it("sends protobuf unless a protocol is named", async () => {
    const collector = await open();
    await mgmt("projects list", { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const { headers, body } = await collector.exported;
    expect(headers["content-type"]).toBe("application/x-protobuf");
    expect(body).toContain("mgmt projects list");
  });

  it("has no secret of the command line, not even one that is in the wrong place", async () => {
    const collector = await open();
    const env = { ...json, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    await mgmt(
      "api /v1/projects?token=secret-1 --header x:secret-2 secret-3 --secret-4 --tokensecret-5",
      env,
    );
    const { body } = await collector.exported;
    expect(body).not.toContain("secret");
    expect(body).toContain("usage:");
  });

  it("gives its span to the program that it runs, in place of an invalid one", async () => {
    const collector = await open();
    const env = {
      ...json,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      TRACEPARENT: "00-invalid",
      TRACESTATE: "of=it",
    };
    const created = await mgmt("projects create runner --wait -o json", {});
    const { database } = created.json as { database: { id: string } };
    const script = "console.log(JSON.stringify([process.env.TRACEPARENT,process.env.TRACESTATE]))";
    const { stdout } = await mgmt(
      `run --database-id ${database.id} -- ${process.execPath} -e ${script}`,
      env,
    );
    const [command] = (await collector.exported).spans;
    expect(JSON.parse(stdout)).toEqual([`00-${command?.traceId ?? ""}-${command?.spanId ?? ""}-01`, null]);
    expect(command?.name).toBe("mgmt run");
  });

  it("ends with the span of a command that Ctrl-C interrupts", async () => {
    const collector = await open();
    const { faults } = session.server.engine;
    faults.add({ operation: "projects.list", latency: 3_600_000, times: 1 });
    const waiting = new Promise<void>((resolve) => {
      const look = (): void => {
        if (faults.list().length === 0) resolve();
        else setTimeout(look, 5);
      };
      look();
    });
    const { status } = await mgmt(
      "projects list",
      { ...json, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
      { onStart: (child) => void waiting.then(() => child.kill("SIGINT")) },
    );
    const { spans } = await collector.exported;
    expect(status).toBe(130);
    expect(spans[0]).toMatchObject({
      attributes: { "process.exit.code": 130, "error.type": "run:interrupted" },
    });
  });

  it("says with --debug where the spans went", async () => {
    const collector = await open();
    const endpoint = collector.url.replace("//", "//user:secret@");
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
    const { stderr } = await mgmt("projects list --debug", env);
    const { headers } = await collector.exported;
    expect(stderr).toMatch(new RegExp(`^Sent 2 spans of trace [\\da-f]{32} to ${collector.url}$`, "m"));
    expect(stderr).not.toContain("secret");
    expect(headers.authorization).toBe(`Basic ${btoa("user:secret")}`);
  });

  /** As Docker does, gives the command a namespace of processes, in which it is the first one. Few systems allow everyone to. */
  const isolated = ["--pid", "--fork", "--kill-child"];
  const isAllowed = spawnSync("unshare", [...isolated, "true"]).status === 0;

  it.skipIf(!isAllowed)("has sent its trace when it ends as the first process of a container", async () => {
    const collector = await open();
    const env = { ...process.env, ...session.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const command = spawn("unshare", [...isolated, process.execPath, bin, "projects", "list"], { env });
    const hasExported = collector.exported.then(() => true);
    await once(command, "close");
    expect(await Promise.race([hasExported, Promise.resolve(false)])).toBe(true);
  });
});

/** Responds byte by byte, without end. */
const trickle = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write("x"), 100);
  response.on("close", () => clearInterval(timer));
};

describe("a command whose trace cannot be sent", () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** Returns the address of a server that accepts connections and never responds. */
  const hang = async (): Promise<string> => {
    const server = createServer().listen(0, "127.0.0.1");
    servers.push(server);
    await once(server, "listening");
    const address = server.address();
    return `http://127.0.0.1:${String(typeof address === "object" ? address?.port : "")}`;
  };

  it("has ended while a collector that hangs still has the connection", async () => {
    const collector = createServer((connection) => connection.resume()).listen(0, "127.0.0.1");
    servers.push(collector);
    await once(collector, "listening");
    const isConnected = once(collector, "connection") as Promise<[Socket]>;
    const { port } = collector.address() as AddressInfo;
    const { status, stderr } = await mgmt("projects list -o name", {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}`,
      // A command that waited for the trace would end after this.
      OTEL_EXPORTER_OTLP_TIMEOUT: "60000",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const [connection] = await isConnected;
    expect(connection).toMatchObject({ readableEnded: false, destroyed: false });
    // A response after which the process in the background does not try again.
    connection.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    await once(connection, "close");
  });

  it.each<[string, () => NodeJS.ProcessEnv | Promise<NodeJS.ProcessEnv>, string]>([
    ["hangs", async () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: await hang() }), ""],
    ["refuses", () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:secret@127.0.0.1:9" }), ""],
    ["is no address", () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: "user:secret@host" }), "trace:endpoint_invalid"],
    [
      "speaks gRPC",
      () => ({
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://:secret@127.0.0.1:9",
        OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      }),
      "trace:protocol_unsupported",
    ],
    [
      "has headers that cannot be sent",
      async () => ({
        OTEL_EXPORTER_OTLP_ENDPOINT: await hang(),
        OTEL_EXPORTER_OTLP_HEADERS: "a%0d=%0asecret,,=",
      }),
      "",
    ],
  ])("ends the same if the collector %s", async (_, createEnv, code) => {
    const env = { OTEL_EXPORTER_OTLP_TIMEOUT: "500", ...(await createEnv()) };
    const untraced = await mgmt("projects list -o json", {});
    const { status, stdout, stderr, errors } = await mgmt("projects list -o json", env);
    expect({ status, stdout }).toEqual({ status: untraced.status, stdout: untraced.stdout });
    expect(stderr).not.toContain("secret");
    expect(errors).toEqual(code === "" ? [] : [{ warning: expect.objectContaining({ code }) }]);
  });

  it.each<[string, Parameters<typeof startCollector>[0], string]>([
    ["500", (response) => response.writeHead(500, "secret").end("secret"), "status 500"],
    ["401", (response) => response.writeHead(401).end(), "status 401"],
    ["an endless response", trickle, "no response in time"],
  ])("says with --debug that the collector answers %s", async (_, respond, reason) => {
    const collector = await open(respond);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_TIMEOUT: "1000" };
    const { status, stderr } = await mgmt("projects list --debug -o json", env);
    expect(status).toBe(0);
    expect(stderr).toContain(`"code":"debug:trace_failed"`);
    expect(stderr).toContain(`could not be sent to ${collector.url} (${reason})`);
    expect(stderr).not.toContain("secret");
  });
});

import { EventEmitter } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { type TerminationSignal, getExitCodeOfSignal } from "../errors/exit-codes.js";
import { Interruption } from "./interruption.js";
import { runInProcess, type Setup } from "../../test/in-process.js";
import { shop, useProvisioning } from "../../test/provisioning.js";
import type { Result } from "../../test/result.js";
import type { Session } from "../../test/terminal.js";

const here = useProvisioning();

type Fault = Parameters<Session["server"]["engine"]["faults"]["add"]>[0];

/** Resolves when a request for the operation has reached the service, which does not respond to it. */
const unanswered = (operation: NonNullable<Fault["operation"]>): Promise<unknown> => {
  const { server } = here.session;
  server.engine.faults.add({ operation, latency: 3_600_000, times: 1 });
  return new Promise<void>((resolve) => {
    const look = (): void => {
      if (server.engine.faults.list().length === 0) resolve();
      else setTimeout(look, 5);
    };
    look();
  });
};

const run = (line: string, setup: Setup = {}): Promise<Result> =>
  runInProcess(line.split(" "), { env: here.session.env, cwd: here.folder, ...setup });

const errorOf = ({ errors }: Result): unknown => errors.at(-1);

describe.each<TerminationSignal>(["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"])("%s", (signal) => {
  const status = getExitCodeOfSignal(signal);

  it("ends a wait, and prints the result with the secrets that are shown only once", async () => {
    const interrupt = unanswered("databases.get");
    const result = await run("projects create shop --wait -o json", { interrupt, signal });
    expect(result.status).toBe(status);
    expect(result.json).toMatchObject({
      name: "shop",
      database: { status: "provisioning", connectionString: expect.stringMatching(/^postgres:/) },
    });
    expect(result.errors).toContainEqual({ notice: expect.objectContaining({ code: "wait:interrupted" }) });
  });

  it("says that a create may have been carried out, and what to run next", async () => {
    const result = await run("projects create shop --logical-id shop -o json", {
      interrupt: unanswered("projects.create"),
      signal,
    });
    expect(result).toMatchObject({ status: 8, stdout: "" });
    expect(errorOf(result)).toEqual({
      error: {
        code: "outcome:unknown",
        message: expect.stringMatching(
          /^Interrupted.* before the response arrived\. The request may have been carried out$/,
        ),
        hint: expect.stringContaining("mgmt projects ensure"),
        next: [expect.arrayContaining(["mgmt", "projects", "ensure"])],
      },
    });
  });

  it("reports an interrupted step of apply as unknown, and the steps after it as skipped", async () => {
    here.write(shop);
    const result = await run("apply --prune --file mgmt.yaml -o json", {
      interrupt: unanswered("databases.create"),
      signal,
    });
    expect(result.status).toBe(status);
    const steps = result.json as { status: string; resource: string; id: string | null; error?: object }[];
    expect(steps.map((step) => step.status)).toEqual([
      ...Array<string>(steps.findIndex((step) => step.status === "unknown")).fill("done"),
      "unknown",
      ...Array<string>(steps.filter((step) => step.status === "skipped").length).fill("skipped"),
    ]);
    expect(steps.find((step) => step.status === "unknown")).toMatchObject({
      resource: "database",
      id: null,
      error: { code: "run:interrupted" },
    });
    const done = steps.filter((step) => step.status === "done").length;
    expect(errorOf(result)).toEqual({
      error: {
        code: "run:interrupted",
        message: expect.stringMatching(
          new RegExp(`^Interrupted.*\\. ${String(done)} of ${String(steps.length)} steps were done$`),
        ),
        hint: expect.stringContaining("Run mgmt apply with the manifest again"),
        next: [["mgmt", "plan", "--file", "mgmt.yaml", "--prune"]],
      },
    });
  });

  it("stops a bulk create, and prints what was created", async () => {
    const { id } = await here.session.server.engine.seed.project();
    const interrupt = new Promise<void>((resolve) => {
      const unfollow = here.session.server.engine.followRequests(({ operationId }) => {
        if (operationId !== "databases.create") return;
        unfollow();
        void unanswered("databases.create").then(() => resolve());
      });
    });
    const stdin = '{"name":"one"}\n{"name":"two"}\n{"name":"three"}\n';
    const result = await run(`databases create --project-id ${id} --ndjson - -o json`, {
      stdin,
      interrupt,
      signal,
    });
    expect(result.status).toBe(status);
    expect(result.json).toEqual([
      expect.objectContaining({
        line: 1,
        status: "created",
        resource: expect.objectContaining({ name: "one" }),
      }),
    ]);
    expect(result.errors).toContainEqual({
      notice: {
        code: "create:interrupted",
        message: "Line 2 was interrupted and may have been carried out. Lines not attempted: 1.",
        line: 2,
      },
    });
  });
});

describe("an interruption", () => {
  it("says that nothing is unknown when no change was sent", async () => {
    await here.session.server.engine.seed.project({ name: "shop" });
    const result = await run("databases create reports --project-id shop -o json", {
      interrupt: unanswered("projects.list"),
    });
    expect(result).toMatchObject({ status: 130, stdout: "" });
    expect(errorOf(result)).toMatchObject({ error: { code: "run:interrupted" } });
  });

  it("says that an update, a delete, an ensure and a request of mgmt api may have been carried out", async () => {
    const { id } = await here.session.server.engine.seed.project();
    for (const [line, operation] of [
      [`projects update ${id} --name other`, "projects.update"],
      [`projects delete ${id} --yes`, "projects.delete"],
      [`api PATCH /v1/projects/${id} -f name=other`, "projects.update"],
      ["api POST /v1/projects -f name=other", "projects.create"],
      ["projects ensure shop --logical-id shop", "projects.create"],
    ] as const) {
      const { status, stderr } = await run(line, { interrupt: unanswered(operation) });
      expect({ line, status, stderr }).toEqual({
        line,
        status: 8,
        stderr: expect.stringMatching(/may have been carried out \(outcome:unknown\)\nhint: .*mgmt projects/),
      });
    }
  });

  it("says so for requests of commands that send several", async () => {
    const { engine } = here.session.server;
    const { id } = await engine.seed.project();
    const up = `preview up --project-id ${id} --branch feature`;
    const { status, stderr } = await run(up, { interrupt: unanswered("databases.create") });
    expect({ status, stderr }).toEqual({
      status: 8,
      stderr: expect.stringContaining("may have been carried out (outcome:unknown)"),
    });
    expect((await run(up)).status).toBe(0);
  });

  it("reports a step of apply that was not sent as skipped", async () => {
    here.write(shop);
    const result = await run("apply -o json", { interrupt: unanswered("projects.branches.list") });
    expect(result.status).toBe(130);
    const steps = result.json as { status: string }[];
    expect(new Set(steps.map((step) => step.status))).toEqual(new Set(["done", "skipped"]));
  });
});

describe("Interruption", () => {
  const start = () => {
    const host = Object.assign(new EventEmitter(), { exit: vi.fn<(code: number) => void>() });
    return { host, interruption: new Interruption(host) };
  };

  it("ends the process at the second signal, but not when npm forwards the Ctrl-C of the terminal", () => {
    const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
    const { host, interruption } = start();
    host.emit("SIGINT");
    expect(interruption.signal.aborted).toBe(true);
    now.mockReturnValue(1_100);
    host.emit("SIGINT");
    expect(host.exit).not.toHaveBeenCalled();
    now.mockReturnValue(2_000);
    host.emit("SIGTERM");
    expect(host.exit).toHaveBeenCalledExactlyOnceWith(143);
  });

  it("leaves the signals to a program that runs in the foreground", async () => {
    const { host, interruption } = start();
    const received: string[] = [];
    await interruption.delegateSignals(
      (name) => received.push(name),
      () => {
        host.emit("SIGINT");
        host.emit("SIGINT");
        host.emit("SIGHUP");
        return Promise.resolve();
      },
    );
    expect(received).toEqual(["SIGINT", "SIGINT", "SIGHUP"]);
    expect(interruption.signal.aborted).toBe(false);
    host.emit("SIGINT");
    expect(interruption.signal.aborted).toBe(true);
  });
});

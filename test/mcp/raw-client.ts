import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { serverCommand, type StdioSetup } from "./stdio-client.js";

/** What the client has sent or received, as it was on the wire. */
export type Recorder = (where: "stdin" | "stdout" | "stderr", text: string) => void;

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: { readonly structuredContent?: Record<string, unknown> };
  readonly error?: { readonly code: number; readonly message: string };
}

/** A client without a library, which sees every byte of a `mgmt mcp` in a process of its own. It has no capabilities. */
export class RawClient {
  readonly #waiting = new Map<number, (response: Message) => void>();
  readonly #messages: Message[] = [];
  readonly #closed: Promise<void>;
  #lastId = 0;

  private constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    private readonly record: Recorder,
  ) {
    this.#closed = new Promise((resolve) => child.once("close", () => resolve()));
    child.stdin.on("error", () => undefined);
    child.stderr.setEncoding("utf8").on("data", (text: string) => record("stderr", text));
    createInterface({ input: child.stdout }).on("line", (line) => {
      record("stdout", line);
      // A line that is no message breaks real clients, and so this test.
      const message = JSON.parse(line) as Message;
      this.#messages.push(message);
      if (message.method === undefined) this.#waiting.get(Number(message.id))?.(message);
      // It has no method for requests of the server, whatever it said.
      else if (message.id !== undefined)
        this.send({ id: message.id, error: { code: -32_601, message: "Method not found" } });
    });
  }

  /** Starts a server and shakes hands with it. */
  static async start(setup: StdioSetup, record: Recorder, capabilities: object = {}): Promise<RawClient> {
    const { command, args, cwd, env } = serverCommand(setup);
    const client = new RawClient(spawn(command, args, { cwd, env }), record);
    const clientInfo = { name: "raw", version: "1.0.0" };
    await client.request("initialize", { protocolVersion: "2025-06-18", capabilities, clientInfo });
    client.send({ method: "notifications/initialized" });
    return client;
  }

  send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  write(bytes: string | Buffer): void {
    this.record("stdin", String(bytes));
    this.child.stdin.write(bytes);
  }

  /** Returns the notifications of a method that have arrived. */
  notifications(method: string): { readonly params: Record<string, unknown> }[] {
    return this.#messages
      .filter((message) => message.method === method)
      .map(({ params = {} }) => ({ params }));
  }

  hasResponse(id: number): boolean {
    return this.#messages.some((message) => message.id === id);
  }

  /** Returns the response to a request that was written. If the server ends before, the response is an error. */
  response(id: number): Promise<Message> {
    const response = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    const ended = this.#closed.then(() => ({ error: { code: -32_000, message: "The server ended" } }));
    return Promise.race([response, ended]);
  }

  /** Sends a request, and returns its response. If the server ends before, the response is an error. */
  request(method: string, params: object): Promise<Message> {
    this.#lastId += 1;
    const response = this.response(this.#lastId);
    this.send({ id: this.#lastId, method, params });
    return response;
  }

  /** Calls a tool, and returns its structured result. An error of the protocol is `{ status: "protocol_error" }`. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { result, error } = await this.request("tools/call", { name, arguments: args });
    return result?.structuredContent ?? { status: "protocol_error", error };
  }

  /** Ends the server without a chance to clean up. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.#closed;
  }
}

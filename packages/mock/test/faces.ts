import { createServer } from "@mgmt/mock/server";
import { setupMock } from "@mgmt/mock";
import type { EngineOptions } from "../../engine/src/server/engine-options.js";
import type { MemoryServer } from "../../engine/src/server/memory-server.js";

export interface Sent {
  token?: string | undefined;
  headers?: Record<string, string>;
  body?: unknown;
  /** Sent instead of the JSON of `body`. */
  raw?: string | Uint8Array<ArrayBuffer>;
}

export interface Received {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined when there is none. */
  body: unknown;
  /** Error code. */
  code: string | undefined;
  issues: { path: string; message: string }[];
}

/** A reference server, called through interception or HTTP. */
export interface Face {
  readonly engine: MemoryServer;
  readonly baseUrl: string;
  send(method: string, path: string, sent?: Sent): Promise<Received>;
  close(): Promise<void>;
}

type OpenFace = (options?: EngineOptions) => Promise<Face>;

const seeded = (): EngineOptions => ({ deterministic: "engine", validateResponses: true });

const sender =
  (baseUrl: string) =>
  async (method: string, path: string, { token, headers = {}, body, raw }: Sent = {}): Promise<Received> => {
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(content !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    });
    const text = await response.text();
    const parsed: unknown = text === "" ? undefined : JSON.parse(text);
    // Every error body of the contract has this shape; other bodies have no `error`.
    const error = (parsed as { error?: { code?: string; issues?: Received["issues"] } } | undefined)?.error;
    const { status, headers: received } = response;
    return { status, headers: received, text, body: parsed, code: error?.code, issues: error?.issues ?? [] };
  };

/** Calls the server through MSW, in this process. */
export const openMock: OpenFace = (options = {}) => {
  const mock = setupMock({ ...seeded(), ...options });
  mock.listen();
  const { baseUrl } = mock;
  return Promise.resolve({ engine: mock, baseUrl, send: sender(baseUrl), close: () => mock.close() });
};

/** Calls the server through `node:http`, on a free port. */
export const openServer: OpenFace = async (options = {}) => {
  const { engine, baseUrl, close } = await createServer({ engineOptions: { ...seeded(), ...options } });
  return { engine, baseUrl, send: sender(baseUrl), close: () => close() };
};

export const faces: readonly (readonly [name: string, open: OpenFace])[] = [
  ["MSW", openMock],
  ["node:http", openServer],
];

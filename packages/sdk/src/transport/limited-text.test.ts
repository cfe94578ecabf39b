import type { ServerResponse } from "node:http";
import { PassThrough, type Readable } from "node:stream";
import { constants, createGzip } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { createClient, type FetchResponse } from "@mgmt/sdk";
import { ResponseTooLargeError } from "@mgmt/sdk/node";
import { startServer, thrown } from "../../test/server.js";

const clientOf = (baseUrl: string): ReturnType<typeof createClient> =>
  createClient({ baseUrl, token: false });

/** Writes JSON without an end, as fast as it is read. */
const writeEndless = (stream: NodeJS.WritableStream, isClosed: () => boolean): void => {
  const write = (): void => {
    while (!isClosed() && stream.write("x".repeat(100_000)));
    if (!isClosed()) stream.once("drain", write);
  };
  stream.write('{"data":"');
  write();
};

const endless: [string, (response: ServerResponse) => void][] = [
  ["without a length", (response) => writeEndless(response, () => response.destroyed)],
  [
    "with a length",
    (response) => {
      response.setHeader("content-length", 2 ** 40);
      writeEndless(response, () => response.destroyed);
    },
  ],
  [
    "compressed",
    (response) => {
      response.setHeader("content-encoding", "gzip");
      const gzip = createGzip({ level: constants.Z_BEST_SPEED });
      gzip.pipe(response);
      writeEndless(gzip, () => response.destroyed);
    },
  ],
];

/** Sends as node-fetch does: the body of a response is a stream of Node.js. */
const nodeFetch = (respond: (body: Readable) => void, headers: Record<string, string> = {}) => {
  const body = new PassThrough();
  respond(body);
  const text = async (): Promise<string> => Buffer.concat(await body.toArray()).toString();
  const response: FetchResponse = { ok: true, status: 200, headers: new Headers(headers), body, text };
  return createClient({
    baseUrl: "https://api.example.com",
    token: false,
    fetch: () => Promise.resolve(response),
  });
};

describe("a response of node-fetch", () => {
  it.each([{}, { "content-length": "23" }, { "content-encoding": "gzip" }])(
    "is read: %j",
    async (headers) => {
      const client = nodeFetch((body) => {
        for (const byte of Buffer.from('{"data":{"id":"é€😀"}}')) body.push(Buffer.of(byte));
        body.push(null);
      }, headers);
      expect(await client.me.get()).toMatchObject({ id: "é€😀" });
    },
  );

  it("is returned by asResponse() as one of the platform", async () => {
    const client = nodeFetch((body) => {
      body.push('{"data":{"id":"me"}}');
      body.push(null);
    });
    const response = await client.me.get().asResponse();
    expect(response).toBeInstanceOf(Response);
    expect(await response.json()).toEqual({ data: { id: "me" } });
  });

  it("is ended by canceling what asResponse() returned", async () => {
    let stream: Readable | undefined;
    const client = nodeFetch((body) => {
      stream = body;
      body.push("{");
    });
    const reader = (await client.me.get().asResponse()).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("{");
    await reader?.cancel();
    expect(stream?.destroyed).toBe(true);
  });

  it("fails when it is larger than 64 MiB, and is not read to its end", async () => {
    let stream: Readable | undefined;
    const client = nodeFetch((body) => {
      stream = body;
      for (let size = 0; size < 65; size += 1) body.push(Buffer.alloc(2 ** 20));
    });
    expect(await thrown(client.me.get())).toBeInstanceOf(ResponseTooLargeError);
    expect(stream?.destroyed).toBe(true);
  });

  it("fails with the error of its stream", async () => {
    const client = nodeFetch((body) => body.destroy(new Error("Premature close")));
    const error = await thrown(client.withOptions({ maxRetries: 0 }).me.get());
    expect(error).toMatchObject({ code: "connection:failed", reason: "Premature close" });
  });
});

describe("a response through the default transport", () => {
  it.each(endless)(
    "fails when it is larger than 64 MiB and is not requested again: %s",
    async (_, respond) => {
      let requests = 0;
      let isClosed = false;
      const { baseUrl } = await startServer((_request, response) => {
        requests += 1;
        response.on("close", () => (isClosed = true));
        response.setHeader("content-type", "application/json");
        respond(response);
      });
      const error = await thrown(clientOf(baseUrl).me.get());
      expect(error).toBeInstanceOf(ResponseTooLargeError);
      expect(error).toMatchObject({
        code: "response:too_large",
        message: `GET ${baseUrl}/v1/me got a response of more than 67108864 bytes`,
        hint: expect.stringContaining("nodeTransport"),
      });
      await vi.waitFor(() => expect(isClosed).toBe(true));
      expect(requests).toBe(1);
    },
  );

  it("is read when a character is split over chunks and there is no length", async () => {
    const bytes = Buffer.from('{"data":{"id":"é€😀"}}');
    const { baseUrl } = await startServer((_, response) => {
      response.setHeader("content-type", "application/json");
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end();
    });
    expect(await clientOf(baseUrl).me.get()).toMatchObject({ id: "é€😀" });
  });

  it.each(["", " ", "-1", "0x10", "1e3", "5, 5"])(
    "is limited when its length cannot be read: %j",
    async (length) => {
      const body = new Blob([new Uint8Array(2 ** 26 + 1)]).stream();
      const fetch = () => Promise.resolve(new Response(body, { headers: { "content-length": length } }));
      const client = createClient({ baseUrl: "https://api.example.com", token: false, fetch });
      expect(await thrown(client.me.get())).toBeInstanceOf(ResponseTooLargeError);
    },
  );

  it("is read from a double of fetch whose responses have no stream", async () => {
    const whole = Response.json({ data: { id: "me" } });
    const double = { status: 200, headers: whole.headers, text: () => whole.text() };
    const client = createClient({
      baseUrl: "https://api.example.com",
      token: false,
      // A double is not a whole response.
      fetch: () => Promise.resolve(double as unknown as Response),
    });
    expect(await client.me.get()).toMatchObject({ id: "me" });
  });
});

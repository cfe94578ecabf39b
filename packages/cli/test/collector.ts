import { once } from "node:events";
import { type IncomingHttpHeaders, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A span as OTLP writes it in JSON. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code: number; readonly message?: string };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** One request to the collector. */
export interface Export {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Parsed, if the body is JSON. */
  readonly spans: readonly ReceivedSpan[];
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface Collector {
  readonly url: string;
  /** The first request, once it has arrived. */
  readonly exported: Promise<Export>;
  close(): void;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, "attributes"> & {
        readonly attributes: readonly OtlpAttribute[];
      })[];
    }[];
  }[];
}

const readAttributes = (attributes: readonly OtlpAttribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));

const readValue = (value: Readonly<Record<string, unknown>>): unknown => {
  const [first] = Object.values(value);
  const { arrayValue } = value as { arrayValue?: { values: readonly Readonly<Record<string, unknown>>[] } };
  return arrayValue ? arrayValue.values.map(readValue) : first;
};

/** Starts a collector of traces. @param respond Default: it accepts everything. */
export const startCollector = async (
  respond = (response: ServerResponse): unknown => response.end("{}"),
): Promise<Collector> => {
  let resolveExport: (received: Export) => void;
  const exported = new Promise<Export>((resolve) => (resolveExport = resolve));
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const isJson = request.headers["content-type"] === "application/json";
    const { resourceSpans } = (isJson ? JSON.parse(body) : { resourceSpans: [] }) as OtlpBody;
    resolveExport({
      path: request.url ?? "",
      headers: request.headers,
      body,
      spans: resourceSpans.flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) =>
          spans.map((span) => ({ ...span, attributes: readAttributes(span.attributes) })),
        ),
      ),
      resource: readAttributes(resourceSpans[0]?.resource.attributes ?? []),
    });
    respond(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    exported,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

import type { EngineRequest, EngineResponse } from "@mgmt/engine";
import { findOperation, maskPath } from "@mgmt/engine/internal";
import * as mockErrors from "../errors/mock-errors.js";
import { SecretMask } from "./mask.js";
import type { RecordedExchange, RecordedSeed, Recording } from "./recording.js";

/** Headers that belong to one connection, or that `fetch` sets itself. */
const unforwardedHeaders = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "accept-encoding",
  "keep-alive",
  "upgrade",
  "te",
  "expect",
]);

const returnedHeaderPattern =
  /^(?:content-type|x-request-id|retry-after|ratelimit-.*|www-authenticate|location|access-control-.*)$/;

/** Passes requests on to a service, and records its responses. */
export class Recorder {
  readonly #exchanges: RecordedExchange[] = [];
  readonly #mask = new SecretMask();
  readonly #upstream: string;
  readonly #fetch: typeof fetch;

  constructor(upstream: string, send: typeof fetch) {
    this.#upstream = upstream;
    this.#fetch = send;
  }

  /**
   * Checks that the service is reachable, and that it is the API.
   *
   * @throws MockError `mock:upstream_unreachable` or `mock:upstream_not_the_api`.
   */
  async assertUpstreamIsApi(): Promise<void> {
    const response = await this.#fetch(`${this.#upstream}/v1/projects`).catch((error: unknown) => {
      throw mockErrors.upstreamUnreachable(this.#upstream, error);
    });
    const bodyText = await response.text();
    const body = parseJsonOrNull(bodyText);
    if (typeof body !== "object" || body === null || !("error" in body || "data" in body)) {
      throw mockErrors.upstreamIsNotTheApi(
        this.#upstream,
        response.status,
        response.headers.get("content-type"),
      );
    }
  }

  async handle(request: EngineRequest): Promise<EngineResponse> {
    const { method, path, body } = request;
    const startedAt = performance.now();
    try {
      const response = await this.#fetch(this.#upstream + path, {
        method,
        headers: buildForwardedHeaders(request),
        redirect: "manual",
        // Copied, because the type of the bytes allows shared memory.
        ...(body !== undefined && { body: typeof body === "string" ? body : new Uint8Array(body) }),
      });
      const bodyText = await response.text();
      this.#record(request, response.status, bodyText, performance.now() - startedAt);
      const headers = [...response.headers].filter(([name]) => returnedHeaderPattern.test(name));
      return {
        status: response.status,
        headers: Object.fromEntries(headers),
        body: bodyText === "" ? undefined : bodyText,
      };
    } catch (error) {
      const { code, message } = mockErrors.upstreamUnreachable(this.#upstream, error);
      return {
        status: 502,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ error: { code, message } }),
      };
    }
  }

  /** Returns the recording so far. */
  recording(): Recording {
    return this.#mask.maskTexts({
      format: "mgmt-recording",
      version: 1,
      upstream: new URL(this.#upstream).origin,
      recordedAt: new Date().toISOString(),
      seeds: findSeeds(this.#exchanges),
      exchanges: this.#exchanges,
    });
  }

  #record(
    { method, path, headers, body }: EngineRequest,
    status: number,
    bodyText: string,
    latency: number,
  ): void {
    const [pathname = "", search = ""] = path.split("?", 2);
    const operation = findOperation(method, pathname);
    if (!operation) return;
    const credential = String(headers["authorization"] ?? "");
    this.#mask.add(credential.replace(/^\w+\s+/, ""));
    const response = parseJsonOrNull(bodyText);
    this.#exchanges.push({
      operationId: operation.id,
      method,
      path: maskPath(pathname) + (search === "" ? "" : `?${search}`),
      body: this.#mask.maskFields(
        parseJsonOrNull(body === undefined ? "" : new TextDecoder().decode(toBytes(body))),
      ),
      authorized: credential !== "",
      status,
      code: getErrorCode(response),
      response: this.#mask.maskFields(response),
      latency: Math.round(latency),
    });
  }
}

const toBytes = (body: Uint8Array | string): Uint8Array =>
  typeof body === "string" ? new TextEncoder().encode(body) : body;

/** Parses a string as JSON; returns null if it is not valid. */
const parseJsonOrNull = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
};

/** Returns the code of an error body; null if there is none. */
export const getErrorCode = (body: unknown): string | null => {
  if (typeof body !== "object" || body === null || !("error" in body)) return null;
  const { error } = body;
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : null;
};

const buildForwardedHeaders = ({ headers }: EngineRequest): Headers => {
  const forwardedHeaders = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !unforwardedHeaders.has(name))
      forwardedHeaders.set(name, [value].flat().join(", "));
  }
  return forwardedHeaders;
};

const seedKindsInOrder: readonly RecordedSeed["kind"][] = [
  "workspace",
  "project",
  "branch",
  "database",
  "connection",
];

/** Returns the resources that no recorded request created, in the order in which they can be created. */
const findSeeds = (exchanges: readonly RecordedExchange[]): RecordedSeed[] => {
  const seenIds = new Set<string>();
  const seeds: RecordedSeed[] = [];
  for (const { method, response, status } of exchanges) {
    if (status >= 300 || typeof response !== "object" || response === null || !("data" in response)) continue;
    for (const resource of [response.data].flat()) {
      if (typeof resource !== "object" || resource === null || !("id" in resource && "type" in resource))
        continue;
      const { id, type } = resource;
      const kind = seedKindsInOrder.find((name) => name === type);
      if (kind === undefined || typeof id !== "string" || seenIds.has(id)) continue;
      seenIds.add(id);
      if (method === "GET") seeds.push({ kind, id, resource: { ...resource } });
    }
  }
  return seeds.sort(
    (left, right) => seedKindsInOrder.indexOf(left.kind) - seedKindsInOrder.indexOf(right.kind),
  );
};

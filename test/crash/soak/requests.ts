import type { Contract, Operation } from "../../../scripts/generate/contract/contract.js";
import { idPrefixes } from "../../../packages/engine/src/generated/ids.js";
import { isRecord } from "../request.js";
import type { Random } from "../random.js";
import { Values, oddValues } from "./values.js";

export interface GeneratedRequest {
  /** Undefined for a request that is not meant for an operation of the contract. */
  operation: Operation | undefined;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Ids that are kept of each kind. */
const maxIds = 40;
/** Number of characters: with the first, a request is still within the limit of its headers; with the second, it is not. */
const largeSizes = [40_000, 70_000];
const oddIds = ["UPPER", "with-hyphen", "wrong_prefix", "%20", "%2e%2e", "%00", "a".repeat(129), "__proto__"];
const oddPaths = ["/", "/v1", "/v1/", "/v2/projects", "/v1/projects/%zz", "/v1//projects", "/%", "/token"];
const oddMethods = ["PUT", "OPTIONS", "HEAD", "TRACE", "PROPFIND"];
const oddAuthorizations = ["Bearer", "Bearer x", "Basic eDp5", "\t"];
const oddMediaTypes = ["text/plain", "application/json; charset=latin1", "application/x-www-form-urlencoded"];

/** Generates requests about the resources that the responses have named. */
export class Requests {
  readonly #values: Values;
  readonly #ids = new Map<string, string[]>();

  constructor(
    private readonly contract: Contract,
    private readonly random: Random,
    private readonly tokens: readonly string[],
  ) {
    this.#values = new Values(contract, random, (kind) => this.#idOf(kind));
  }

  /** Remembers the ids of all resources in a response. */
  learn(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.learn(item);
    if (!isRecord(value)) return;
    for (const item of Object.values(value)) this.learn(item);
    const { id } = value;
    if (typeof id !== "string") return;
    const [kind] = Object.entries(idPrefixes).find(([, prefix]) => id.startsWith(prefix)) ?? [];
    if (kind === undefined) return;
    const ids = this.#ids.get(kind) ?? [];
    this.#ids.set(kind, ids);
    if (!ids.includes(id)) ids[ids.length < maxIds ? ids.length : this.random.below(maxIds)] = id;
  }

  next(): GeneratedRequest {
    const { random } = this;
    const operation = random.pick(this.contract.operations);
    if (random.chance(2)) return this.#odd(random.pick(oddMethods), operation.path);
    if (random.chance(2)) return this.#odd("POST", random.pick(oddPaths));
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = operation.pathParameters.find((candidate) => candidate.name === name);
      const kind = parameter && this.contract.resolve(parameter.schema)["x-id-kind"];
      return random.chance(5) ? random.pick(oddIds) : this.#idOf(kind ?? "");
    });
    const headers = {
      ...this.#headers(operation.body !== undefined),
      ...(random.chance(1) && { "x-large": "a".repeat(random.pick(largeSizes)) }),
    };
    const body = this.#body(operation);
    return { operation, method: operation.method, path: path + this.#query(operation), headers, body };
  }

  /** Returns a request that no operation is for. */
  #odd(method: string, path: string): GeneratedRequest {
    const body = JSON.stringify(this.random.pick(oddValues));
    return { operation: undefined, method, path, headers: this.#headers(true), body };
  }

  #idOf(kind: string): string {
    const prefixes: Readonly<Record<string, string>> = idPrefixes;
    const id = this.random.chance(5) ? undefined : this.random.oneOf(this.#ids.get(kind) ?? []);
    return id ?? `${prefixes[kind] ?? ""}${"0".repeat(24)}`;
  }

  #query({ queryParameters }: Operation): string {
    const fields = queryParameters
      .filter(({ required }) => required || this.random.chance(20))
      .map(({ name, schema }): [string, string] => {
        const value = this.#values.of(schema, 10);
        return [name, typeof value === "string" ? value : JSON.stringify(value)];
      });
    if (this.random.chance(3)) fields.push(["unknown", "1"]);
    if (this.random.chance(1)) fields.push(["large", "a".repeat(this.random.pick(largeSizes))]);
    const text = new URLSearchParams(fields).toString();
    return text === "" ? "" : `?${text}`;
  }

  #headers(hasBody: boolean): Record<string, string> {
    const { random } = this;
    const authorization = random.chance(2)
      ? random.pick(oddAuthorizations)
      : `Bearer ${random.pick(this.tokens)}`;
    return {
      ...(!random.chance(2) && { authorization }),
      ...(hasBody && {
        "content-type": random.chance(3) ? random.pick(oddMediaTypes) : "application/json",
      }),
    };
  }

  #body({ body, id }: Operation): string | undefined {
    const { random } = this;
    if (body === undefined || random.chance(2)) return undefined;
    if (random.chance(1)) return "[".repeat(random.below(50_000));
    const value =
      id === "projects.transfer" && random.chance(60)
        ? { recipientAccessToken: random.pick(this.tokens) }
        : this.#values.of(body.schema, random.chance(70) ? 0 : 10);
    const text = JSON.stringify(value);
    return random.chance(4) ? text.slice(0, random.below(text.length)) : text;
  }
}

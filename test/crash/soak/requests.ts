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

const oddIds = ["UPPER", "with-hyphen", "wrong_prefix", "%20", "%2e%2e", "%00", "a".repeat(129), "__proto__"];

const oddPaths = ["/", "/v1", "/v1/", "/v2/projects", "/v1/projects/%zz", "/v1//projects", "/%", "/token"];

/** Number of characters: with the first, a request is still within the limit of its headers; with the second, it is not. */
const largeSizes = [40_000, 70_000] as const;

const oddMethods = ["PUT", "OPTIONS", "HEAD", "TRACE", "PROPFIND"];

/** Generates requests about the resources that the responses have named. */
export class Requests {
  readonly #contract: Contract;
  readonly #random: Random;
  readonly #tokens: readonly string[];
  readonly #values: Values;
  readonly #ids = new Map<string, string[]>();

  constructor(contract: Contract, random: Random, tokens: readonly string[]) {
    this.#contract = contract;
    this.#random = random;
    this.#tokens = tokens;
    this.#values = new Values(contract, random, (kind) => this.#idOf(kind));
  }

  /** Remembers the ids of all resources in a response. */
  learn(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.learn(item);
    if (!isRecord(value)) return;
    for (const item of Object.values(value)) this.learn(item);
    const { id } = value;
    const kind =
      typeof id === "string" && Object.entries(idPrefixes).find(([, prefix]) => id.startsWith(prefix))?.[0];
    if (typeof id !== "string" || typeof kind !== "string") return;
    const known = this.#ids.get(kind) ?? [];
    this.#ids.set(kind, known);
    if (known.includes(id)) return;
    if (known.length < maxIds) known.push(id);
    else known[this.#random.below(maxIds)] = id;
  }

  next(): GeneratedRequest {
    if (this.#random.next() < 0.04) return this.#odd();
    const operation = this.#random.pick(this.#contract.operations);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = operation.pathParameters.find((each) => each.name === name);
      const kind = parameter && this.#contract.resolve(parameter.schema)["x-id-kind"];
      return this.#random.next() < 0.05 ? this.#random.pick(oddIds) : this.#idOf(kind ?? "");
    });
    return {
      operation,
      method: operation.method,
      path: path + this.#query(operation),
      headers: {
        ...this.#authorization(),
        ...(operation.body && { "content-type": this.#mediaType() }),
        ...(this.#random.next() < 0.01 && { "x-large": "a".repeat(this.#random.pick(largeSizes)) }),
      },
      body: operation.body && this.#body(operation),
    };
  }

  #idOf(kind: string): string {
    const known = this.#ids.get(kind) ?? [];
    const unknown = `${Object.entries(idPrefixes).find(([name]) => name === kind)?.[1] ?? ""}${"0".repeat(24)}`;
    return known.length === 0 || this.#random.next() < 0.05 ? unknown : this.#random.pick(known);
  }

  #query({ queryParameters }: Operation): string {
    const fields = queryParameters
      .filter(({ required }) => required || this.#random.next() < 0.2)
      .map(({ name, schema }): [string, string] => {
        const value = this.#values.of(schema, 0.1);
        return [name, typeof value === "string" ? value : JSON.stringify(value)];
      });
    if (this.#random.next() < 0.03) fields.push(["unknown", "1"]);
    if (this.#random.next() < 0.01) fields.push(["large", "a".repeat(this.#random.pick(largeSizes))]);
    const text = new URLSearchParams(fields).toString();
    return text === "" ? "" : `?${text}`;
  }

  #authorization(): Record<string, string> {
    const chance = this.#random.next();
    if (chance < 0.02) return {};
    if (chance < 0.04)
      return { authorization: this.#random.pick(["Bearer", "Bearer x", "Basic eDp5", "\t"]) };
    return { authorization: `Bearer ${this.#random.pick(this.#tokens)}` };
  }

  #mediaType(): string {
    return this.#random.next() < 0.97
      ? "application/json"
      : this.#random.pick([
          "text/plain",
          "application/json; charset=latin1",
          "application/x-www-form-urlencoded",
        ]);
  }

  #body({ body, id }: Operation): string | undefined {
    const chance = this.#random.next();
    if (body === undefined || chance < 0.02) return undefined;
    const value =
      id === "projects.transfer" && chance < 0.6
        ? { recipientAccessToken: this.#random.pick(this.#tokens) }
        : this.#values.of(body.schema, chance < 0.7 ? 0 : 0.1);
    const text = JSON.stringify(value);
    if (chance > 0.99) return "[".repeat(this.#random.below(50_000));
    return chance > 0.95 ? text.slice(0, this.#random.below(text.length)) : text;
  }

  /** Returns a request that no operation is for. */
  #odd(): GeneratedRequest {
    const operation = this.#random.pick(this.#contract.operations);
    const isOddMethod = this.#random.next() < 0.5;
    return {
      operation: undefined,
      method: isOddMethod ? this.#random.pick(oddMethods) : "POST",
      path: isOddMethod ? operation.path : this.#random.pick(oddPaths),
      headers: { ...this.#authorization(), "content-type": this.#mediaType() },
      body: JSON.stringify(this.#random.pick(oddValues)),
    };
  }
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { type DevProcess, startDevOf } from "../security/dev-process.js";
import type { NodeVersion } from "./installed-command.js";

/** A workspace of its own, and the token of its owner. */
export interface Tenant {
  readonly workspaceId: string;
  readonly userId: string;
  readonly token: string;
  /** Ids of what it has, by what it is. */
  readonly ids: Readonly<Record<string, string>>;
}

type Json = Readonly<Record<string, unknown>>;

/** Times are shown as "3 days ago" for half a day. */
const ageOfDataMs = 84 * 3_600_000;
/** Shown as "in 1 month" for some days. */
const monthMs = 40 * 86_400_000;

/** `mgmt dev` of the installed command, whose data seems to be three days old. */
export class Service {
  readonly #dev: DevProcess;
  readonly #secret: string;

  private constructor(dev: DevProcess) {
    this.#dev = dev;
    this.#secret = readFileSync(dev.ready.controlSecretFile, "utf8").trim();
  }

  static async start({ folder }: NodeVersion): Promise<Service> {
    const commands = inject("commandFolder");
    const path = [folder, commands, process.env["PATH"]].join(":");
    const service = new Service(await startDevOf([join(commands, "mgmt")], [], path));
    await service.control("POST", "/clock/set", { time: new Date(Date.now() - ageOfDataMs).toISOString() });
    return service;
  }

  get baseUrl(): string {
    return this.#dev.ready.baseUrl;
  }

  get controlUrl(): string {
    return this.#dev.ready.controlUrl;
  }

  get controlSecretFile(): string {
    return this.#dev.ready.controlSecretFile;
  }

  /** Sends a request to the control surface. Returns what it responds, or an empty object. */
  async control(method: string, path: string, body?: Json): Promise<Json> {
    const headers = { "x-mgmt-control-secret": this.#secret, "content-type": "application/json" };
    return this.#send(`${this.controlUrl}${path}`, method, headers, body);
  }

  /** Sends a request to the API. Returns the data of the response. */
  async api(token: string, method: string, path: string, body?: Json): Promise<Json> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const { data } = await this.#send(`${this.baseUrl}/v1${path}`, method, headers, body);
    // Every operation of the API that the tests call has an object there.
    return data as Json;
  }

  /** Creates a resource with the seed route of its kind. Returns its id. */
  async seed(kind: string, fields: Json): Promise<string> {
    const created = await this.control("POST", `/seed/${kind}`, fields);
    // An integration comes with its client.
    const { id } = (created["integration"] ?? created) as { id: string };
    return id;
  }

  /** Creates a workspace with its owner, whose token is valid for a month. */
  async createTenant(name: string): Promise<Tenant> {
    const { workspace, user } = await this.control("POST", "/tenants", { name });
    // The control surface describes both as objects with an id.
    const [{ id: workspaceId }, { id: userId }] = [workspace, user] as [{ id: string }, { id: string }];
    const expiresAt = new Date(Date.now() + monthMs).toISOString();
    const { token } = await this.control("POST", "/tokens", { kind: "user", userId, workspaceId, expiresAt });
    return { workspaceId, userId, token: String(token), ids: {} };
  }

  stop(): Promise<void> {
    return this.#dev.stop();
  }

  async #send(url: string, method: string, headers: Record<string, string>, body?: Json): Promise<Json> {
    const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${url}: ${String(response.status)} ${text}`);
    return text === "" ? {} : (JSON.parse(text) as Json);
  }
}

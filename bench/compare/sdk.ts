import type { IncomingHttpHeaders } from "node:http";

/** What is compared: a client, and calls that every SDK has in some form. */
export interface Sdk<Client = unknown> {
  readonly name: string;
  /** What a user names in `npm install`. */
  readonly packages: readonly string[];
  /** A module, and an export of it. */
  readonly import: readonly [specifier: string, exported: string];
  /** Sources of programs in TypeScript. */
  readonly programs: Readonly<Record<Program, string>>;
  client(baseUrl: string, token: string, options?: object): Client;
  list(client: Client, options?: object): Promise<unknown>;
  create(client: Client, options?: object): Promise<unknown>;
  /** Creates something that must exist once, in the way that the SDK has for it. */
  createOnce(client: Client): Promise<unknown>;
  get(client: Client, id: string, options?: object): Promise<unknown>;
  /** Absent if the SDK leaves paging to the program. */
  iterate?(client: Client): AsyncIterable<unknown>;
  /**
   * Returns a page of the service's lists; `next` is the cursor of the next page, if there is one. `{baseUrl}` in a header stands for the
   * URL of the server.
   */
  page(ids: readonly string[], next?: string): Reply;
  /** Returns a service that works as the SDK's own does, at least for `createOnce`. */
  service(): Service;
  /** The body of a response to `create`. */
  readonly created: object;
  /** Returns the body of a response that contains a secret. */
  secret(value: string): object;
  /** Returns the body of a response to a failed request. */
  failure(code: string): object;
  codeOf(error: object): unknown;
  /** Returns the client option for the number of retries. Absent if the SDK never sends a request again. */
  retriesOption?(value: unknown): object;
  /** How a program gets a database that is ready. Absent if the service has no databases. */
  readonly connect?: Connect<Client>;
  /** Returns the default deadline of a request in milliseconds, if the client can be asked for it. */
  deadline?(client: Client): number;
  /** Runs a test of a list that gets two 503s as a user would write it, and returns its milliseconds. Default: with a local server. */
  withRetriedList?(): Promise<number>;
}

export interface Connect<Client> {
  /** Returns the bodies of the responses: to the create, and to two polls. The database is ready in the last one. */
  bodies(connectionString: string): readonly object[];
  /** Creates a project, waits until its database is ready, and returns the connection string. */
  run(client: Client): Promise<string>;
}

export type Program = "oneCall" | "everything" | "create" | "wrongField" | "wrongCode";

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Service {
  respond(request: ReceivedRequest): Promise<Reply> | Reply;
  /** Returns how many things were created. */
  created(): number;
}

export const ours = "mgmt";
export const peers = ["prisma", "neon", "stripe", "openai", "octokit"] as const;

/** Loads an SDK by the name of its file in `sdks/`. */
export const loadSdk = async (file: string): Promise<Sdk> => {
  // The files are JavaScript, because the packages that they import are not installed with this repository.
  const { sdk } = (await import(new URL(`sdks/${file}.js`, import.meta.url).href)) as { sdk: Sdk };
  return sdk;
};

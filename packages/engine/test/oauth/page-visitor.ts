import { request as httpRequest } from "node:http";

export interface Visited {
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
}

/**
 * Visits pages like a browser: stores the cookie, and submits forms with their hidden fields from the page's
 * origin.
 */
export class PageVisitor {
  cookie: string | undefined;
  #page = "";
  #address = "";

  constructor(readonly origin: string) {}

  send(
    method: string,
    path: string,
    headers: Record<string, string | undefined> = {},
    body = "",
  ): Promise<Visited> {
    const all = { ...(this.cookie !== undefined && { cookie: this.cookie }), ...headers };
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    return new Promise((resolve, reject) => {
      const sent = httpRequest(this.origin + path, { method, headers: given }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const { statusCode = 0, headers: received } = response;
          const flat = Object.entries(received).map(([name, value]) => [name, [value].flat().join("; ")]);
          resolve({
            status: statusCode,
            headers: Object.fromEntries(flat) as Record<string, string>,
            text: Buffer.concat(chunks).toString(),
          });
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  async open(path: string, headers: Record<string, string> = {}): Promise<Visited> {
    const visited = await this.send("GET", path, headers);
    this.#show(path, visited);
    return visited;
  }

  /** Submits the open page with a button and these fields. `headers` replaces the browser's own headers. */
  async submit(
    fields: Record<string, string>,
    headers: Record<string, string | undefined> = {},
  ): Promise<Visited> {
    const hidden = [...this.#page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const form = new URLSearchParams([
      ...hidden.map(([, name = "", value = ""]) => [name, unescape(value)]),
      ...Object.entries(fields),
    ]);
    const [, action = ""] = /<form method="post" action="([^"]*)"/.exec(this.#page) ?? [];
    const path = unescape(action);
    const own = {
      origin: this.origin,
      "sec-fetch-site": "same-origin",
      "content-type": "application/x-www-form-urlencoded",
    };
    const visited = await this.send("POST", path, { ...own, ...headers }, form.toString());
    this.#show(path, visited);
    return visited;
  }

  /** URL of the open page. */
  get address(): string {
    return this.#address;
  }

  #show(address: string, { status, headers, text }: Visited): void {
    if (status !== 200) return;
    this.#page = text;
    this.#address = address;
    const set = headers["set-cookie"];
    if (set) this.cookie = set.split(";", 1)[0];
  }
}

const unescape = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

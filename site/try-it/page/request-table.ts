import type { Mock } from "@mgmt/mock";
import { element } from "./elements.js";

type LoggedRequest = Mock["requests"][number];

const mostRows = 100;

/** The latest requests, newest first. */
export class RequestTable {
  readonly #rows = element("tbody");
  readonly #count = element("span", {}, "0");
  readonly element: HTMLElement;

  constructor() {
    const heads = ["Request", "Response"].map((text) => element("th", { scope: "col" }, text));
    const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), this.#rows);
    this.element = element(
      "section",
      { class: "try-requests", "aria-label": "Requests" },
      element("p", { class: "try-label" }, "Requests: ", this.#count),
      element(
        "div",
        { class: "try-scroll", tabindex: "0", role: "group", "aria-label": "Request log" },
        table,
      ),
    );
  }

  add({ method, path, status, code, duration }: LoggedRequest): void {
    const failed = status === null || status >= 400;
    const outcome = [status === null ? "connection lost" : String(status), code ?? ""].join(" ").trim();
    this.#rows.prepend(
      element(
        "tr",
        {},
        element("td", {}, element("code", {}, `${method} ${path}`)),
        element("td", failed ? { class: "try-failed" } : {}, `${outcome}, ${duration.toFixed(1)} ms`),
      ),
    );
    while (this.#rows.children.length > mostRows) this.#rows.lastElementChild?.remove();
    this.#count.textContent = String(Number(this.#count.textContent) + 1);
  }

  clear(): void {
    this.#rows.replaceChildren();
    this.#count.textContent = "0";
  }
}

import type { Failure, Printed } from "../messages.js";
import { element } from "./elements.js";

/** What a program prints, and how it fails. */
export class Output {
  readonly #lines = element("div", {
    class: "try-lines",
    role: "log",
    "aria-label": "Output",
    tabindex: "0",
  });
  readonly #status = element("span", { role: "status" });
  readonly element = element(
    "section",
    { class: "try-output", "aria-label": "Result" },
    element("p", { class: "try-label" }, "Output ", this.#status),
    this.#lines,
  );

  status(text: string): void {
    this.#status.textContent = text;
  }

  print({ level, text }: Printed): void {
    this.#lines.append(element("pre", { class: `try-${level}` }, text));
    this.#lines.scrollTop = this.#lines.scrollHeight;
  }

  fail({ name, code, message, hint, line }: Failure): void {
    const title = [code ?? name, ...(line === undefined ? [] : [`in line ${String(line)}`])].join(" ");
    this.#lines.append(
      element(
        "div",
        { class: "try-failure" },
        element("strong", {}, title),
        element("p", {}, message),
        ...(hint === undefined ? [] : [element("p", {}, "Hint: ", hint)]),
      ),
    );
    this.#lines.scrollTop = this.#lines.scrollHeight;
  }

  clear(): void {
    this.#lines.replaceChildren();
    this.status("");
  }
}

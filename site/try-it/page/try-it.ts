import { type Mock, setupMock } from "@mgmt/mock";
import { openEditor } from "./editor.js";
import { button, element } from "./elements.js";
import { readProgram } from "./imports.js";
import { Output } from "./output.js";
import { runProgram } from "./program-run.js";
import { otherPrograms } from "./programs.js";
import { RequestTable } from "./request-table.js";

export interface TryItOptions {
  /** The program of the README. */
  readonly program: string;
  /** URL of the built `worker/runner.ts`. */
  readonly runner: URL;
}

type Fault = Parameters<Mock["faults"]["add"]>[0];

const faults: Readonly<Record<string, Fault>> = {
  "503 Service Unavailable": { status: 503 },
  "429 Too Many Requests": { status: 429 },
  "Lost connection": { drop: "after" },
};

const moves: Readonly<Record<string, number>> = {
  "+1 minute": 60_000,
  "+1 hour": 3_600_000,
};

/** Shows an editor that runs programs against a mock in the page. Returns a function that ends what runs. */
export const mountTryIt = async (
  root: HTMLElement,
  { program, runner }: TryItOptions,
): Promise<() => void> => {
  if (!isSecureContext) {
    throw new Error(
      `${location.origin} is not a secure context, so it cannot run programs. Open the page at https: or at localhost.`,
    );
  }
  const mock = setupMock({ settings: { lifecycle: { provisioning: 30_000 } } });
  // The clock may be moved while a program runs.
  const newToken = (): Promise<string> => mock.tokens.user({ expiresAt: "8000-01-01T00:00:00Z" });
  let token = await newToken();
  const output = new Output();
  const requests = new RequestTable();
  mock.followRequests((request) => requests.add(request));
  const programs: Readonly<Record<string, string>> = { "The README's program": program, ...otherPrograms };

  let stop: (() => void) | undefined;
  const end = (status: string): void => {
    stop?.();
    stop = undefined;
    stopButton.disabled = true;
    output.status(status);
  };
  const run = (): void => {
    end("");
    output.clear();
    const read = readProgram(editor.text());
    if (!("source" in read)) {
      output.fail(read);
      return end("Failed");
    }
    output.status("Running");
    stopButton.disabled = false;
    const { baseUrl, authUrl } = mock;
    stop = runProgram({ program: read, baseUrl, authUrl, token }, mock, runner, {
      print: (printed) => output.print(printed),
      end: (failure) => {
        if (failure === undefined) return output.status("Done");
        output.fail(failure);
        end("Failed");
      },
    });
  };
  const reset = async (): Promise<void> => {
    end("");
    output.clear();
    for (const each of faultButtons) each.setAttribute("aria-pressed", "false");
    editor.setText(programs[choice.value] ?? program);
    await mock.reset();
    token = await newToken();
    requests.clear();
    showTime();
  };
  const move = async (milliseconds: number): Promise<void> => {
    await mock.clock.advance(milliseconds);
    showTime();
  };

  const choice = element(
    "select",
    { "aria-label": "Program" },
    ...Object.keys(programs).map((title) => element("option", {}, title)),
  );
  choice.addEventListener("change", () => editor.setText(programs[choice.value] ?? program));
  const stopButton = button("Stop", () => end("Stopped"), { disabled: "" });
  const time = element("time");
  const showTime = (): void => {
    time.dateTime = new Date(mock.clock.now()).toISOString();
    time.textContent = `${time.dateTime.slice(0, 19).replace("T", " ")} UTC`;
  };
  const faultButtons = Object.entries(faults).map(([text, fault]) => {
    let id = "";
    const toggle = button(
      text,
      () => {
        const isOn = toggle.getAttribute("aria-pressed") === "true";
        if (isOn) mock.faults.remove(id);
        else ({ id } = mock.faults.add(fault));
        toggle.setAttribute("aria-pressed", String(!isOn));
      },
      { "aria-pressed": "false" },
    );
    return toggle;
  });
  const place = element("div", { class: "try-editor" });
  root.append(
    element(
      "div",
      { class: "try-it" },
      element(
        "div",
        { class: "try-bar" },
        button("Run", run, { class: "try-run", title: "Ctrl-Enter, or Cmd-Enter on a Mac" }),
        stopButton,
        button("Reset", () => void reset()),
        choice,
      ),
      place,
      output.element,
      group("Clock", [time, ...Object.entries(moves).map(([text, ms]) => button(text, () => void move(ms)))]),
      group("Faults", faultButtons),
      requests.element,
    ),
  );
  const editor = openEditor(place, run);
  editor.setText(program);
  showTime();
  const timer = setInterval(showTime, 1_000);
  return () => {
    clearInterval(timer);
    end("");
  };
};

const group = (label: string, parts: readonly HTMLElement[]): HTMLElement =>
  element(
    "div",
    { class: "try-bar", role: "group", "aria-label": label },
    element("span", { class: "try-label" }, label),
    ...parts,
  );

import type { WorkerMock } from "@mgmt/mock/browser";

type Fault = Parameters<WorkerMock["faults"]["add"]>[0];

/** What a visitor can switch on. */
const faults: Readonly<Record<string, Fault>> = {
  "Responses take 2 seconds": { latency: 2_000 },
  "Half of all requests fail": { probability: 0.5, status: 503 },
  "No database can be created": {
    operation: "databases.create",
    status: 409,
    code: "database:limit_reached",
  },
  "The service is down": { drop: "before" },
};

const shownRequests = 8;

/** Shows a panel with the faults and the latest requests of a mock. */
export const showPanel = (mock: WorkerMock): void => {
  const panel = document.createElement("aside");
  panel.setAttribute("aria-labelledby", "mock");
  panel.innerHTML = `
    <h2 id="mock">The service is in this page</h2>
    <p>Its data survives a reload, and ends with the tab.</p>
    <fieldset><legend>Faults</legend></fieldset>
    <button type="button">Start over</button>
    <h3>Latest requests</h3>
    <ol></ol>`;
  panel.querySelector("fieldset")?.append(...Object.entries(faults).map(switchOf(mock)));
  panel.querySelector("button")?.addEventListener("click", () => void startOver(mock));
  const requests = panel.querySelector("ol");
  mock.followRequests(({ method, path, status }) => {
    const row = document.createElement("li");
    row.append(element("code", `${method} ${path}`), " ", element("b", String(status ?? "cut")));
    requests?.prepend(row);
    requests?.children[shownRequests]?.remove();
  });
  document.body.append(panel);
};

/** Returns a function that creates the switch of a fault. */
const switchOf =
  (mock: WorkerMock) =>
  ([name, fault]: [string, Fault]): HTMLLabelElement => {
    const box = element("input");
    box.type = "checkbox";
    let id: string | undefined;
    box.addEventListener("change", () => {
      if (id === undefined) ({ id } = mock.faults.add(fault));
      else {
        mock.faults.remove(id);
        id = undefined;
      }
    });
    const label = element("label");
    label.append(box, ` ${name}`);
    return label;
  };

const startOver = async (mock: WorkerMock): Promise<void> => {
  await mock.reset();
  location.reload();
};

const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text = "",
): HTMLElementTagNameMap[Name] => Object.assign(document.createElement(name), { textContent: text });

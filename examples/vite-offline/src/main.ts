import { type MgmtClient, MgmtError } from "@mgmt/sdk";
import { connect } from "./service.js";

const find = <E extends Element>(id: string, type: new () => E): E => {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new TypeError(`The page has no #${id}`);
  return element;
};
const form = find("sign-up", HTMLFormElement);
const nameField = find("name", HTMLInputElement);
const list = find("customers", HTMLUListElement);
const status = find("status", HTMLParagraphElement);

/** Not awaited here: until the form has a listener, a sign-up would load the page again. */
const connection = connect();

let reports = 0;

/** Shows what the page does while it does it, and then the result, or why it failed, unless the page does something else by then. */
const report = async (what: string, work: (client: MgmtClient) => Promise<string>): Promise<void> => {
  const number = (reports += 1);
  const show = (text: string, className = ""): void => {
    if (number === reports) Object.assign(status, { textContent: text, className });
  };
  show(what);
  try {
    show(await work(await connection));
  } catch (error) {
    if (!(error instanceof MgmtError)) throw error;
    // Messages and hints contain no secret.
    show(`${error.message}. ${error.hint ?? ""}`, "failed");
  }
};

/** Lists the customers with the status of their databases. */
const showCustomers = async (client: MgmtClient): Promise<string> => {
  const [projects, databases] = await Promise.all([
    client.projects.list().toArray({ limit: 100 }),
    client.databases.list().toArray({ limit: 100 }),
  ]);
  const rows = projects.map(({ id, name }) => {
    const database = databases.find(({ project }) => project.id === id);
    const row = document.createElement("li");
    const state = Object.assign(document.createElement("span"), {
      className: database?.status ?? "none",
      textContent: database?.status ?? "no database",
    });
    row.append(Object.assign(document.createElement("b"), { textContent: name }), state);
    return row;
  });
  list.replaceChildren(...rows);
  return projects.length === 0 ? "There are no customers yet." : "";
};

/** Gives a customer a project with a database. A sign-up that was interrupted continues when it is repeated. */
const signUp = async (client: MgmtClient, name: string): Promise<string> => {
  const project = await client.projects.ensure({ logicalId: name, name, createDatabase: false });
  const projectId = project.resource.id;
  await showCustomers(client);
  const database = await client.databases.ensure({ projectId, logicalId: "main", region: "inherit" });
  await showCustomers(client);
  await client.databases.waitUntilReady(database.resource.id, { timeoutMs: 60_000 });
  await showCustomers(client);
  return project.created ? `The database of ${name} is ready.` : `${name} is a customer already.`;
};

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const name = nameField.value;
  form.reset();
  void report(`Signing ${name} up …`, (client) => signUp(client, name));
});
// Not awaited: the mock loads the SDK, which some builds put into the file of this module. Each would wait for the other.
void report("Loading …", showCustomers);

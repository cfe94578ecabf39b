import { MgmtError, createClient } from "@mgmt/sdk";
import { finishPendingLogin, logIn } from "./login.js";

// Every visitor can read these variables, so none of them may be a secret.
const {
  VITE_MGMT_BASE_URL: baseUrl = "http://127.0.0.1:4300",
  VITE_MGMT_AUTH_URL: authUrl = baseUrl,
  VITE_MGMT_CLIENT_ID: clientId = "itgr_examplevitelogin",
} = import.meta.env;
const settings = { authUrl, clientId };

const find = <E extends Element>(id: string, type: new () => E): E => {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new TypeError(`The page has no #${id}`);
  return element;
};
const button = find("login", HTMLButtonElement);
const list = find("projects", HTMLUListElement);
const status = find("status", HTMLParagraphElement);

/** Shows why something failed. Messages and hints contain no secret. */
const showFailure = (error: unknown): void => {
  if (!(error instanceof MgmtError)) throw error;
  status.textContent = `${error.message} ${error.hint ?? ""}`;
  button.hidden = false;
};

/** Lists the visitor's projects, or offers a login. */
const showProjects = async (): Promise<void> => {
  const token = await finishPendingLogin(settings);
  if (!token) {
    button.hidden = false;
    return;
  }
  const projects = await createClient({ baseUrl, token }).projects.list().toArray({ limit: 100 });
  list.append(
    ...projects.map(({ name }) => Object.assign(document.createElement("li"), { textContent: name })),
  );
  if (projects.length === 0) status.textContent = "You have no projects.";
};

button.addEventListener("click", () => void logIn(settings).catch(showFailure));
await showProjects().catch(showFailure);

import { MgmtError, createClient } from "@mgmt/sdk";
import { currentLogin, logIn, logOut } from "./login.js";

// Every visitor can read these variables, so none of them may be a secret.
const {
  VITE_MGMT_BASE_URL: baseUrl = "http://127.0.0.1:4300",
  VITE_MGMT_AUTH_URL: authUrl = baseUrl,
  VITE_MGMT_CLIENT_ID: clientId = "itgr_examplevitelogin",
} = import.meta.env;
// The same for every page of the app: a service knows only the addresses that were registered.
const redirectUri = new URL(import.meta.env.BASE_URL, location.origin).href;
const settings = { authUrl, clientId, redirectUri };

const find = <E extends Element>(id: string, type: new () => E): E => {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new TypeError(`The page has no #${id}`);
  return element;
};
const logInButton = find("login", HTMLButtonElement);
const logOutButton = find("logout", HTMLButtonElement);
const list = find("projects", HTMLUListElement);
const status = find("status", HTMLParagraphElement);

/** Offers a login, or the end of one. */
const showButton = (isLoggedIn: boolean): void => {
  logInButton.hidden = isLoggedIn;
  logOutButton.hidden = !isLoggedIn;
};

/** Shows why something failed. Messages and hints contain no secret. */
const showFailure = (error: unknown): void => {
  if (!(error instanceof MgmtError)) throw error;
  status.textContent = `${error.message}. ${error.hint ?? ""}`;
};

/** Lists the visitor's projects, if somebody is logged in. */
const showProjects = async (): Promise<void> => {
  const token = await currentLogin(settings);
  showButton(token !== undefined);
  if (!token) return;
  const projects = await createClient({ baseUrl, token }).projects.list().toArray({ limit: 100 });
  list.replaceChildren(
    ...projects.map(({ name }) => Object.assign(document.createElement("li"), { textContent: name })),
  );
  if (projects.length === 0) status.textContent = "You have no projects.";
};

const endLogin = async (): Promise<void> => {
  list.replaceChildren();
  showButton(false);
  await logOut(settings);
  status.textContent = "You are logged out.";
};

showButton(false);
logInButton.addEventListener("click", () => void logIn(settings).catch(showFailure));
logOutButton.addEventListener("click", () => void endLogin().catch(showFailure));
await showProjects().catch(showFailure);

import type { MemoryServer } from "@mgmt/engine";

/** The cookie of the mock's sign-in session. A page can neither read it from a `Response` nor send it with a `Request`. */
let sessionCookie: string | undefined;

/**
 * Opens a page of the authorization server instead of the app, and the pages that its links and forms lead to.
 *
 * @param reportError called when a page cannot be opened.
 * @param form the fields of the form that is sent to the page. Default: none.
 */
export const openPage = async (
  mock: MemoryServer,
  url: URL,
  reportError: (error: unknown) => void,
  form?: FormData,
): Promise<void> => {
  const { headers, body, dropped } = await mock.handle({
    method: form ? "POST" : "GET",
    path: url.pathname + url.search,
    headers: {
      cookie: sessionCookie,
      "content-type": form ? "application/x-www-form-urlencoded" : undefined,
    },
    body: form ? encodeForm(form) : undefined,
  });
  sessionCookie = headers["set-cookie"]?.split(";", 1)[0] ?? sessionCookie;
  const redirectTarget = headers["location"];
  if (redirectTarget !== undefined) return navigateTo(redirectTarget);
  if (!headers["content-type"]?.startsWith("text/html"))
    return showPage(createTextPage(dropped ? "The connection was closed." : (body ?? "")));
  const page = new DOMParser().parseFromString(body ?? "", "text/html");
  interceptNavigation(page.documentElement, (target, submittedForm) => {
    openPage(mock, new URL(target, url), reportError, submittedForm).catch(reportError);
  });
  showPage(page);
};

const encodeForm = (form: FormData): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of form) if (typeof value === "string") parameters.append(name, value);
  return parameters.toString();
};

const createTextPage = (content: string): Document => {
  const page = document.implementation.createHTMLDocument();
  page.body.textContent = content;
  return page;
};

/**
 * Follows links and forms without a navigation, which a test that drives the browser would wait for. The listeners of the app, which
 * are still there, do not see them.
 */
const interceptNavigation = (
  root: HTMLElement,
  openTarget: (target: string, form?: FormData) => void,
): void => {
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopPropagation();
    const form = event.target;
    if (form instanceof HTMLFormElement)
      openTarget(form.getAttribute("action") ?? "", new FormData(form, event.submitter));
  });
  root.addEventListener("click", (event) => {
    event.stopPropagation();
    const link = event.target instanceof Element && event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    openTarget(link.getAttribute("href") ?? "");
  });
};

const navigateTo = (target: string): void => {
  if (new URL(target).origin !== location.origin) return location.replace(target);
  // A router of the app may keep the document in any other navigation to the app.
  history.replaceState(null, "", target);
  location.reload();
};

const showPage = (page: Document): void => {
  // The content security policy of the app may forbid style elements, but it does not apply to constructed style sheets.
  const sheet = new CSSStyleSheet();
  for (const style of page.querySelectorAll("style")) {
    sheet.replaceSync(style.textContent);
    style.remove();
  }
  document.adoptedStyleSheets = [sheet];
  document.documentElement.replaceWith(page.documentElement);
  scrollTo(0, 0);
};

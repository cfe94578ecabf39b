import { buildCspSource } from "./csp-source.js";
import { Html, html } from "./html.js";
import { renderLayout } from "./layout.js";

/** Why the last key was not accepted. */
export type KeyProblem = "wrong" | "too_many";

const problemTexts: Readonly<Record<KeyProblem, string>> = {
  wrong: "This is not the sign-in key. A new one is made each time the server starts.",
  too_many: "Too many wrong keys were sent. Check the key before you try again.",
};

/**
 * Sends the key in the fragment of the URL, as `#signInKey=…`. Fragments are not sent to servers and not part of
 * referrers; the script also removes it from the address bar.
 */
const keyScript = `
const key = new URLSearchParams(location.hash.slice(1)).get("signInKey");
if (key) {
  history.replaceState(null, "", location.pathname + location.search);
  const form = document.forms[0];
  form.elements.signInKey.value = key;
  form.submit();
}
`;

/** The hash that allows this script, and no other, in the content security policy. */
export const keyScriptCspSource = buildCspSource(keyScript);

/** The content of the element must match the digest in the content security policy exactly. */
const scriptElement = new Html(`<script>${keyScript}</script>`);

/** Renders the page that asks for the sign-in key. `pagePath` is the path and query of the page that follows. */
export const renderKeyPage = (pagePath: string, problem?: KeyProblem): string =>
  renderLayout(
    "Sign-in key",
    html`<h1>Enter the sign-in key</h1>
      <p class="quiet">Only the person who started this server can sign in.</p>
      <form method="post" action="${pagePath}">
        <label class="field" for="signInKey">Sign-in key</label>
        <input
          class="text"
          type="password"
          id="signInKey"
          name="signInKey"
          autocomplete="off"
          spellcheck="false"
          required
          autofocus
          ${problem === undefined ? "" : html`aria-invalid="true" aria-describedby="problem"`}
        />
        ${problem === undefined ? [] : html`<p class="problem small" id="problem">${problemTexts[problem]}</p>`}
        <div class="buttons"><button class="button primary">Continue</button></div>
      </form>
      <p class="note quiet small">
        <code>mgmt dev</code> prints the key in its terminal and keeps it in the file that it calls
        <code>signInKeyFile</code>. Enter it only if you started the sign-in yourself.
      </p>
      ${scriptElement}`,
  );

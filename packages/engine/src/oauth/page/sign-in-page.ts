import type { UserRow } from "../../store/rows.js";
import { html } from "./html.js";
import { layout } from "./layout.js";
import { accountLines, face } from "./account.js";

const chevron = html`<svg viewBox="0 0 18 18" aria-hidden="true">
  <path
    d="m7 4 5 5-5 5"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
  />
</svg>`;

/** The values that the forms of both pages use. */
export interface FormParts {
  /** URL of this authorization request, to which the form is submitted. */
  readonly action: string;
  readonly token: string;
  readonly clientName: string;
}

/**
 * Renders the first page, on which the user chooses an account. Accounts have no passwords, because only this
 * machine can reach the server.
 */
export const signInPage = ({ action, token, clientName }: FormParts, users: readonly UserRow[]): string =>
  layout(
    "Sign in",
    html`<h1>Sign in</h1>
      <p class="quiet">to continue to <strong>${clientName}</strong></p>
      <form method="post" action="${action}">
        <input type="hidden" name="csrf" value="${token}" />
        <h2 id="accounts">Choose an account</h2>
        <ul class="rows" aria-labelledby="accounts">
          ${users.map(
            (user) =>
              html`<li>
                <button class="row" name="user" value="${user.id}">
                  ${face(user)} ${accountLines(user)} ${chevron}
                </button>
              </li>`,
          )}
        </ul>
        <div class="buttons"><button class="button" name="decision" value="deny">Cancel</button></div>
      </form>
      <p class="note quiet small">This server runs on your machine, and its accounts have no passwords.</p>`,
  );

import type { UserRow } from "../../store/rows.js";
import { fragmentScript } from "./fragment-script.js";
import { html } from "./html.js";
import { layout } from "./layout.js";
import { accountLines, avatar } from "./account.js";
import { type FormParts, form, strokeIcon } from "./form.js";

const chevron = strokeIcon("m7 4 5 5-5 5");

/**
 * Renders the first page, on which the user chooses an account. Accounts have no passwords, because only this
 * machine can reach the server.
 *
 * @param mayHaveKey Whether the address of the page may contain the sign-in key, which is then removed.
 */
export const signInPage = (parts: FormParts, users: readonly UserRow[], mayHaveKey: boolean): string =>
  layout(
    "Sign in",
    html`<h1>Sign in</h1>
      <p class="quiet">to continue to <strong>${parts.clientName}</strong></p>
      ${form(
        parts,
        html`<h2 id="accounts">Choose an account</h2>
          <ul class="rows" aria-labelledby="accounts">
            ${users.map(
              (user) =>
                html`<li>
                  <button class="row" name="user" value="${user.id}">
                    ${avatar(user)} ${accountLines(user)} ${chevron}
                  </button>
                </li>`,
            )}
          </ul>
          <div class="buttons"><button class="button" name="decision" value="deny">Cancel</button></div>`,
      )}
      <p class="note quiet small">This server runs on your machine, and its accounts have no passwords.</p>
      ${mayHaveKey ? fragmentScript : []}`,
  );

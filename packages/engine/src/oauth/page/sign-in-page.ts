import type { UserRow } from "../../store/rows.js";
import { fragmentScriptElement } from "./fragment-script.js";
import { html } from "./html.js";
import { renderLayout } from "./layout.js";
import { renderAccountLines, renderAvatar } from "./account.js";
import { type FormValues, renderForm, renderStrokeIcon } from "./form.js";

const chevronIcon = renderStrokeIcon("m7 4 5 5-5 5");

/**
 * Renders the first page, on which the user chooses an account. Accounts have no passwords, because only this
 * machine can reach the server.
 *
 * @param mightHaveKey whether the address of the page may contain the sign-in key, which is then removed.
 */
export const renderSignInPage = (
  formValues: FormValues,
  users: readonly UserRow[],
  mightHaveKey: boolean,
): string =>
  renderLayout(
    "Sign in",
    html`<h1>Sign in</h1>
      <p class="quiet">to continue to <strong>${formValues.clientName}</strong></p>
      ${renderForm(
        formValues,
        html`<h2 id="accounts">Choose an account</h2>
          <ul class="rows" aria-labelledby="accounts">
            ${users.map(
              (user) =>
                html`<li>
                  <button class="row" name="user" value="${user.id}">
                    ${renderAvatar(user)} ${renderAccountLines(user)} ${chevronIcon}
                  </button>
                </li>`,
            )}
          </ul>
          <div class="buttons"><button class="button" name="decision" value="deny">Cancel</button></div>`,
      )}
      <p class="note quiet small">This server runs on your machine, and its accounts have no passwords.</p>
      ${mightHaveKey ? fragmentScriptElement : []}`,
  );

import { adminScope } from "../../values/principal.js";
import type { UserRow, WorkspaceRow } from "../../store/rows.js";
import { offlineScope } from "../scopes.js";
import { accountLines, avatar } from "./account.js";
import { type FormParts, form, strokeIcon } from "./form.js";
import { type Html, html } from "./html.js";
import { layout } from "./layout.js";

export interface ConsentParts extends FormParts {
  readonly user: UserRow;
  readonly workspaces: readonly WorkspaceRow[];
  readonly scopes: readonly string[];
  /** Where the browser is redirected after the decision: an origin or a scheme. */
  readonly destination: string;
}

const check = strokeIcon("m4 9.5 3.5 3.5L14 5.5", "yes");

const explanations: Readonly<Record<string, { does: string; how: string }>> = {
  [adminScope]: {
    does: "Manage the whole workspace",
    how: "Projects, databases and their passwords, apps, service tokens",
  },
  [offlineScope]: { does: "Stay signed in", how: "It can keep working while you are away" },
};

const scopeRow = (scope: string): Html =>
  html`<li class="row">
    ${check}
    <span
      ><strong>${explanations[scope]?.does ?? scope}</strong>
      <small>${explanations[scope]?.how ?? ""}</small></span
    >
  </li>`;

const workspaceRow = (workspace: WorkspaceRow, isOnly: boolean): Html =>
  html`<label class="row">
    <input type="radio" name="workspace" value="${workspace.id}" required ${isOnly ? "checked" : ""} />
    <span><strong>${workspace.name}</strong> <small>${workspace.id}</small></span>
  </label>`;

/** Renders the second page, on which the user chooses a workspace and allows or denies access. */
export const consentPage = (parts: ConsentParts): string => {
  const { action, clientName, user, workspaces, scopes, destination } = parts;
  const allow = html`<button class="button primary" name="decision" value="allow">Allow</button>`;
  return layout(
    `Allow ${clientName}`,
    html`<h1>${clientName} asks for access to a workspace</h1>
      <div class="rows signed-in">
        <div class="row account">
          ${avatar(user)} ${accountLines(user)}
          <a class="small" href="${action}">Switch account</a>
        </div>
      </div>
      ${form(
        parts,
        html`<input type="hidden" name="user" value="${user.id}" />
          ${
            workspaces.length === 0
              ? html`<p class="problem">You are not a member of a workspace.</p>`
              : html`<fieldset>
                  <legend>Workspace</legend>
                  <div class="rows">
                    ${workspaces.map((workspace) => workspaceRow(workspace, workspaces.length === 1))}
                  </div>
                </fieldset>`
          }
          <section aria-labelledby="scopes">
            <h2 id="scopes">It will be able to</h2>
            <ul class="rows">
              ${scopes.map(scopeRow)}
            </ul>
          </section>
          <div class="buttons">
            ${workspaces.length === 0 ? [] : allow}
            <button class="button" name="decision" value="deny" formnovalidate>Deny</button>
          </div>`,
      )}
      <p class="note quiet small">
        Allow this only if you started it yourself. You will be sent to <code>${destination}</code>.
      </p>`,
  );
};

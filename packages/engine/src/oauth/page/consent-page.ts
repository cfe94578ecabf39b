import { adminScope } from "../../values/principal.js";
import type { UserRow, WorkspaceRow } from "../../store/rows.js";
import { offlineScope } from "../scopes.js";
import { renderAccountLines, renderAvatar } from "./account.js";
import { type FormValues, renderForm, renderStrokeIcon } from "./form.js";
import { type Html, html } from "./html.js";
import { renderLayout } from "./layout.js";

/** The data of the page that asks a user for consent. */
export interface ConsentPageData extends FormValues {
  readonly user: UserRow;
  readonly workspaces: readonly WorkspaceRow[];
  readonly scopes: readonly string[];
  /** Where the browser is redirected after the decision: an origin or a scheme. */
  readonly destination: string;
}

const checkIcon = renderStrokeIcon("m4 9.5 3.5 3.5L14 5.5", "yes");

const scopeExplanations: Readonly<Record<string, { title: string; description: string }>> = {
  [adminScope]: {
    title: "Manage the whole workspace",
    description: "Projects, databases and their passwords, apps, service tokens",
  },
  [offlineScope]: { title: "Stay signed in", description: "It can keep working while you are away" },
};

const renderScope = (scope: string): Html =>
  html`<li class="row">
    ${checkIcon}
    <span
      ><strong>${scopeExplanations[scope]?.title ?? scope}</strong>
      <small>${scopeExplanations[scope]?.description ?? ""}</small></span
    >
  </li>`;

const renderWorkspace = (workspace: WorkspaceRow, isOnly: boolean): Html =>
  html`<label class="row">
    <input type="radio" name="workspace" value="${workspace.id}" required ${isOnly ? "checked" : ""} />
    <span><strong>${workspace.name}</strong> <small>${workspace.id}</small></span>
  </label>`;

/** Renders the second page, on which the user chooses a workspace and allows or denies access. */
export const renderConsentPage = (pageData: ConsentPageData): string => {
  const { action, clientName, user, workspaces, scopes, destination } = pageData;
  const allowButton = html`<button class="button primary" name="decision" value="allow">Allow</button>`;
  return renderLayout(
    `Allow ${clientName}`,
    html`<h1>${clientName} asks for access to a workspace</h1>
      <div class="rows signed-in">
        <div class="row account">
          ${renderAvatar(user)} ${renderAccountLines(user)}
          <a class="small" href="${action}">Switch account</a>
        </div>
      </div>
      ${renderForm(
        pageData,
        html`<input type="hidden" name="user" value="${user.id}" />
          ${
            workspaces.length === 0
              ? html`<p class="problem">You are not a member of a workspace.</p>`
              : html`<fieldset>
                  <legend>Workspace</legend>
                  <div class="rows">
                    ${workspaces.map((workspace) => renderWorkspace(workspace, workspaces.length === 1))}
                  </div>
                </fieldset>`
          }
          <section aria-labelledby="scopes">
            <h2 id="scopes">It will be able to</h2>
            <ul class="rows">
              ${scopes.map(renderScope)}
            </ul>
          </section>
          <div class="buttons">
            ${workspaces.length === 0 ? [] : allowButton}
            <button class="button" name="decision" value="deny" formnovalidate>Deny</button>
          </div>`,
      )}
      <p class="note quiet small">
        Allow this only if you started it yourself. You will be sent to <code>${destination}</code>.
      </p>`,
  );
};

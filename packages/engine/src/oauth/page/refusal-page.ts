import { html } from "./html.js";
import { layout } from "./layout.js";

export interface RefusalParts {
  readonly title: string;
  /** What happened. */
  readonly reason: string;
  /** What to do. */
  readonly hint: string;
  /** Error code, for those who ask why. */
  readonly code: string;
  /** Address at which to begin again, where that makes sense. */
  readonly retry?: string;
}

/** What cannot be told to the client, because it is not known to be one. */
export const refusalPage = ({ title, reason, hint, code, retry }: RefusalParts): string =>
  layout(
    title,
    html`<h1>${title}</h1>
      <p>${reason}.</p>
      <p>${hint}.</p>
      ${retry === undefined ? [] : html`<p><a href="${retry}">Begin again</a></p>`}
      <p class="note quiet small">Error <code>${code}</code></p>`,
  );

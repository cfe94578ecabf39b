import { html } from "./html.js";
import { renderLayout } from "./layout.js";

/** The content of the page for an authorization request that cannot continue. */
export interface RejectionPageData {
  readonly title: string;
  /** What happened. */
  readonly reason: string;
  /** The next step for the user. */
  readonly hint: string;
  /** Error code, shown at the bottom of the page. */
  readonly code: string;
  /** URL of the link that starts over. Omitted when starting over would not help. */
  readonly retryUrl?: string;
}

/** Renders an error that is shown to the user instead of being sent to the client. */
export const renderRejectionPage = ({ title, reason, hint, code, retryUrl }: RejectionPageData): string =>
  renderLayout(
    title,
    html`<h1>${title}</h1>
      <p>${reason}.</p>
      <p>${hint}.</p>
      ${retryUrl === undefined ? [] : html`<p><a href="${retryUrl}">Start again</a></p>`}
      <p class="note quiet small">Error <code>${code}</code></p>`,
  );

import { type Html, html } from "./html.js";

/** The values that the forms of both pages use. */
export interface FormValues {
  /** URL of this authorization request, to which the form is submitted. */
  readonly action: string;
  readonly token: string;
  readonly clientName: string;
}

/** Renders a form with the token that protects it from other sites. */
export const renderForm = ({ action, token }: FormValues, content: Html): Html =>
  html`<form method="post" action="${action}">
    <input type="hidden" name="csrf" value="${token}" />
    ${content}
  </form>`;

/** Renders an icon of 18 by 18 from the outline of a path. */
export const renderStrokeIcon = (path: string, className = ""): Html =>
  html`<svg class="${className}" viewBox="0 0 18 18" aria-hidden="true">
    <path
      d="${path}"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>`;

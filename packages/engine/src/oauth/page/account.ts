import type { UserRow } from "../../store/rows.js";
import { type Html, html } from "./html.js";

/** Renders a round avatar with the user's initials. */
export const renderAvatar = ({ name, email }: UserRow): Html => {
  const words = (name ?? email).trim().split(/\s+/);
  const [firstWord = "", lastWord = ""] = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  const initials = [firstWord, lastWord].map((word) => [...word][0] ?? "").join("");
  return html`<span class="avatar" aria-hidden="true">${initials.toUpperCase()}</span>`;
};

/** Renders the name and email address of a user, or only the address if there is no name. */
export const renderAccountLines = ({ name, email }: UserRow): Html =>
  name === null
    ? html`<span><strong>${email}</strong></span>`
    : html`<span><strong>${name}</strong> <small>${email}</small></span>`;

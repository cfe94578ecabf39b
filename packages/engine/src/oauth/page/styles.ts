import { buildCspSource } from "./csp-source.js";

/** Colors have a contrast ratio of at least 4.5 to 1 in both the light and the dark scheme. */
export const styles = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f8; --card: #ffffff; --text: #14171f; --quiet: #555d6b; --line: #d6dae2;
  --hover: #f4f6fb; --accent: #3043cf; --on-accent: #ffffff; --accent-hover: #2435ad; --danger: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1015; --card: #161a21; --text: #e8eaf0; --quiet: #a4acba; --line: #2e3541;
    --hover: #1d222b; --accent: #a3aeff; --on-accent: #10131c; --accent-hover: #bcc4ff; --danger: #ff9c92;
  }
}
*, *::before, *::after { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center;
  background: var(--ground); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  padding: clamp(1rem, 6vh, 4.5rem) 1rem 2rem; overflow-wrap: anywhere;
}
header { display: flex; align-items: center; gap: .625rem; margin-bottom: 1.25rem; font-weight: 650; }
header svg { width: 1.75rem; height: 1.75rem; flex: none; }
header span { font-weight: 400; font-size: .875rem; color: var(--quiet); border-left: 1px solid var(--line); padding-left: .625rem; }
main {
  width: 100%; max-width: 27rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
  padding: clamp(1.25rem, 5vw, 2rem); box-shadow: 0 1px 2px rgb(0 0 0 / .05), 0 12px 32px rgb(0 0 0 / .06);
}
h1 { font-size: 1.375rem; line-height: 1.3; letter-spacing: -.01em; margin: 0 0 .375rem; text-wrap: balance; }
h2, legend { font-size: .8125rem; font-weight: 600; color: var(--quiet); margin: 0 0 .5rem; padding: 0; }
p { margin: 0 0 1rem; }
.quiet { color: var(--quiet); }
.small { font-size: .875rem; }
ul { list-style: none; margin: 0; padding: 0; }
form { margin: 0; }
fieldset { border: 0; margin: 0 0 1.25rem; padding: 0; min-width: 0; }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.rows { border: 1px solid var(--line); border-radius: .75rem; overflow: hidden; }
.row {
  display: flex; align-items: center; gap: .75rem; width: 100%; padding: .75rem .875rem; text-align: left;
  font: inherit; color: inherit; background: none; border: 0;
}
.rows > * + * { border-top: 1px solid var(--line); }
.row > :nth-child(2) { flex: 1; min-width: 0; }
.account { flex-wrap: wrap; }
.account > :nth-child(2) { flex-basis: 8.5rem; }
.account a { margin-left: auto; }
.row strong, .row small { display: block; font-weight: 600; line-height: 1.35; }
.row small { font-weight: 400; font-size: .8125rem; color: var(--quiet); }
button.row, label.row { cursor: pointer; }
button.row:hover, label.row:hover, label.row:has(:checked) { background: var(--hover); }
.row:focus-visible, .row:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: -3px; }
.row input:focus-visible { outline: 0; }
.row input { width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--accent); flex: none; }
.row svg { width: 1.125rem; height: 1.125rem; flex: none; color: var(--quiet); }
.row svg.yes { color: var(--accent); align-self: flex-start; margin-top: .125rem; }
.avatar {
  width: 2.25rem; height: 2.25rem; border-radius: 50%; flex: none; display: grid; place-items: center;
  font-size: .8125rem; font-weight: 650; background: var(--hover); border: 1px solid var(--line);
}
section { margin-bottom: 1.25rem; }
.signed-in { margin: 1rem 0 1.25rem; }
.buttons { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; margin: 1.5rem 0 1rem; }
.button {
  font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1rem; border-radius: .625rem; cursor: pointer;
  border: 1px solid var(--line); background: var(--card); color: var(--text);
}
.button:hover { background: var(--hover); }
.button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.button.primary:hover { background: var(--accent-hover); border-color: var(--accent-hover); }
.field { display: block; font-size: .8125rem; font-weight: 600; color: var(--quiet); margin: 1rem 0 .375rem; }
input.text {
  width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .625rem;
  background: var(--card); color: var(--text); font: inherit;
}
input.text + .problem { margin: .5rem 0 0; }
.note { margin: 0; padding-top: 1rem; border-top: 1px solid var(--line); }
.problem { color: var(--danger); }
code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
@media (forced-colors: active) { .button, .avatar, .rows, main { border-color: ButtonBorder; } }
`;

/** The hash that allows these styles, and no others, in the content security policy. */
export const stylesCspSource = buildCspSource(styles);

/** Same style as the consent pages. Colors have a contrast of at least 4.5:1 in both color schemes. */
export const resultPageStyle = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f8; --card: #ffffff; --text: #14171f; --quiet: #555d6b; --line: #d6dae2;
  --success: #177245; --error: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1015; --card: #161a21; --text: #e8eaf0; --quiet: #a4acba; --line: #2e3541;
    --success: #6fd6a0; --error: #ff9c92;
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
main {
  width: 100%; max-width: 27rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
  padding: clamp(1.25rem, 5vw, 2rem); box-shadow: 0 1px 2px rgb(0 0 0 / .05), 0 12px 32px rgb(0 0 0 / .06);
}
main > svg { display: block; width: 2.75rem; height: 2.75rem; margin-bottom: 1rem; color: var(--quiet); }
main > svg.success { color: var(--success); }
main > svg.error { color: var(--error); }
h1 { font-size: 1.375rem; line-height: 1.3; letter-spacing: -.01em; margin: 0 0 .375rem; text-wrap: balance; }
p { margin: 0; }
.note {
  margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line);
  color: var(--quiet); font-size: .875rem;
}
code { font: .9375em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
@media (forced-colors: active) { main { border-color: CanvasText; } }
`;

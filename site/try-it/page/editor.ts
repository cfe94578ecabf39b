import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { LRLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { parser } from "@lezer/javascript";

const javascript = LRLanguage.define({
  name: "javascript",
  parser,
  languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
});

/** In the colors of the page, which it changes with its appearance. */
const theme = EditorView.theme({
  "&": { backgroundColor: "var(--vp-code-block-bg)", color: "var(--vp-c-text-1)" },
  "&.cm-focused": { outline: "2px solid var(--vp-c-brand-1)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--vp-font-family-mono)", fontSize: "0.875rem", lineHeight: "1.6" },
  ".cm-content": { padding: "0.75rem 0", caretColor: "var(--vp-c-text-1)" },
  ".cm-cursor": { borderLeftColor: "var(--vp-c-text-1)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--vp-c-text-2)", border: "none" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--try-selection)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--try-selection)" },
  ".tok-keyword": { color: "var(--try-keyword)" },
  ".tok-string, .tok-string2": { color: "var(--try-string)" },
  ".tok-number, .tok-bool, .tok-atom": { color: "var(--try-number)" },
  ".tok-comment": { color: "var(--vp-c-text-2)" },
});

/** An editor for a program. */
export interface ProgramEditor {
  text(): string;
  setText(text: string): void;
}

/**
 * Shows an editor in an element. It is in a shadow root, because CodeMirror writes its styles into the page otherwise, which a strict
 * policy does not allow.
 *
 * @param run called for Ctrl-Enter or Cmd-Enter.
 */
export const openEditor = (element: HTMLElement, run: () => void): ProgramEditor => {
  const root = element.attachShadow({ mode: "open" });
  const runKey = keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }]);
  const view = new EditorView({
    parent: root,
    root,
    extensions: [
      runKey,
      lineNumbers(),
      history(),
      drawSelection(),
      bracketMatching(),
      javascript,
      syntaxHighlighting(classHighlighter),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": "Program" }),
      EditorState.tabSize.of(2),
      keymap.of([...defaultKeymap, ...historyKeymap]),
      theme,
    ],
  });
  return {
    text: () => view.state.doc.toString(),
    setText: (text) =>
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text.trimEnd() } }),
  };
};

import { defineAsyncComponent } from "vue";
import theme from "vitepress/theme";
import "./style.css";

export default {
  extends: theme,
  enhanceApp: ({ app }) => {
    app.component(
      "TryIt",
      defineAsyncComponent(async () => (await import("./try-it.mjs")).TryIt),
    );
  },
};

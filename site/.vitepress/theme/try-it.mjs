import { defineComponent, h, onBeforeUnmount, onMounted, ref } from "vue";
import "../../try-it/style.css";
import { data } from "./try-it.data.mjs";

/** The editor of the page "Try it". Its scripts are loaded when it is shown. */
export const TryIt = defineComponent({
  setup() {
    const place = ref();
    const text = ref("The editor is loading.");
    let mounted;
    onMounted(() => {
      // Only for browsers, so that no server has to load the editor.
      if (!import.meta.env.SSR) {
        mounted = Promise.all([
          import("../../try-it/page/try-it.ts"),
          import("../../try-it/worker/runner.ts?worker&url"),
        ]).then(([{ mountTryIt }, { default: runner }]) =>
          mountTryIt(place.value, { program: data.program, runner: new URL(runner, location.href) }),
        );
        mounted.then(
          () => (text.value = ""),
          (error) => (text.value = `The editor cannot be shown: ${error.message}`),
        );
      }
    });
    onBeforeUnmount(() => mounted?.then((end) => end()));
    return () => [h("p", text.value), h("div", { ref: place })];
  },
});

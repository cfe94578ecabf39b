const config = {
  framework: "@storybook/html-vite",
  stories: ["../*.stories.js"],
  // It contains the worker script of MSW.
  staticDirs: ["../public"],
};

export { config as default };

import { createElement } from "react";

export const metadata = { title: "mgmt" };

export default function Layout({ children }) {
  return createElement("html", null, createElement("body", null, children));
}

import { list } from "./list.js";

export const config = { matcher: "/before" };
export const proxy = () => list();

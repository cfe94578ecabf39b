import { list } from "./list.js";

export const config = { matcher: "/before" };
export const middleware = () => list();

import { list } from "./list.js";

export const config = { matcher: "/middleware" };
export const middleware = () => list();

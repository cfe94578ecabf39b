import { list } from "../../list.js";

export const runtime = "edge";
export const GET = () => list();

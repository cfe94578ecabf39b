import { list } from "../../list.js";

export const dynamic = "force-dynamic";
export const GET = () => list();

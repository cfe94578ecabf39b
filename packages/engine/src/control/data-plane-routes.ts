import type { ConnectionFault } from "./connection-faults.js";
import { type ControlRoutes, optionalNumber } from "./fields.js";

export const dataPlaneRoutes: ControlRoutes = {
  "GET /connection-faults": ({ dataPlane }) => dataPlane.listFaults(),
  "POST /connection-faults": ({ dataPlane }, _path, fields) =>
    // Adding a fault validates its fields.
    dataPlane.addFault(fields as unknown as ConnectionFault),
  "DELETE /connection-faults": ({ dataPlane }) => dataPlane.removeAllFaults(),
  "DELETE /connection-faults/{id}": ({ dataPlane }, [id = ""]) => dataPlane.removeFault(id),
  "PUT /connection-limit": ({ dataPlane }, _path, fields) =>
    dataPlane.setConnectionLimit(optionalNumber(fields, "connections") ?? null),
};

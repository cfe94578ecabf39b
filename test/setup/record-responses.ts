import { responsesFile } from "../../scripts/responses-file.js";
import { startRecording } from "./response-recorder.js";

// Vitest evaluates this file for each test file, and what it imports once in a process.
startRecording(responsesFile);

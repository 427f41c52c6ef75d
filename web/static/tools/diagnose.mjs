// The tool that names the cause of a failed run.

import { configure } from "./tool.mjs";

configure({ pastedPath: () => "log.txt" });

// The console's scripts. Everything works without them; with them pages stay fresh and keys help.
import { startComposers } from "./compose.js";
import { startKeys } from "./keys.js";
import { startLive } from "./live.js";
import { startPresses } from "./press.js";
import { startTimes } from "./times.js";

startTimes();
startComposers();
startPresses();
startKeys();
startLive();

import { setTimeout as sleep } from "node:timers/promises";

/**
 * The pause of a client between two requests of a load that lasts until the test ends it. Without a pause, the load takes
 * all CPU time of the machine, also that of the server under test and of the tests beside it.
 */
export const pauseClient = () => sleep(20);

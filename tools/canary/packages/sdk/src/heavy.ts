import { readFileSync } from "node:fs"; // violation: sdk: protocol, fetch and WebSocket
import { parseConfig } from "@slipway/server/config"; // violation: sdk: protocol, fetch and WebSocket

export const used = [readFileSync, parseConfig];

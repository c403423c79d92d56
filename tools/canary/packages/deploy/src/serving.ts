import { parseConfig } from "@slipway/server/config"; // violation: deploy: imports protocol only

export const used = [parseConfig];

import type { tokenLinks as en } from "../en/tokenLinks.ts";

export const tokenLinks: typeof en = {
  x: "X",
  telegram: "Telegram",
  discord: "Discord",
  farcaster: "Farcaster",
  github: "GitHub",
  website2: "Otro sitio web",
};

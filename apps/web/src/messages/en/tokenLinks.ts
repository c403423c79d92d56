/** Labels of a token's links. */
export const tokenLinks = {
  x: "X",
  telegram: "Telegram",
  discord: "Discord",
  farcaster: "Farcaster",
  github: "GitHub",
  website2: "Another website",
};

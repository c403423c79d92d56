/** The links of a token besides its website, in the order of the form and the token page. */
export const linkNames = ["x", "telegram", "discord", "farcaster", "github", "website2"] as const;

export type LinkName = (typeof linkNames)[number];

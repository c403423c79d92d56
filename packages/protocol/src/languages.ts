/** The languages of the site and of the server's pages, the default first. */
export const languages = ["en", "es"] as const;
export type Language = (typeof languages)[number];

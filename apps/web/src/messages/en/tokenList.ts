/** Texts of the parts of explore that load on demand. */
export const tokenList = {
  directions: {
    value: { desc: "Highest first", asc: "Lowest first" },
    time: { desc: "Newest first", asc: "Oldest first" },
  },
  favourite: (name: string) => `Favourite ${name}`,
  favouritesLead: "Kept in this browser only.",
  favouritesEmpty: "No favourites yet. Press the star beside a token to keep it here.",
  exportFavourites: "Export",
  importFavourites: "Import",
  imported: (count: number) => (count === 1 ? "1 token added" : `${count} tokens added`),
  live: "New pairs appear as they launch.",
  paused: (count: number) =>
    count === 1 ? "Paused. 1 new pair is waiting." : `Paused. ${count} new pairs are waiting.`,
  pause: "Pause",
  resume: "Resume",
  filters: "Filters",
  filter: {
    age: "Maximum age (hours)",
    liq: "Minimum liquidity ($)",
    vol: "Minimum volume 24 h ($)",
    holders: "Minimum holders",
    change: "Minimum change 24 h (%)",
    creator: "Creator",
  },
  filterExample: { age: "24", liq: "1000", vol: "500", holders: "10", change: "-20", creator: "0x…" },
  filterFault: { number: "Enter a whole number.", creator: "Enter 0x followed by 40 hex digits." },
  applyFilters: "Apply",
  clearFilters: "Clear filters",
  columns: "Columns",
};

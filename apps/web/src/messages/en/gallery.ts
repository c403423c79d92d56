export const gallery = {
  title: "Gallery",
  lead: "The pictures of launched tokens, as this service stores them.",
  search: "Search pictures",
  searchPlaceholder: "Name, symbol or address",
  order: "Order",
  sorts: { new: "Newest", volume: "Volume", market_cap: "Market cap", random: "Random" },
  shuffle: "Shuffle",
  count: (total: number, isMore: boolean) => (total === 1 ? "1 picture" : `${total}${isMore ? "+" : ""} pictures`),
  more: "Show more",
  empty: "No launched token has a picture yet. A token that is launched with an image appears here.",
  noMatch: (text: string) => `No picture is of a token with “${text}” in its name, symbol or address.`,
  marketCap: "Cap",
};

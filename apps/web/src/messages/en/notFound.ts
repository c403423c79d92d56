export const notFound = {
  title: "There is no such page",
  body: "The address may be mistyped, or the page has moved.",
  toExplore: "Explore tokens",
};

export const notFound = {
  title: "Page not found",
  body: "The link may be wrong, or the page may have moved.",
  toExplore: "Explore tokens",
};

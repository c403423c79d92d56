/** Why a feed cannot be read. The directory shows the code. */
export type FeedFault =
  | "not_json"
  | "wrong_format"
  | "too_many_pages"
  | "too_many_entries"
  | "too_much_work"
  | "foreign_page";

/** A document that is not a feed of its format, or a feed that is too large. */
export class FeedError extends Error {
  override name = "FeedError";
  readonly code: FeedFault;

  constructor(code: FeedFault, options?: ErrorOptions) {
    super(`the feed cannot be read: ${code}`, options);
    this.code = code;
  }
}

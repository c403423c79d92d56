/** Milliseconds between reads while the picture of a new token is being processed. */
export const pictureMs = 3_000;
/** A picture that is not processed by then may never be. */
const maxAgeMs = 600_000;

type Pictured = { image: object | null; image_url: string | null; launched_at: string | null };

/** Whether a new token has a picture that the service has not processed yet. */
export const awaitsPicture = (token: Pictured | undefined): boolean =>
  token !== undefined &&
  token.image === null &&
  token.image_url !== null &&
  Date.now() - Date.parse(token.launched_at ?? "") < maxAgeMs;

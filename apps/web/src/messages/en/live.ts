export const live = {
  paused: (time: string) => `Live data paused, as of ${time}`,
  pausedBody: "What is shown may be old, and nothing can be traded until it is current again.",
};

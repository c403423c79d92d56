/** Sends again after Retry-After while the service says that it is asked too often: a run asks very often. */
export const fetchWithRetry: typeof fetch = async (input, init) => {
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(input, init);
    if (response.status !== 429 || attempt === 20) return response;
    await response.arrayBuffer();
    const seconds = Number(response.headers.get("retry-after") ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
};

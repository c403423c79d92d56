/** Where the launchpad's API lives below the site's root. */
export const apiPrefix = "/api/v1/launchpad";

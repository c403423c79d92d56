export const key = () => process.env.API_KEY; // violation: process.env

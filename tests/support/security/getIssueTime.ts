/**
 * Returns the time from which deadlines of an answer count, in Unix seconds: the later one of the request by the service's
 * clock and the answer's block.
 */
export function getIssueTime(body: { expires_at: number }, block: { timestamp: string | bigint }): bigint {
  const [requestedAt, blockTime] = [BigInt(body.expires_at - 60), BigInt(block.timestamp)];
  return requestedAt > blockTime ? requestedAt : blockTime;
}

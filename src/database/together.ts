/**
 * The results of statements that were called together. If one fails, the others are waited for, so that
 * none of them runs after the end of the transaction; the first error in their order is thrown.
 */
export const together = async <Calls extends readonly unknown[]>(
  calls: Calls,
): Promise<{ -readonly [Index in keyof Calls]: Awaited<Calls[Index]> }> => {
  await Promise.allSettled(calls)
  return (await Promise.all(calls)) as never
}

/**
 * Awaits statements that were issued together. If one fails, waits for the others, so that none
 * runs after the end of the transaction, then throws the first error in call order.
 */
export const together = async <Calls extends readonly unknown[]>(
  calls: Calls,
): Promise<{ -readonly [Index in keyof Calls]: Awaited<Calls[Index]> }> => {
  await Promise.allSettled(calls)
  return (await Promise.all(calls)) as never
}

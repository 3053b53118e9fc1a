/** Batches that are read before they are wanted, up to a limit. */
export interface ReadAhead<Batch> {
  /** Reads until there is nothing more, or until there are so many rows. */
  fill(rowsMax: number): Promise<{ readonly rows: number; readonly isComplete: boolean }>
  /** All batches, in order. To be called once. */
  batches(): AsyncIterable<Batch>
}

export const createReadAhead = <Batch>(
  open: () => AsyncIterable<Batch>,
  rowsOf: (batch: Batch) => number,
): ReadAhead<Batch> => {
  const waiting: Batch[] = []
  let iterator: AsyncIterator<Batch> | null = null
  let isComplete = false
  const next = async (): Promise<Batch | null> => {
    iterator ??= open()[Symbol.asyncIterator]()
    const result = await iterator.next()
    isComplete = result.done ?? false
    return result.done ? null : result.value
  }
  return {
    fill: async (rowsMax) => {
      let rows = 0
      while (!isComplete && rows < rowsMax) {
        const batch = await next()
        if (batch === null) break
        waiting.push(batch)
        rows += rowsOf(batch)
      }
      return { rows, isComplete }
    },
    batches: async function* () {
      for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) yield batch
      while (!isComplete) {
        const batch = await next()
        if (batch !== null) yield batch
      }
    },
  }
}

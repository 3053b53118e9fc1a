/** Values by name, per process. Evicts the oldest. */
export interface BoundedCache<Value> {
  get(name: string): Value | undefined
  set(name: string, value: Value): void
  delete(name: string): void
}

/** Bounds the total size: the number of values, or the sum of `sizeOf`. */
export const createBoundedCache = <Value>(
  sizeMax: number,
  sizeOf: (value: Value) => number = () => 1,
): BoundedCache<Value> => {
  const values = new Map<string, Value>()
  let size = 0
  const remove = (name: string): void => {
    const value = values.get(name)
    if (value === undefined) return
    size -= sizeOf(value)
    values.delete(name)
  }
  return {
    get: (name) => values.get(name),
    delete: remove,
    set: (name, value) => {
      remove(name)
      values.set(name, value)
      size += sizeOf(value)
      for (const oldest of values.keys()) {
        if (size <= sizeMax) break
        remove(oldest)
      }
    },
  }
}

/** Values by name, for one process. The oldest ones are evicted. */
export interface BoundedCache<Value> {
  get(name: string): Value | undefined
  set(name: string, value: Value): void
  delete(name: string): void
}

/** Keeps values of a size together: so many values, or what `sizeOf` measures. */
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

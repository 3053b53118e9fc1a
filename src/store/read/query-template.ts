import type { Query, SqlValue } from '#database'

/** A value of a statement, read from the request that the statement is run for. */
export type Slot<Request> = (request: Request) => SqlValue

/** A statement whose text is the same for all requests of its kind: written once, run often. */
export interface Shape<Request> {
  readonly text: string
  readonly slots: readonly Slot<Request>[]
}

/** The statement for one request. */
export const fill = <Request>({ text, slots }: Shape<Request>, request: Request): Query => ({
  text,
  values: slots.map((slot) => slot(request)),
})

/** Numbers what a statement is given while it is written. */
export interface Numbered<Each> {
  readonly all: readonly Each[]
  readonly add: (each: Each) => string
}

export type Values<Request> = Numbered<Slot<Request>>

export const bind = <Each>(...first: readonly Each[]): Numbered<Each> => {
  const all = [...first]
  return {
    all,
    add: (each) => {
      all.push(each)
      return `?${all.length}`
    },
  }
}

/** Columns to read beside something else, and the joins that bring their tables. */
export interface Beside {
  readonly columns: readonly string[]
  readonly joins: string
}

export const noneBeside = (): Beside => ({ columns: [], joins: '' })

/** A text in a statement. Texts come from the contract, never from a request. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

const shapesMax = 1_000

/** Keeps what was written for a name, so that it is written once. */
export const openShapes = <Kept>(): ((name: string, write: () => Kept) => Kept) => {
  const kept = new Map<string, Kept>()
  return (name, write) => {
    const known = kept.get(name)
    if (known !== undefined) return known
    const written = write()
    // Filters and includes combine into more shapes than there is room for.
    if (kept.size >= shapesMax) kept.clear()
    kept.set(name, written)
    return written
  }
}

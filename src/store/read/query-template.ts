import type { Query, SqlValue } from '#database'

/** A value of a statement, read from the request that the statement is run for. */
export type Param<Request> = (request: Request) => SqlValue

/** A statement whose text is the same for all requests of its kind: written once, run often. */
export interface QueryTemplate<Request> {
  readonly text: string
  readonly params: readonly Param<Request>[]
}

/** The statement for one request. */
export const bind = <Request>(
  { text, params }: QueryTemplate<Request>,
  request: Request,
): Query => ({
  text,
  values: params.map((param) => param(request)),
})

/** Numbers what a statement is given while it is written. */
export interface ParamList<Each> {
  readonly all: readonly Each[]
  readonly add: (each: Each) => string
}

export type Params<Request> = ParamList<Param<Request>>

export const createParams = <Each>(...first: readonly Each[]): ParamList<Each> => {
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
export interface ExtraColumns {
  readonly columns: readonly string[]
  readonly joins: string
}

export const noExtraColumns = (): ExtraColumns => ({ columns: [], joins: '' })

const shapesMax = 1_000

/** Keeps what was written for a name, so that it is written once. */
export const createTemplateCache = <CountCache>(): ((
  name: string,
  write: () => CountCache,
) => CountCache) => {
  const kept = new Map<string, CountCache>()
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

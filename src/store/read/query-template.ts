import type { Query, SqlValue } from '#database'

/** A parameter of a statement: its value for the request that the statement is run for. */
export type Param<Request> = (request: Request) => SqlValue

/** A statement whose text is the same for all requests of its kind: compiled once, run often. */
export interface QueryTemplate<Request> {
  readonly text: string
  readonly params: readonly Param<Request>[]
}

/** The statement for one request. */
export const bind = <Request>(
  { text, params }: QueryTemplate<Request>,
  request: Request,
): Query => {
  // A copy, whose elements are replaced: an array that begins with a number would change its form.
  const values: (Param<Request> | SqlValue)[] = params.slice()
  for (let index = 0; index < params.length; index += 1) {
    values[index] = (params[index] as Param<Request>)(request)
  }
  return { text, values: values as SqlValue[] }
}

/** Numbers the parameters of a statement while its text is compiled. */
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

/** Columns that a statement reads beside its own, and the joins of their tables. */
export interface ExtraColumns {
  readonly columns: readonly string[]
  readonly joins: string
}

export const noExtraColumns = (): ExtraColumns => ({ columns: [], joins: '' })

const templatesMax = 1_000

/** Caches what was compiled for a name, so that it is compiled once. */
export const createTemplateCache = <Compiled>(): ((
  name: string,
  compile: () => Compiled,
) => Compiled) => {
  const templates = new Map<string, Compiled>()
  return (name, compile) => {
    const cached = templates.get(name)
    if (cached !== undefined) return cached
    const compiled = compile()
    // Filters and includes combine into more templates than there is room for.
    if (templates.size >= templatesMax) templates.clear()
    templates.set(name, compiled)
    return compiled
  }
}

import type { Query, SqlValue } from '#database'

/** A parameter of a statement: computes its value for a request. */
export type Param<Request> = (request: Request) => SqlValue

/** A statement with the same text for all requests of its kind: compiled once, run often. */
export interface QueryTemplate<Request> {
  readonly text: string
  readonly params: readonly Param<Request>[]
}

export const bind = <Request>(
  { text, params }: QueryTemplate<Request>,
  request: Request,
): Query => {
  // Fills a copy of `params`: an array that begins with a number would change its elements kind.
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

/** Additional columns of a statement, and the joins they need. */
export interface ExtraColumns {
  readonly columns: readonly string[]
  readonly joins: string
}

export const noExtraColumns = (): ExtraColumns => ({ columns: [], joins: '' })

const templatesMax = 1_000

/** Compiles each name once and caches the result. */
export const createTemplateCache = <Compiled>(): ((
  name: string,
  compile: () => Compiled,
) => Compiled) => {
  const templates = new Map<string, Compiled>()
  return (name, compile) => {
    const cached = templates.get(name)
    if (cached !== undefined) return cached
    const compiled = compile()
    // Filters and includes can combine into more templates than fit.
    if (templates.size >= templatesMax) templates.clear()
    templates.set(name, compiled)
    return compiled
  }
}

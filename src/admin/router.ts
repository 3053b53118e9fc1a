import { ApiError } from '#contract'
import type { Operation } from './operation.ts'

export interface OperationMatch {
  readonly operation: Operation
  readonly params: { readonly [name: string]: string }
}

/** Finds the operation of a method and a path below `/api`. */
export interface OperationRouter {
  /** Throws 404, or 405 after it has passed the methods of the path to `onAllowed`. */
  match(method: string, path: string, onAllowed: (methods: string) => void): OperationMatch
}

interface Row {
  readonly operation: Operation
  readonly segments: readonly string[]
}

export const createOperationRouter = (operations: readonly Operation[]): OperationRouter => {
  const rows = operations.map(
    (operation): Row => ({ operation, segments: operation.path.split('/') }),
  )
  return {
    match: (method, path, onAllowed) => {
      const segments = path.split('/').map(decode)
      const matching = rows.flatMap((row) => {
        const params = paramsOf(row.segments, segments)
        return params ? [{ operation: row.operation, params }] : []
      })
      // A path with fixed segments comes before one with a name in their place.
      const names = Math.min(...matching.map(({ params }) => Object.keys(params).length))
      const closest = matching.filter(({ params }) => Object.keys(params).length === names)
      const match = closest.find(({ operation }) => operation.method === method)
      if (match) return match
      if (closest.length === 0) throw new ApiError('not_found', 'There is nothing at this path.')
      const methods = closest.map(({ operation }) => operation.method)
      onAllowed([...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', '))
      throw new ApiError('method_not_allowed', 'This path does not support the method.')
    },
  }
}

/** Null for what is not valid percent-encoding, which matches nothing. */
const decode = (segment: string): string | null => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

const paramsOf = (
  pattern: readonly string[],
  segments: readonly (string | null)[],
): { readonly [name: string]: string } | null => {
  if (pattern.length !== segments.length) return null
  const params: { [name: string]: string } = {}
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? ''
    const name = /^\{(\w+)\}$/.exec(expected)?.[1]
    if (name === undefined ? segment !== expected : segment === '') return null
    if (name !== undefined) params[name] = segment
  }
  return params
}

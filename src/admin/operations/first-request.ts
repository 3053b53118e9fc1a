import { ApiError, basePath, catalog, type FirstResponse, patterns } from '#contract'
import { type Field, FieldProblem, readFields, text } from '../fields.ts'
import { type Operation, operation } from '../operation.ts'

const timeoutMs = 10_000
/** People look at the beginning of a response. */
const shownBytes = 65_536

const slug: Field<string> = (value) => {
  if (typeof value === 'string' && new RegExp(patterns.brand).test(value)) return value
  throw new FieldProblem('must be the slug of a brand')
}

const collection: Field<string> = (value) => {
  if (typeof value === 'string' && catalog.byPath.has(value)) return value
  throw new FieldProblem('must be a collection')
}

/** A key is letters, digits and signs that a header may have. */
const key: Field<string> = (value) => {
  const keyText = text(200)(value)
  if (/^[\w.~-]+$/.test(keyText)) return keyText
  throw new FieldProblem('must be a key')
}

/** Reads some records through the public API, as a client of the key would. */
export const firstRequestOperations: readonly Operation[] = [
  operation({
    method: 'POST',
    path: '/first-request',
    read: ({ body }) => readFields(body, { brand: slug, key, collection }),
    run: async ({ apiUrl }, input, { signal }): Promise<FirstResponse> => {
      const path = input.collection === 'brand' ? '' : `/${input.collection}?limit=3`
      const url = `${apiUrl}${basePath}/brands/${input.brand}${path}`
      const began = performance.now()
      try {
        const response = await fetch(url, {
          headers: { authorization: `Bearer ${input.key}` },
          redirect: 'error',
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        })
        const milliseconds = performance.now() - began
        return { status: response.status, milliseconds, body: await beginningOf(response) }
      } catch (error) {
        throw new ApiError(
          'operation_refused',
          `The server cannot reach its public address ${apiUrl}. Send the request from a terminal.`,
          { cause: error },
        )
      }
    },
  }),
]

/** The beginning of a body, with JSON on several lines. */
const beginningOf = async (response: Response): Promise<string> => {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes > shownBytes) return `${Buffer.concat(pieces).toString('utf8', 0, shownBytes)} …`
  }
  const whole = Buffer.concat(pieces).toString('utf8')
  try {
    return JSON.stringify(JSON.parse(whole), null, 2)
  } catch {
    return whole
  }
}

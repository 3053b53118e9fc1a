import { ApiError } from '#contract'
import { OAuthError } from '#oauth'
import type { RequestContext } from './context.ts'
import { readShortBody } from './short-body.ts'

/** The fields of a submitted form. */
export interface Form {
  /** The value of a field; throws if it is missing or repeated. */
  required(name: string): string
  /** The value of a field; undefined if it is missing. */
  optional(name: string): string | undefined
  /** All values of a field that may be repeated. */
  all(name: string): readonly string[]
}

const bytesMax = 16_384
const formType = 'application/x-www-form-urlencoded'

export const readForm = async ({ request }: RequestContext): Promise<Form> => {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';')
  const body = await readShortBody(request, bytesMax)
  if (type.trim().toLowerCase() !== formType) {
    throw new ApiError('malformed_request', `The Content-Type must be ${formType}.`)
  }
  const fields = new URLSearchParams(body.toString())
  const optional = (name: string): string | undefined => {
    const values = fields.getAll(name)
    if (values.length > 1) throw new OAuthError('invalid_request', `${name} occurs twice.`)
    return values[0]
  }
  return {
    optional,
    required: (name) => {
      const value = optional(name)
      if (value === undefined || value === '') {
        throw new OAuthError('invalid_request', `${name} is missing.`)
      }
      return value
    },
    all: (name) => fields.getAll(name),
  }
}

import { ApiError, type GroupScope } from '#contract'
import { cut, nearest } from '#request'
import type { Reader } from './reader.ts'
import type { Caller } from './tool.ts'

export interface CallerParts {
  readonly scope: GroupScope
  readonly brands: () => Promise<readonly string[]>
  /** The reader of a brand. Throws if the brand does not exist or may not be read. */
  readonly reader: (brand: string) => Reader | Promise<Reader>
}

const listedMax = 20
/** Maximum number of brands to compare an unknown name with. */
const comparedMax = 1_000

/** Opens the named brand. The name is optional if only one brand can be read. */
export const callerOf = ({ scope, brands, reader }: CallerParts): Caller => ({
  scope,
  brands,
  open: async (brand) => {
    if (brand !== undefined) return withSuggestion(brand, reader, brands)
    const [only, ...others] = await brands()
    if (only !== undefined && others.length === 0) return reader(only)
    const named = [only, ...others].slice(0, listedMax).join(', ')
    const issue =
      only === undefined
        ? 'is missing, and no brand can be read'
        : `is missing: ${others.length + 1} brands can be read. Name one: ${named}${others.length >= listedMax ? ', …' : ''}`
    throw new ApiError('invalid_parameter', `Parameter brand ${issue}.`, {
      details: [{ parameter: 'brand', issue }],
    })
  },
})

/** Adds the most similar brand to an error. */
const withSuggestion = async (
  brand: string,
  reader: CallerParts['reader'],
  brands: CallerParts['brands'],
): Promise<Reader> => {
  try {
    return await reader(brand)
  } catch (error) {
    const isRefused =
      error instanceof ApiError && (error.code === 'not_found' || error.code === 'out_of_scope')
    if (!isRefused) throw error
    const readable = await brands()
    const meant = nearest(brand, readable.slice(0, comparedMax))
    const hint = meant
      ? ` Did you mean ${meant}?`
      : ` You can read these brands: ${readable.slice(0, listedMax).join(', ') || 'none'}${readable.length > listedMax ? ', …' : ''}.`
    throw new ApiError(error.code, error.message + hint, {
      details: { parameter: 'brand', given: cut(brand) },
    })
  }
}

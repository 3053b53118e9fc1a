import { ApiError } from '#contract'
import { cut, nearest } from '#request'
import type { Reader } from './reader.ts'
import type { Caller } from './tool.ts'

export interface CallerParts {
  readonly brands: () => Promise<readonly string[]>
  /** The reader of a brand; throws where it may not be read, or is not there. */
  readonly reader: (brand: string) => Reader | Promise<Reader>
}

const namedMax = 20
/** Brands that a wrong name is compared with. */
const comparedMax = 1_000

/** Reads the brand that is named; where there is but one, it need not be. */
export const callerOf = ({ brands, reader }: CallerParts): Caller => ({
  brands,
  open: async (brand) => {
    if (brand !== undefined) return refusingKindly(brand, reader, brands)
    const [only, ...others] = await brands()
    if (only !== undefined && others.length === 0) return reader(only)
    const named = [only, ...others].slice(0, namedMax).join(', ')
    const issue =
      only === undefined
        ? 'is missing, and there is no brand that can be read'
        : `is missing: ${others.length + 1} brands can be read, so name one: ${named}${others.length >= namedMax ? ', …' : ''}`
    throw new ApiError('invalid_parameter', `Parameter brand ${issue}.`, {
      details: [{ parameter: 'brand', issue }],
    })
  },
})

/** Says which of the brands that can be read may have been meant. */
const refusingKindly = async (
  brand: string,
  reader: CallerParts['reader'],
  brands: CallerParts['brands'],
): Promise<Reader> => {
  try {
    return await reader(brand)
  } catch (error) {
    const isRefusal =
      error instanceof ApiError && (error.code === 'not_found' || error.code === 'out_of_scope')
    if (!isRefusal) throw error
    const readable = await brands()
    const meant = nearest(brand, readable.slice(0, comparedMax))
    const words = meant
      ? ` Did you mean ${meant}?`
      : ` Brands that can be read: ${readable.slice(0, namedMax).join(', ') || 'none'}${readable.length > namedMax ? ', …' : ''}.`
    throw new ApiError(error.code, error.message + words, {
      details: { parameter: 'brand', given: cut(brand) },
    })
  }
}

import { createContext, useContext } from 'react'
import { dayIn, type Today } from '../../src/contract/index.ts'
import type { Brand } from './api.ts'
import { zone } from './locale.ts'

/** The brand whose pages are shown. */
export const BrandContext = createContext<Brand>({
  slug: '',
  name: '',
  timezone: 'UTC',
  baseCurrency: '',
})

export const useBrand = (): Brand => useContext(BrandContext)

/** The brand's base currency, for amounts that have no currency field. */
export const useBaseCurrency = (): string => useBrand().baseCurrency

/** Today in the time zone of the brand. */
export const today = (): Today => {
  const timezone = zone()
  return { timezone, day: dayIn(timezone, Date.now()) }
}

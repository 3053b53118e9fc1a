import { useState } from 'react'

export const densities = ['normal', 'compact'] as const
export type Density = (typeof densities)[number]

const place = 'selvedge-density'

/** How high the rows of tables are, for this browser. */
export const useDensity = () => {
  const [density, setDensity] = useState<Density>(
    () => densities.find((each) => each === localStorage.getItem(place)) ?? 'normal',
  )
  const choose = (next: Density) => {
    localStorage.setItem(place, next)
    setDensity(next)
  }
  return [density, choose] as const
}

import { useState } from 'react'

export const densities = ['normal', 'compact'] as const
export type Density = (typeof densities)[number]

/** The row heights of `explorer.css`, in rem. */
export const rowHeights: Record<Density, number> = { normal: 2.25, compact: 1.75 }

/** The minimum height of `.grid-scroll` and the height of the rest of the page, in rem. */
const [leastHeight, otherHeight] = [24, 20.5]

/** The number of rows that fit on the screen, plus one. */
export const rowsOnScreen = (density: Density): number => {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const height = Math.max(leastHeight, innerHeight / rem - otherHeight)
  return Math.ceil(height / rowHeights[density]) + 1
}

const place = 'selvedge-density'

/** The row height of tables, stored in this browser. */
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

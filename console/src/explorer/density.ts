import { useState } from 'react'

export const densities = ['normal', 'compact'] as const
export type Density = (typeof densities)[number]

/** The heights of rows in `explorer.css`, in rem. */
export const rowHeights: Record<Density, number> = { normal: 2.25, compact: 1.75 }

/** The least height of `.grid-scroll` there, and what the rest of the page takes, in rem. */
const [leastHeight, otherHeight] = [24, 20.5]

/** How many rows a table shows before it is scrolled, and one more. */
export const rowsOnScreen = (density: Density): number => {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const height = Math.max(leastHeight, innerHeight / rem - otherHeight)
  return Math.ceil(height / rowHeights[density]) + 1
}

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

import { startTransition, useEffect, useState } from 'react'
import { usePrinting } from './printing.ts'
import { isReturning } from './scroll-position.ts'

/** A background tab never paints, so the wait has a limit. */
const paintMsMax = 100

/**
 * Whether to render content below the first screen. False until the component has been painted, so
 * that visible content appears sooner. True at once after Back and Forward, which restore the
 * scroll position, and on paper.
 */
export const useLater = (): boolean => {
  const [isLater, setLater] = useState(isReturning)
  useEffect(() => {
    const show = () => startTransition(() => setLater(true))
    let timer = setTimeout(show, paintMsMax)
    const frame = requestAnimationFrame(() => {
      clearTimeout(timer)
      timer = setTimeout(show)
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [])
  return usePrinting() || isLater
}

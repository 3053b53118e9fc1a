import { startTransition, useEffect, useState } from 'react'
import { isReturning } from './scroll-position.ts'

/** A tab in the background paints nothing, and does not wait for it. */
const paintMsMax = 100

/**
 * Whether it is time for what is below the first screen: false until a component has been painted, so
 * that what is seen first is there sooner. Back and Forward need all of it at once, to scroll to where
 * the page was.
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
  return isLater
}

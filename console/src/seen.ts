import { type RefObject, useEffect, useRef, useState } from 'react'

/** For an element: whether it has come into sight, ever. */
export const useSeen = <T extends HTMLElement>(): [RefObject<T | null>, boolean] => {
  const place = useRef<T>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (!place.current) return
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      setSeen(true)
      observer.disconnect()
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return [place, isSeen]
}

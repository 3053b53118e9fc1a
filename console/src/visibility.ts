import { type RefObject, useEffect, useRef, useState } from 'react'

/** Whether an element has been visible in the viewport. Stays true once it has. */
export const useVisibility = <T extends HTMLElement>(): [RefObject<T | null>, boolean] => {
  const element = useRef<T>(null)
  const [isVisible, setVisible] = useState(false)
  useEffect(() => {
    if (!element.current) return
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      setVisible(true)
      observer.disconnect()
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [element, isVisible]
}
